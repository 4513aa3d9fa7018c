import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifyChain } from './audit/chain.js';
import { verifyText } from './audit/interchange.js';
import type { Log } from './audit/log.js';
import { undosOf } from './audit/undo-order.js';
import { ArsError } from './error.js';
import { compileExpression } from './execution/expression.js';
import { retriesAllowed } from './execution/retry.js';
import { decideSafety } from './governance/confirmation.js';
import { decideGovernance, governanceFault } from './governance/gate.js';
import { readGovernance } from './governance/governance-gate.js';
import { levelOf } from './governance/safety.js';
import { canonicalize, digest, digestText } from './state/canonical.js';
import { foldState, toState } from './state/state.js';
import { firingOf, retryOf, standingOf } from './vector-firing.fixture.js';
import { attemptsOf, recoveryOf } from './vector-recovery.fixture.js';
import { verify } from './verification/index.js';
import { compileMapping } from './workflow/mapping.js';
import { planWorkflow } from './workflow/plan.js';
import { highestMatch, sourceOf } from './workflow/resolve.js';
import { readDocuments } from './workspace/document.js';

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

const FOLDER = new URL('../../spec/v1.0/vectors/', import.meta.url);
const FILES = readdirSync(FOLDER).filter(name => name.endsWith('.json') && !name.endsWith('.schema.json'));
const REFUSED = 'refused';

/** What this runtime makes of a case: the value, or an `ArsError` where it refuses. */
const SUBJECTS: Readonly<Record<string, (one: Case) => unknown>> = {
  'canonical-form': ({ given }) => {
    const [document] = readDocuments(given.text, { file: 'vector.json', format: 'json' });
    if (document === undefined || document.defects.length > 0) return REFUSED;
    return { canonical: canonicalize(document.value), digest: digest(document.value) };
  },
  digest: ({ given }) => {
    if (given.of === 'text') return { digest: digestText(given.text) };
    const { [given.member]: _, ...without } = given.of === 'value_without' ? given.value : {};
    return { digest: digest(given.of === 'value_without' ? without : given.value) };
  },
  'state-changes': ({ given }) => {
    const records = given.commits.map((commit: object) => ({ record_type: 'action', status: 'committed', ...commit }));
    return { state: toState(foldState(records)) };
  },
  chain: ({ given: { lines, rest = '', from } }) => {
    const text = [...lines, rest].join('\n');
    const verdict = from === undefined ? verifyText(text) : verifyChain(lines, from);
    return verdict.ok ? verdict : { ok: false, first_bad_sequence: verdict.first_bad_sequence };
  },
  mapping: ({ given: { mapping, scope } }) => {
    const nodes = (id: string) => (Object.hasOwn(scope.nodes, id) ? scope.nodes[id] : undefined);
    return { value: compileMapping(mapping).evaluate({ ...scope, nodes }) };
  },
  expression: ({ given: { expression, variables } }) => ({ value: compileExpression(expression).evaluate(variables) }),
  retry: ({ given: { error_class, determinism, max_retries } }) => {
    const policy = max_retries === undefined ? {} : { policy: { max_retries } };
    return { retries: retriesAllowed(error_class, { determinism, ...policy }) };
  },
  attempts: ({ given }) => attemptsOf(given),
  'retry-node': ({ given }) => retryOf(given),
  firing: ({ given, expect: expected }) => {
    const { taken, order, trace, ...seen } = firingOf(given);
    const { before = [], free = [], taken: wanted } = expected as FiringExpected;
    expect(taken.filter(([from = '']) => !free.includes(from)).sort(byText)).toEqual([...wanted].sort(byText));
    for (const [first, second] of before) expect(order.indexOf(first)).toBeLessThan(order.indexOf(second));
    return {
      ...seen,
      trace: Object.fromEntries(Object.entries(trace).filter(([node]) => !free.includes(node))),
      taken: wanted,
      ...(before.length === 0 ? {} : { before }),
      ...(free.length === 0 ? {} : { free }),
    };
  },
  'undo-order': ({ given }) => {
    const below = new Set<string>();
    const resumed = new Map<string, string>(
      given.instances.map((one: { execution_id: string; resumes?: string }) => [one.execution_id, one.resumes]),
    );
    for (let at: string | undefined = given.instance; at !== undefined; at = resumed.get(at)) below.add(at);
    for (const { execution_id, parent_execution_id } of given.instances)
      if (below.has(parent_execution_id)) below.add(execution_id);
    return { undo: undosOf(given.records, below) };
  },
  standing: ({ given }) => standingOf(given),
  recovery: ({ given }) => recoveryOf(given),
  reference: ({ given: { range, versions, document, registry } }) => {
    const all = (list: readonly string[]) => list.map(version => ({ version }));
    if (versions !== undefined)
      return { satisfied: versions.filter((one: string) => highestMatch(all([one]), range) !== undefined) };
    const own = highestMatch(all(document), range);
    const found = own ?? highestMatch(all(registry), range);
    return { resolves_to: found?.version ?? null, ...(found && { in: own === undefined ? 'registry' : 'document' }) };
  },
  verification: ({ given: { workflow, registry }, expect: expected }) => {
    const { verdict, findings } = verify(workflow, registry);
    const seen = findings.map(({ rule, severity, node_id, edge }) => ({
      rule,
      severity,
      ...(node_id === undefined ? {} : { node_id }),
      ...(edge === undefined ? {} : { edge }),
    }));
    const { findings: wanted } = expected as { findings: object[] };
    expect(seen.map(keyOf).sort()).toEqual(wanted.map(keyOf).sort());
    return { verdict, findings: wanted };
  },
  'safety-level': ({ given: { actions } }) => {
    const node = { node_id: 'n', type: 'action' as const, action_def: 'act@^1.0.0' };
    const workflow = { name: 'vector', version: '1.0.0' };
    const plan = planWorkflow({ schema_version: '1.0', workflow, actions, nodes: [node], edges: [] }, sourceOf([]));
    return { safety_level: levelOf(plan) };
  },
  'partial-failure': ({ given: { workflow, registry } }) => ({
    zones: verify(workflow, registry).safety?.zones.map(({ message: _, ...zone }) => zone),
  }),
  'governance-gate': ({ given }) => {
    const { agent_id, names: closure, safety_level: level, now, confirmed, dry_run, workflow, inputs, context } = given;
    const stored = readGovernance(storeOf(given), agent_id);
    if ('fault' in stored) return codes(governanceFault(stored.fault, stored.agent?.trust ?? 'UNKNOWN'));
    const { permissions, agent } = stored;
    const policies = { stored: stored.policies, workflow, inputs, context };
    const facts = { agent_id, permissions, closure, level, now, confirmed, dry_run, policies };
    const { confirmation_needed: _, ...said } = decideGovernance(agent === undefined ? facts : { ...facts, agent });
    return codes(said);
  },
  'safety-gate': ({ given }) => {
    const { safety_level: level, start, now, dry_run_recorded: dry_run, confirmation_id, ...more } = given;
    const facts = { level, start, now, dry_run };
    if (confirmation_id === undefined) return codes(decideSafety(facts));
    const { confirmation, used_by, approver_permitted: approver_fit = false } = more;
    const known = { ...(confirmation && { confirmation }), ...(used_by && { used_by }) };
    return codes(decideSafety({ ...facts, given: { confirmation_id, approver_fit, ...known } }));
  },
};

