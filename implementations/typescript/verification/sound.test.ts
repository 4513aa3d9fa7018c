import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../schemas/types.js';
import { verify, verifyTogether } from './index.js';
import { kindsOf, RULES } from './rules/index.js';
import { drawFrom } from './testing/enumerate.js';
import { drawPlanted, keyOf, PLANTS } from './testing/plants.js';
import { Site } from './testing/site.js';
import { drawSound } from './testing/sound.js';

const SOUND = 150;
const PROGRAMS_PER_DEFECT = 8;
const PAIRS = 400;

function told(finding: Finding): string {
  const kinds = kindsOf(finding).map(({ id }) => id);
  return `${finding.rule} ${kinds.join(' ')} at ${finding.pointer}`;
}

describe('a workflow that is sound because of how it is built', () => {
  it('passes every rule, each evaluated in full (VII4)', () => {
    const kinds = new Set<string>();
    for (let seed = 0; seed < SOUND; seed++) {
      const { workflow, registry } = drawSound(drawFrom(seed));
      const { verdict, findings, rules } = verify(workflow, registry);
      expect([seed, findings.map(told), verdict]).toEqual([seed, [], 'PASS']);
      expect(rules.filter(({ status }) => status !== 'pass')).toEqual([]);
      for (const node of workflow.nodes)
        kinds.add(node.type === 'error' ? node.handling : (node.join_type ?? node.type));
    }
    const all = ['AND', 'OR', 'action', 'compensate', 'condition', 'fail', 'retry', 'rollback', 'skill', 'terminal'];
    expect([...kinds].sort()).toEqual(all);
  });
});

describe('one planted defect', () => {
  it('of every kind there is', () => {
    const planted = new Set(PLANTS.map(({ rule, kind }) => `${rule} ${kind}`));
    const all = RULES.flatMap(({ id, kinds }) => kinds.map(kind => `${id} ${kind.id}`));
    expect(all.filter(kind => !planted.has(kind))).toEqual(['S5 repeated-workflow']);
  });

  it.each(PLANTS.map(plant => [`${plant.rule} ${plant.kind}`, plant] as const))('%s', (title, plant) => {
    let planted = 0;
    for (let seed = 0; seed < PROGRAMS_PER_DEFECT; seed++) {
      const found = drawPlanted(drawFrom(seed), plant);
      if (found === undefined) continue;
      planted++;
      const { findings, verdict } = verify(found.site.workflow, found.site.registry);
      expect([seed, ...findings.map(told)]).toEqual([seed, `${title} at ${found.pointer}`]);
      const severity = RULES.find(({ id }) => id === plant.rule)?.severity;
      expect(verdict).toBe(severity === 'blocking' ? 'FAIL' : 'PASS_WITH_WARNINGS');
    }
    expect(planted).toBeGreaterThan(1);
  });

  it('S5 repeated-workflow', () => {
    const { workflow, registry } = drawSound(drawFrom(1));
    const [first, second] = verifyTogether([workflow, structuredClone(workflow)], registry);
    expect(first?.findings).toEqual([]);
    expect(second?.findings.map(told)).toEqual(['S5 repeated-workflow at /workflow/name']);
  });
});

describe('a repaired defect', () => {
  it('brings up no blocking finding of a rule that was evaluated before (VII2)', () => {
    let judged = 0;
    for (let seed = 0; seed < PAIRS; seed++) {
      const draw = drawFrom(seed);
      const [one, other] = [PLANTS[draw(PLANTS.length)], PLANTS[draw(PLANTS.length)]];
      if (one === undefined || other === undefined || [one.kind, other.kind].includes('empty')) continue;
      const site = new Site(drawSound(draw), draw);
      if (one.plant(site) === undefined) continue;
      const repaired = verify(structuredClone(site.workflow), structuredClone(site.registry));
      if (other.plant(site) === undefined) continue;
      const before = verify(site.workflow, site.registry);
      const evaluated = new Set(before.rules.filter(({ reason }) => reason === undefined).map(({ rule }) => rule));
      const known = new Set(before.findings.map(keyOf));
      const fresh = repaired.findings.filter(
        finding => finding.severity === 'blocking' && evaluated.has(finding.rule) && !known.has(keyOf(finding)),
      );
      expect([seed, one.kind, other.kind, ...fresh.map(told)]).toEqual([seed, one.kind, other.kind]);
      judged++;
    }
    expect(judged).toBeGreaterThan(PAIRS / 2);
  });
});
