import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import type { Registry, Workflow } from '../../../schemas/types.js';
import { readDocuments } from '../workspace/document.js';
import { verify } from './index.js';
import { type Draw, drawFrom } from './testing/enumerate.js';
import { drawPlanted, keyOf, PLANTS } from './testing/plants.js';
import { Site } from './testing/site.js';
import { drawSound } from './testing/sound.js';

const PROGRAMS_PER_DEFECT = 2;

/** Workflows with one defect, and some with none. */
function* programs(): Generator<{ title: string; site: Site; draw: Draw }> {
  for (let seed = 0; seed < PROGRAMS_PER_DEFECT; seed++) {
    const draw = drawFrom(seed);
    yield { title: `sound ${seed}`, site: new Site(drawSound(draw), draw), draw };
    for (const [at, plant] of PLANTS.entries()) {
      const own = drawFrom(1000 * at + seed);
      const planted = drawPlanted(own, plant);
      if (planted !== undefined && plant.kind !== 'empty')
        yield { title: `${plant.rule} ${plant.kind} ${seed}`, site: planted.site, draw: own };
    }
  }
}

function keys(workflow: unknown, registry: Registry): string[] {
  return verify(workflow, registry).findings.map(keyOf).sort();
}

/** The workflow with other names of nodes, wherever they are written. */
function renamed(workflow: Workflow, rename: (name: string) => string): Workflow {
  const walk = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map(item => walk(item, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name)]));
    if (typeof value !== 'string') return value;
    if (['node_id', 'from_node', 'to_node', 'start'].includes(key)) return rename(value);
    return value
      .replace(/\bnodes\.([^.}\s]+)/g, (_, name: string) => `nodes.${rename(name)}`)
      .replace(/\bnodes\["([^"]+)"\]/g, (_, name: string) => `nodes["${rename(name)}"]`);
  };
  const { nodes, edges, outputs = {}, actions = [], ...rest } = workflow;
  const walked = { nodes: walk(nodes, ''), edges: walk(edges, ''), outputs: walk(outputs, 'outputs') };
  const { start } = workflow.workflow;
  const header = start === undefined ? workflow.workflow : { ...workflow.workflow, start: rename(start) };
  return { ...rest, ...walked, actions, workflow: header } as Workflow;
}

describe('the findings stay what they are', () => {
  it('where names are others in the same order', () => {
    const rename = (name: string): string => `k${name}`;
    for (const { title, site } of programs()) {
      const expected = verify(site.workflow, site.registry).findings.map(finding => {
        const { edge, node_id } = finding;
        const other = edge && { ...edge, from_node: rename(edge.from_node), to_node: rename(edge.to_node) };
        return keyOf({
          ...finding,
          ...(node_id === undefined ? {} : { node_id: rename(node_id) }),
          ...(other === undefined ? {} : { edge: other }),
        });
      });
      expect([title, ...keys(renamed(site.workflow, rename), site.registry)]).toEqual([title, ...expected.sort()]);
    }
  });

  it('but for which of several a finding names, where names are in another order', () => {
    for (const { title, site } of programs()) {
      const names = [...new Set(site.nodes.map(({ node_id }) => node_id))].sort();
      const other = new Map(names.map((name, at) => [name, `m${String(names.length - at).padStart(4, '0')}`]));
      const { findings } = verify(site.workflow, site.registry);
      const after = verify(
        renamed(site.workflow, name => other.get(name) ?? name),
        site.registry,
      );
      const rules = (list: typeof findings): string[] =>
        list.map(finding => JSON.parse(keyOf(finding)).slice(0, 2).join(' '));
      expect([title, ...rules(after.findings)]).toEqual([title, ...rules(findings)]);
      expect(after.verdict).toBe(verify(site.workflow, site.registry).verdict);
    }
  });

  it('where nodes, edges, definitions and keys are in another order (VII1)', () => {
    for (const { title, site, draw } of programs()) {
      const shuffled = <T>(list: readonly T[]): T[] => {
        const left = [...list];
        return list.map(() => left.splice(draw(left.length), 1)[0] as T);
      };
      const turned = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(turned);
        if (typeof value !== 'object' || value === null) return value;
        return Object.fromEntries(shuffled(Object.entries(value)).map(([key, item]) => [key, turned(item)]));
      };
      const { nodes, edges, actions } = site;
      const document = turned({
        ...site.workflow,
        nodes: shuffled(nodes),
        edges: shuffled(edges),
        actions: shuffled(actions),
      });
      const { workflows = [], actions: known = [] } = site.registry;
      const registry = { ...site.registry, workflows: shuffled(workflows), actions: shuffled(known) };
      expect([title, ...keys(document, registry)]).toEqual([title, ...keys(site.workflow, site.registry)]);
    }
  });

  it('in YAML and in JSON', () => {
    for (const { title, site } of programs()) {
      const [fromJson] = readDocuments(JSON.stringify(site.workflow), { file: 'w.json' });
      const [fromYaml] = readDocuments(dump(site.workflow), { file: 'w.yaml' });
      expect([title, fromJson?.defects, fromYaml?.defects]).toEqual([title, [], []]);
      expect(verify(fromYaml?.value, site.registry)).toEqual(verify(fromJson?.value, site.registry));
    }
  });

  it('where a node is added that has nothing to do with them', () => {
    for (const { title, site } of programs()) {
      const before = keys(site.workflow, site.registry);
      const extra = site.pass();
      site.end(extra, 'default');
      site.aside(extra);
      expect([title, ...keys(site.workflow, site.registry)]).toEqual([title, ...before]);
    }
  });

  it('where an edge is split by a node that only passes on', () => {
    for (const { title, site } of programs()) {
      // The edge that is split may be one of the two.
      if (title.includes('repeated-edge')) continue;
      const before = keys(site.workflow, site.registry);
      const extra = site.pass();
      site.between(extra, extra, 'default');
      expect([title, ...keys(site.workflow, site.registry)]).toEqual([title, ...before]);
    }
  });
});
