import { readdirSync, readFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import { describe, expect, it } from 'vitest';
import type { Action, ActionNode, Edge, ErrorClass, Node, ProbeAnswer, Workflow } from '../schemas/types.js';
import { digest, hashOf } from './history/chain.js';
import { verifyText } from './history/verify-text.js';
import { runActionNode } from './model/action-node.js';
import { usableProbe } from './model/attempt.js';
import { CLASS_RETRIES, DETERMINISM_BOUND, resolveAction, retryLimit, waitBefore } from './model/contract.js';
import { evaluateExpression } from './model/expression.js';
import { refusalOf } from './model/expression-form.js';
import { drainsInstance, failureOf, finalStatus, fire, graphOf, type Resolution, takes } from './model/firing.js';
import { governanceRow } from './model/governance-gate.js';
import {
  type Decision,
  decideByCategory,
  decideInterrupted,
  mayRedo,
  undoAction,
  undoDecision,
} from './model/judgement.js';
import { evaluateMapping } from './model/mapping.js';
import { satisfiesRange } from './model/range.js';
import { readInstances } from './model/read-instance.js';
import { readJson } from './model/read-json.js';
import { stepsOf, undoRecovery } from './model/recovery-steps.js';
import { retriedByNode } from './model/retry-node.js';
import { riskOf } from './model/safety.js';
import { safetyDecision } from './model/safety-gate.js';
import { readProbe } from './model/script.js';
import { applyChanges, type Fold, versionsHold } from './model/state.js';
import { undoOrder } from './model/undo-order.js';
import { zonesOf } from './model/zones.js';
import type { Program } from './program.js';

interface Case {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: vectors are data of many shapes, whose schema another test checks
  readonly given: any;
  readonly expect?: unknown;
  readonly refuse?: string;
}

interface Vectors {
  readonly subject: string;
  readonly cases: readonly Case[];
}

const FOLDER = new URL('../spec/v1.0/vectors/', import.meta.url);
const FILES = readdirSync(FOLDER).filter(name => name.endsWith('.json') && !name.endsWith('.schema.json'));

class Refused extends Error {}

/** What the model makes of a case; it throws `Refused` with the word of the vector where it refuses. */
const SUBJECTS: Readonly<Record<string, (one: Case) => unknown>> = {
  'canonical-form': ({ given }) => {
    const read = readJson(given.text);
    if ('refused' in read) throw new Refused(read.refused);
    const canonical = canonicalize(read.value) ?? '';
    return { canonical, digest: digest(canonical) };
  },
  digest: ({ given: { of, text, value, member } }) => {
    if (of === 'text') return { digest: digest(text) };
    if (member === 'hash') return { digest: hashOf(value) };
    const { [member]: _, ...without } = of === 'value_without' ? value : {};
    return { digest: digest(canonicalize(of === 'value_without' ? without : value) ?? '') };
  },
  'state-changes': ({ given }) => {
    const fold: Fold = new Map();
    for (const { execution_id, state_changes } of given.commits) {
      if (!versionsHold(fold, state_changes)) throw new Refused('conflict');
      applyChanges(fold, state_changes, execution_id);
    }
    return { state: Object.fromEntries(fold) };
  },
  chain: ({ given: { lines, rest = '', from } }) => verifyText([...lines, rest].join('\n'), from),
  mapping: ({ given: { mapping, scope } }) => {
    const mapped = evaluateMapping(mapping, { ...scope, nodes: new Map(Object.entries(scope.nodes)) });
    if ('error' in mapped) throw new Refused(mapped.malformed === true ? 'mapping_invalid' : 'mapping_failed');
    return mapped;
  },
  expression: ({ given: { expression, variables } }) => {
    if (refusalOf(expression) !== undefined) throw new Refused('refused');
    const { nodes, ...scope } = variables;
    const outputs = Object.entries(nodes).map(([id, node]) => [id, (node as { outputs: object }).outputs] as const);
    const evaluated = evaluateExpression(expression, { ...scope, nodes: new Map(outputs) });
    if ('error' in evaluated) throw new Refused('error');
    return { value: typeof evaluated.value === 'bigint' ? Number(evaluated.value) : evaluated.value };
  },
  retry: ({ given: { error_class, determinism, max_retries } }) => {
    const classes = CLASS_RETRIES[error_class as ErrorClass];
    const bound = DETERMINISM_BOUND[determinism as Action['determinism']];
    const action = { ...PLAIN, determinism };
    const retries = retryLimit(error_class, action, {
      ...NODE,
      ...(max_retries === undefined ? {} : { retry_policy: { max_retries } }),
    });
    expect(retries).toBeLessThanOrEqual(Math.min(classes, bound));
    return { retries };
  },
  attempts: ({ given }) => {
    const { action, answers, retry_policy, probe } = given;
    const behaviours = answers.map((reply: object) => ('none' in reply ? {} : { reply }));
    const node: ActionNode = { ...NODE, ...(retry_policy && { retry_policy }) };
    const program = programOf([action, UNDO], node, {
      nodes: { n: behaviours },
      actions: { undo: [{ reply: { outputs: {} } }] },
      ...(probe && { probes: { n: { verdict: probe } } }),
    });
    const { attempts } = runActionNode(node, program, { inputs: {} }, new Map(), false);
    return {
      invocations: attempts,
      waits_ms: Array.from({ length: Math.max(0, attempts - 1) }, (_, k) => waitBefore(k + 1, retry_policy)),
    };
  },
  'retry-node': ({ given: { determinism, max_retries, max_attempts = 1, answers } }) => {
    const policy = max_retries === undefined ? {} : { retry_policy: { max_retries } };
    return retriedByNode({ ...PLAIN, determinism }, { ...NODE, ...policy }, max_attempts, answers);
  },
  firing: one => fired(one),
  reference: ({ given: { range, versions, document, registry } }) => {
    if (versions !== undefined) return { satisfied: versions.filter((one: string) => satisfiesRange(one, range)) };
    const all = (list: readonly string[], determinism: Action['determinism']) =>
      list.map(version => ({ ...PLAIN, version, determinism }));
    const program = programOf(all(document, 'deterministic'), NODE);
    const registered = { actions: all(registry, 'non_deterministic') };
    const found = resolveAction(`act@${range}`, { ...program, registry: registered } as Program);
    if (found === undefined) return { resolves_to: null };
    return { resolves_to: found.version, in: found.determinism === 'deterministic' ? 'document' : 'registry' };
  },
  verification: one => plausible(one),
  standing: ({ given: { workflow, records } }) => {
    const program: Program = { workflow, inputs: {}, script: { nodes: {} }, kills: [] };
    const [instance] = readInstances(program, records);
    const resolved = [...(instance?.resolved ?? [])];
    const ended = resolved.filter(([, { outcome }]) => outcome !== 'running');
    return {
      trace: Object.fromEntries(ended.map(([id, { outcome, attempts }]) => [id, { outcome, attempts }])),
      outputs: Object.fromEntries(ended.flatMap(([id, { outputs }]) => (outputs === undefined ? [] : [[id, outputs]]))),
      open: resolved.flatMap(([id, { outcome }]) => (outcome === 'running' ? [id] : [])).sort(),
    };
  },
  'undo-order': ({ given }) => ({ undo: undoOrder(given.instance, given.instances, given.records) }),
  recovery: one => recovered(one),
  'safety-level': ({ given }) => ({ safety_level: riskOf(programOf(given.actions, NODE)).level }),
  'partial-failure': ({ given: { workflow, registry } }) => {
    const { actions = [], workflows = [] } = registry ?? {};
    return {
      zones: zonesOf({ workflow, actions, workflows }).map(({ handled_by, remains, ...zone }) => ({
        ...zone,
        ...(handled_by === undefined ? {} : { handled_by }),
        remains: remains.slice(0, 8),
        ...(remains.length > 8 ? { more: true } : {}),
      })),
    };
  },
  'governance-gate': ({ given }) => {
    const { reasons, ...rest } = governanceRow(given);
    return { ...rest, reasons: [...reasons].sort() };
  },
  'safety-gate': ({ given }) => {
    const { decision, reasons } = safetyDecision(given);
    return { decision, reasons: [...reasons].sort() };
  },
};

const NODE: ActionNode = { node_id: 'n', type: 'action', action_def: 'act@^1.0.0' };
const PLAIN: Action = {
  action_id: 'act',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
};
const UNDO: Action = { ...PLAIN, action_id: 'undo' };

function programOf(actions: readonly Action[], node: Node, script: Program['script'] = { nodes: {} }): Program {
  const workflow: Workflow = {
    schema_version: '1.0',
    workflow: { name: 'vector', version: '1.0.0' },
    actions: [...actions],
    nodes: [node],
    edges: [],
  };
  return { workflow, inputs: {}, script, kills: [] };
}

function fired({ given, expect: expected }: Case): unknown {
  const { graph, outcomes } = given as { graph: { nodes: Node[]; edges: Edge[]; start?: string }; outcomes: Outcomes };
  const { before = [], free = [], taken: wanted } = expected as Wanted;
  const workflow = { name: 'vector', version: '1.0.0', ...(graph.start === undefined ? {} : { start: graph.start }) };
  const whole = graphOf({ schema_version: '1.0', workflow, nodes: graph.nodes, edges: graph.edges });
  const results = [0, 1, 2].map(turn =>
    fire(
      whole,
      node => resolutionOf(node, outcomes, whole),
      n => turn % n,
    ),
  );
  for (const resolved of results) {
    const order = [...resolved.keys()];
    for (const [first, second] of before) expect(order.indexOf(first)).toBeLessThan(order.indexOf(second));
    expect(withoutFree(resolved, free)).toEqual(withoutFree(results[0] ?? new Map(), free));
  }
  const resolved = results[0] ?? new Map<string, Resolution>();
  const taken = graph.edges
    .filter(edge => takes(withoutFree(resolved, free)[edge.from_node] ?? { outcome: 'skipped', attempts: 0 }, edge))
    .map(({ from_node, label, to_node }) => [from_node, label, to_node]);
  expect(taken.sort(byText)).toEqual([...wanted].sort(byText));
  const status = finalStatus(whole, resolved);
  const error = status === 'failed' ? failureOf(whole, resolved) : undefined;
  return {
    trace: Object.fromEntries(Object.entries(withoutFree(resolved, free)).map(([id, { outcome }]) => [id, outcome])),
    taken: wanted,
    status,
    ...(error === undefined ? {} : { error }),
    ...(before.length === 0 ? {} : { before }),
    ...(free.length === 0 ? {} : { free }),
  };
}

interface Wanted {
  readonly before?: [string, string][];
  readonly free?: string[];
  readonly taken: string[][];
}

function withoutFree(resolved: ReadonlyMap<string, Resolution>, free: readonly string[]): Record<string, Resolution> {
  return Object.fromEntries([...resolved].filter(([id]) => !free.includes(id)));
}

const RULES = new Map<string, string>([
  ['SCHEMA', 'blocking'],
  ...Array.from({ length: 17 }, (_, at) => `S${at + 1}`).map(
    rule => [rule, ['S6', 'S11', 'S15', 'S17'].includes(rule) ? 'warning' : 'blocking'] as const,
  ),
]);

/** The model has no verifier: that the case agrees with the tables of Ch8 on severities and verdicts is all it can say. */
function plausible({ given: { workflow }, expect: expected }: Case): unknown {
  const { findings } = expected as { findings: { rule: string; severity: string; node_id?: string }[] };
  const ids = new Set(workflow.nodes.map(({ node_id }: Node) => node_id));
  for (const { rule, severity, node_id } of findings) {
    expect([rule, severity]).toEqual([rule, RULES.get(rule)]);
    if (node_id !== undefined) expect(ids.has(node_id)).toBe(true);
  }
  const worst = findings.some(({ severity }) => severity === 'blocking') ? 'FAIL' : 'PASS_WITH_WARNINGS';
  return { verdict: findings.length === 0 ? 'PASS' : worst, findings };
}

type Outcomes = Readonly<Record<string, { outcome?: string; error_class?: ErrorClass; value?: unknown; error?: true }>>;

function resolutionOf(node: Node, outcomes: Outcomes, graph: ReturnType<typeof graphOf>): Resolution {
  if (node.type === 'terminal') return { outcome: node.status, attempts: 0 };
  const { outcome = 'failure', error_class = 'E4', value } = outcomes[node.node_id] ?? {};
  if (node.type === 'condition' && (typeof value === 'boolean' || typeof value === 'string')) {
    const labels = new Set((graph.outs.get(node.node_id) ?? []).map(edge => edge.label));
    const label = [String(value), 'default'].find(word => labels.has(word));
    if (label !== undefined) return { outcome: label, attempts: 0 };
  }
  if (outcome !== 'failure') return { outcome, attempts: 0 };
  return { outcome, attempts: 0, error_class, drains: drainsInstance(graph, node, error_class) };
}

function recovered({ given, expect: expected }: Case): unknown {
  const { situation, action, undo: declared, redos, governance, failure, undo_ends = 'committed' } = given;
  const program = programOf(declared === undefined ? [action] : [action, declared], NODE);
  const undo = undoAction(action, program);
  const answer: ProbeAnswer =
    given.answer === undefined || 'error' in given.answer ? { verdict: 'unknown' } : given.answer;
  if (situation === 'undo_interrupted') {
    const { verdict } = readProbe(declared, answer);
    const { decision, steps } = undoRecovery(verdict, redos, undo_ends);
    return withFailure({ decision, steps, probe: verdict }, 'E3');
  }
  const effects = (action.side_effects ?? []).length > 0;
  const own = { inputs: {} };
  const read: ProbeAnswer = effects ? readProbe(action, answer) : { verdict: 'absent' };
  const probe = usableProbe(read, action, NODE, own, own);
  const asked = situation === 'refused' ? 'unknown' : probe.verdict;
  let decision: Decision;
  if (situation === 'failed') decision = decideByCategory(action, asked, undo);
  else if (situation === 'refused') decision = undoDecision(action, undo);
  else {
    decision = decideInterrupted(action, asked, undo);
    const spent = redos >= 3 || governance === 'denied';
    if (decision === 'redo' && mayRedo(action) && spent) decision = decideByCategory(action, asked, undo);
  }
  const conflicts = decision === 'commit' && !versionsHold(new Map(), probe.state_changes ?? []);
  if (conflicts) decision = undoDecision(action, undo);
  expect(expected).toHaveProperty('probe');
  const live = situation === 'failed' && !conflicts ? failure.error_class : 'E4';
  const error_class = situation === 'interrupted' && !conflicts ? 'E3' : live;
  return withFailure(
    { decision, steps: stepsOf(decision, undo_ends), probe: conflicts ? 'partial' : asked },
    error_class,
  );
}

function withFailure<T extends { readonly steps: readonly (readonly (readonly string[])[])[] }>(
  seen: T,
  error_class: string,
) {
  const failed = seen.steps.flat().some(([, status, of]) => status === 'failed' && of === 'original');
  return failed ? { ...seen, error_class } : seen;
}

/** Subjects of which the suite has no model; a runtime alone judges their cases. */
const JUDGED_BY_RUNTIMES_ONLY: ReadonlySet<string> = new Set(['verification']);
const NOT_JUDGED =
  ', NOT judged by the model, which has no verifier: a runtime alone judges them; only their form is looked at here';

for (const file of FILES) {
  const { subject, cases }: Vectors = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
  describe(`${file}: ${cases.length} cases${JUDGED_BY_RUNTIMES_ONLY.has(subject) ? NOT_JUDGED : ''}`, () => {
    const judge = SUBJECTS[subject];
    let judged = 0;
    it.each(cases.map(one => [one.name, one] as const))('%s', (_, one) => {
      judged += 1;
      if (judge === undefined) throw new Error(`The model judges nothing of the subject '${subject}'.`);
      if (one.refuse === undefined) expect(judge(one)).toEqual(one.expect);
      else expect(() => judge(one)).toThrow(new Refused(one.refuse));
    });
    it('every case is judged', () => expect([judged, judged > 0]).toEqual([cases.length, true]));
  });
}

it('every subject has vectors', () => {
  const subjects = FILES.map(file => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')).subject);
  expect(subjects.sort()).toEqual(Object.keys(SUBJECTS).sort());
});

function byText(a: readonly string[], b: readonly string[]): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