interface FiringExpected {
  readonly before?: [string, string][];
  readonly free?: string[];
  readonly taken: string[][];
}

/** What is stored where a gate decides on these facts. */
function storeOf({ agent_id, agent, permissions, policies }: Case['given']): Log {
  const store: Pick<Log, 'document' | 'documents'> = {
    document: (kind, id) => (kind === 'agent' && id === agent_id ? agent : undefined),
    *documents(kind) {
      const values: readonly unknown[] = kind === 'permission' ? permissions : kind === 'policy' ? policies : [];
      for (const [at, value] of values.entries()) yield { id: `${kind}-${at}`, value };
    },
  };
  return store as Log;
}

function keyOf(value: object): string {
  return JSON.stringify(canonicalize(value));
}

/** The code that an `ArsError` of a refused case has, where it can have only one. */
const CODES: Readonly<Record<string, string>> = {
  mapping_failed: 'mapping_failed',
  mapping_invalid: 'mapping_invalid',
  error: 'expression_failed',
  refused: 'expression_invalid',
  conflict: 'log_corrupt',
};

for (const file of FILES) {
  const { subject, cases }: Vectors = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
  describe(`${file}: ${cases.length} cases`, () => {
    const judge = SUBJECTS[subject];
    let judged = 0;
    it.each(cases.map(one => [one.name, one]))('%s', async (_, value) => {
      const one = value as Case;
      judged += 1;
      if (judge === undefined) throw new Error(`This runtime judges nothing of the subject '${subject}'.`);
      if (one.refuse === undefined) expect(await judge(one)).toEqual(one.expect);
      else {
        const outcome = await outcomeOf(judge, one);
        const code = CODES[one.refuse];
        if (code === undefined) expect(outcome === REFUSED || outcome instanceof ArsError).toBe(true);
        else expect(outcome).toMatchObject({ code });
      }
    });
    it('every case is judged', () => expect([judged, judged > 0]).toEqual([cases.length, true]));
  });
}

it('every subject has vectors', () => {
  const subjects = FILES.map(file => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')).subject);
  expect(subjects.sort()).toEqual(Object.keys(SUBJECTS).sort());
});

async function outcomeOf(judge: (one: Case) => unknown, one: Case): Promise<unknown> {
  try {
    return await judge(one);
  } catch (error) {
    if (error instanceof ArsError) return error;
    throw error;
  }
}

function byText(a: readonly string[], b: readonly string[]): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

function codes({ reasons, ...rest }: { readonly reasons: readonly { readonly code: string }[] }): object {
  return { ...rest, reasons: reasons.map(({ code }) => code).sort() };
}
