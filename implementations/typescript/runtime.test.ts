import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action, AuditRecord, Edge, Node, Workflow } from '../../schemas/types.js';
import { checkLifecycle } from './audit/lifecycle.js';
import { ArsError } from './error.js';
import type { ActionFunctions } from './execution/functions.js';
import { pure as inert } from './nodes.fixture.js';
import { OWNER, Runtime } from './runtime.js';
import { openReader } from './store/store.js';

let workspace: string;
let runtime: Runtime;

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'ars-runtime-'));
});
afterEach(async () => {
  await runtime.close();
  rmSync(workspace, { recursive: true, force: true });
});

const pure: Action = { ...inert, idempotent: true };

function workflow(nodes: Node[], edges: [string, string, string][], more: Partial<Workflow> = {}): Workflow {
  const list: Edge[] = edges.map(([from_node, to_node, label]) => ({ from_node, to_node, label }));
  return {
    schema_version: '1.0',
    workflow: { name: 'flow', version: '1.0.0' },
    actions: [pure],
    nodes,
    edges: list,
    ...more,
  };
}

const step = (node_id: string, more: object = {}): Node =>
  ({ node_id, type: 'action', action_def: 'pure@^1', ...more }) as Node;
const done: Node = { node_id: 'done', type: 'terminal', status: 'completed' };
const one = (more: object = {}, rest: Partial<Workflow> = {}) =>
  workflow([step('a', more), done], [['a', 'done', 'success']], rest);

async function open(actions: ActionFunctions, more: object = {}): Promise<void> {
  runtime = await Runtime.open({ workspace, actions, ...more });
}

async function run(document: Workflow, inputs: Record<string, unknown> = {}) {
  const execution_id = await runtime.start({ workflow: document, inputs, agent_id: OWNER });
  return runtime.wait(execution_id, 20_000);
}

const unreadable = {
  get a() {
    throw new Error('no');
  },
};

function recordsOf(folder: string): AuditRecord[] {
  const reader = openReader(folder);
  try {
    return [...reader.records()];
  } finally {
    reader.close();
  }
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    error => (error instanceof ArsError ? error.code : `${error}`),
  );
}

describe('a run', () => {
  it('passes values on, branches, joins, and ends with its outputs', async () => {
    await open({ pure: ({ inputs }) => ({ outputs: { n: Number(inputs.n) + 1 } }) });
    const result = await run(
      workflow(
        [
          step('first', { input_mapping: { n: '${inputs.n}' }, fan_out: 'parallel' }),
          { node_id: 'big', type: 'condition', expression: 'nodes.first.outputs.n > 5' },
          step('left', { input_mapping: { n: '${nodes.first.outputs.n}' } }),
          step('yes', { input_mapping: { n: 100 } }),
          step('no', { input_mapping: { n: 0 } }),
          step('either', { input_mapping: { n: '${nodes.yes.outputs.n ?? nodes.no.outputs.n}' }, join_type: 'OR' }),
          step('both', { input_mapping: { n: '${nodes.either.outputs.n}' }, join_type: 'AND' }),
          done,
        ],
        [
          ['first', 'big', 'success'],
          ['first', 'left', 'success'],
          ['big', 'yes', 'true'],
          ['big', 'no', 'false'],
          ['yes', 'either', 'success'],
          ['no', 'either', 'success'],
          ['left', 'both', 'success'],
          ['either', 'both', 'success'],
          ['both', 'done', 'success'],
        ],
        { inputs: { n: { schema: { type: 'number' } } }, outputs: { total: '${nodes.both.outputs.n}' } },
      ),
      { n: 7 },
    );
    expect(result.status).toBe('completed');
    expect(result.outputs).toEqual({ total: 103 });
    expect(Object.fromEntries(result.trace.map(t => [t.node_id, t.outcome]))).toEqual({
      first: 'success',
      big: 'true',
      left: 'success',
      yes: 'success',
      no: 'skipped',
      either: 'success',
      both: 'success',
      done: 'completed',
    });
    expect(checkLifecycle(runtime.records()).ok).toBe(true);
  });

  it('writes a chain of conditions of any length without recursion', async () => {
    await open({});
    const length = 20_000;
    const nodes: Node[] = [];
    const edges: [string, string, string][] = [];
    for (let i = 0; i < length; i++) {
      nodes.push({ node_id: `c${i}`, type: 'condition', expression: 'true' });
      edges.push([`c${i}`, i + 1 < length ? `c${i + 1}` : 'done', 'true']);
    }
    for (let i = 0; i < length; i++) edges.push([`c${i}`, 'no', 'default']);
    const no: Node = { node_id: 'no', type: 'terminal', status: 'failed', join_type: 'OR' };
    const result = await run(workflow([...nodes, done, no], edges));
    expect(result.status).toBe('completed');
    expect(result.trace.length).toBe(length + 2);
  });

  it('retries what its class and policy allow, and counts the attempts', async () => {
    let calls = 0;
    await open({
      pure: () => {
        calls += 1;
        return calls < 3
          ? { error: { error_class: 'E1', detail: 'down', effect: 'none' } }
          : { outputs: { at: calls } };
      },
    });
    const result = await run(one({ retry_policy: { max_retries: 2, backoff_ms: 1 } }));
    expect(result.trace).toContainEqual({ node_id: 'a', outcome: 'success', attempts: 3 });
    const keys = new Set([...runtime.records({ record_type: 'action' })].map(r => r.idempotency_key));
    expect(keys.size).toBe(1);
  });

  it('drains after a failure that nothing handles', async () => {
    await open({
      pure: ({ node_id }) =>
        node_id === 'bad' ? { error: { error_class: 'E2', detail: 'no', effect: 'none' } } : { outputs: {} },
    });
    const result = await run(
      workflow(
        [step('s', { fan_out: 'parallel' }), step('bad'), step('good'), step('after'), { ...done, join_type: 'AND' }],
        [
          ['s', 'bad', 'success'],
          ['s', 'good', 'success'],
          ['good', 'after', 'success'],
          ['bad', 'done', 'success'],
          ['after', 'done', 'success'],
        ],
      ),
    );
    expect(result.status).toBe('failed');
    expect(result.error).toEqual({ error_class: 'E2', detail: 'no', node_id: 'bad' });
    expect(result.trace).toContainEqual({ node_id: 'after', outcome: 'success', attempts: 1 });
    expect(result.trace).toContainEqual({ node_id: 'done', outcome: 'skipped', attempts: 0 });
  });

  it('fails an attempt at its limit of time and ignores what comes later', async () => {
    const late: string[] = [];
    await open(
      { pure: (_, signal) => new Promise(resolve => signal.addEventListener('abort', () => resolve({ outputs: {} }))) },
      { late: (id: string) => late.push(id) },
    );
    const result = await run(one({ timeout_ms: 20 }));
    expect(result.error?.error_class).toBe('E3');
    expect(late.length).toBe(1);
  });

  it('asks a probe within the limit of the action, whatever that of the node is', async () => {
    const invoke = (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
    const probe = async () => {
      await new Promise(resolve => setTimeout(resolve, 80));
      return { verdict: 'applied' as const, outputs: {} };
    };
    await open({ asked: { invoke, probe }, pure: () => ({ outputs: {} }) });
    const asked = {
      action_id: 'asked',
      version: '1.0.0',
      determinism: 'deterministic',
      rollback: 'rollbackable',
    } as const;
    const actions = [
      { ...asked, side_effects: ['filesystem' as const], probe: true, revert: 'pure@^1.0.0' },
      { ...asked, action_id: 'pure', side_effects: [] },
    ];
    const result = await run(one({ action_def: 'asked@^1.0.0', timeout_ms: 20 }, { actions }));
    expect(result.status).toBe('completed');
  });

  it('keeps large evidence by digest and small evidence in the record', async () => {
    const large = 'x'.repeat(20_000);
    await open({
      pure: ({ node_id }) => ({ outputs: {}, evidence: (node_id === 'a' ? large : 'small') as never }),
    });
    await run(
      workflow(
        [step('a'), step('b'), done],
        [
          ['a', 'b', 'success'],
          ['b', 'done', 'success'],
        ],
      ),
    );
    const [a, b] = [...runtime.records({ status: 'committed' })];
    expect(runtime.evidence(a?.evidence_ref as string)).toBe(large);
    expect(a?.evidence).toBeUndefined();
    expect(b?.evidence).toBe('small');
    expect(b?.evidence_ref).toBeUndefined();
  });

  it('writes State with the commit, and fails on a version conflict without a retry', async () => {
    await open({
      pure: ({ node_id }) => ({
        outputs: {},
        state_changes: [{ key: 'k', op: 'put', value: node_id as never, expected_version: 0 }],
      }),
    });
    const result = await run(
      workflow(
        [step('a'), step('b'), done],
        [
          ['a', 'b', 'success'],
          ['b', 'done', 'success'],
        ],
      ),
    );
    expect(result.error).toEqual({ error_class: 'E4', detail: 'conflict', node_id: 'b' });
    expect(runtime.state().state.k).toMatchObject({ value: 'a', version: 1 });
  });

  it('gives one instance for one request_key of one agent', async () => {
    await open({ pure: () => ({ outputs: {} }) });
    const start = (agent_id: string) => runtime.start({ workflow: one(), inputs: {}, agent_id, request_key: 'k' });
    const [a, b] = await Promise.all([start(OWNER), start(OWNER)]);
    expect(a).toBe(b);
    expect([...runtime.records({ status: 'workflow_started' })].length).toBe(1);
  });

  it('lets many instances run side by side', async () => {
    await open({ pure: ({ inputs }) => ({ outputs: { n: inputs.n } }) });
    const document = one(
      { input_mapping: { n: '${inputs.n}' } },
      { inputs: { n: {} }, outputs: { n: '${nodes.a.outputs.n}' } },
    );
    const results = await Promise.all(Array.from({ length: 32 }, (_, n) => run(document, { n })));
    expect(results.map(r => r.outputs?.n)).toEqual(Array.from({ length: 32 }, (_, n) => n));
    expect(checkLifecycle(runtime.records()).ok).toBe(true);
  });

  it('ends a cancelled instance when nothing is in flight', async () => {
    let release = () => {};
    await open({ pure: () => new Promise(resolve => (release = () => resolve({ outputs: {} }))) });
    const document = workflow(
      [step('a'), step('b'), done],
      [
        ['a', 'b', 'success'],
        ['b', 'done', 'success'],
      ],
    );
    const execution_id = await runtime.start({ workflow: document, inputs: {}, agent_id: OWNER });
    expect((await runtime.wait(execution_id, 50)).status).toBe('running');
    await runtime.cancel(execution_id, OWNER);
    release();
    const result = await runtime.wait(execution_id, 5_000);
    expect(result.error).toEqual({ error_class: 'E0', detail: 'cancelled' });
    expect(result.trace).toEqual([{ node_id: 'a', outcome: 'success', attempts: 1 }]);
  });

  it('resumes an ended instance as a new one that carries over what committed', async () => {
    const calls: string[] = [];
    let broken = true;
    await open({
      pure: ({ node_id = '' }) => {
        calls.push(node_id);
        if (node_id === 'b' && broken) return { error: { error_class: 'E2', detail: 'no', effect: 'none' } };
        return { outputs: { from: node_id } };
      },
    });
    const document = workflow(
      [step('a'), step('b', { input_mapping: { x: '${nodes.a.outputs.from}' } }), done],
      [
        ['a', 'b', 'success'],
        ['b', 'done', 'success'],
      ],
      { outputs: { a: '${nodes.a.outputs.from}' } },
    );
    const first = await runtime.start({ workflow: document, inputs: {}, agent_id: OWNER });
    expect((await runtime.wait(first, 5_000)).status).toBe('failed');
    broken = false;
    const second = (await runtime.resume(first, OWNER)) as string;
    const result = await runtime.wait(second, 5_000);
    expect(result.outputs).toEqual({ a: 'a' });
    expect(calls).toEqual(['a', 'b', 'b']);
    expect(result.trace).toContainEqual({ node_id: 'a', outcome: 'success', attempts: 0 });
    expect(await codeOf(runtime.resume(second, OWNER))).toBe('illegal_state');
    await runtime.close();
    await open({});
    expect(await runtime.wait(second, 0)).toEqual(result);
  });
});

describe('what an instance sees', () => {
  it('is out of reach of its actions', async () => {
    const kept: Record<string, unknown>[] = [];
    await open({
      pure: ({ inputs, context, node_id }) => {
        const outputs: Record<string, unknown> = { list: [node_id] };
        kept.push(outputs);
        (inputs.list as unknown[] | undefined)?.push('changed');
        context.changed = true;
        for (const earlier of kept) if (earlier !== outputs) earlier.list = 'changed';
        return { outputs };
      },
    });
    const result = await run(
      workflow(
        [
          step('a'),
          step('b', { input_mapping: { list: '${nodes.a.outputs.list}' } }),
          step('c', { input_mapping: { list: '${nodes.a.outputs.list}' } }),
          done,
        ],
        [
          ['a', 'b', 'success'],
          ['b', 'c', 'success'],
          ['c', 'done', 'success'],
        ],
        { outputs: { list: '${nodes.a.outputs.list}' as never } },
      ),
    );
    expect(result.outputs).toEqual({ list: ['a'] });
    const pendings = [...runtime.records({ status: 'pending' })];
    expect(pendings.map(r => r.inputs)).toEqual([{}, { list: ['a'] }, { list: ['a'] }]);
  });

  it('is told to subscribers as it becomes durable, whatever they do', async () => {
    await open({ pure: () => ({ outputs: {} }) });
    const told: number[] = [];
    runtime.subscribe(() => {
      throw new Error('of the subscriber');
    });
    const stop = runtime.subscribe(record => told.push(record.sequence));
    await run(one());
    stop();
    await run(one());
    const first = [...runtime.records({ status: 'workflow_completed' })][0];
    expect(told).toEqual(Array.from({ length: first?.sequence ?? 0 }, (_, at) => at + 1));
  });

  it('runs at most as many invocations side by side as the start allows', async () => {
    let running = 0;
    let most = 0;
    await open({
      pure: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(resolve => setTimeout(resolve, 5));
        running -= 1;
        return { outputs: {} };
      },
    });
    const names = Array.from({ length: 6 }, (_, at) => `b${at}`);
    const document = workflow(
      [step('s', { fan_out: 'parallel' }), ...names.map(name => step(name)), { ...done, join_type: 'AND' }],
      names.flatMap((name): [string, string, string][] => [
        ['s', name, 'success'],
        [name, 'done', 'success'],
      ]),
    );
    const execution_id = await runtime.start({ workflow: document, inputs: {}, agent_id: OWNER, max_parallel: 2 });
    expect((await runtime.wait(execution_id, 10_000)).status).toBe('completed');
    expect(most).toBe(2);
  });
});

describe('a clock', () => {
  it('may go backwards, but has to tell a time', async () => {
    let now = Date.now();
    await open({ pure: () => ({ outputs: {} }) }, { clock: () => (now -= 10_000) });
    expect((await run(one())).status).toBe('completed');
    const times = [...runtime.records()].map(record => record.timestamp);
    expect(times).toEqual(times.toSorted());
    await runtime.close();
    let broken = false;
    await open({ pure: () => ({ outputs: {} }) }, { clock: () => (broken ? Number.NaN : now) });
    broken = true;
    expect(await codeOf(runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER }))).toBe('usage');
  });
});

describe('parameters that make no sense', () => {
  it.each<[string, object, string]>([
    ['no inputs', { inputs: undefined }, 'invalid_document'],
    ['inputs in a list', { inputs: [] }, 'invalid_document'],
    ['inputs that cannot be read', { inputs: unreadable }, 'not_canonical'],
    ['no agent', { agent_id: undefined }, 'invalid_document'],
    ['an agent that is no identifier', { agent_id: 'a b' }, 'invalid_document'],
    ['an empty request_key', { request_key: '' }, 'invalid_document'],
    ['no place for an invocation', { max_parallel: 0 }, 'invalid_document'],
    ['half a place for an invocation', { max_parallel: 0.5 }, 'invalid_document'],
    ['a context in a list', { context: [] }, 'invalid_document'],
    ['a parameter that there is not', { maxParallel: 1 }, 'invalid_document'],
  ])('are refused and leave no record: %s', async (_, wrong, code) => {
    await open({ pure: () => ({ outputs: {} }) });
    const start = runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER, ...wrong });
    expect(await codeOf(start)).toBe(code);
    expect([...runtime.records()]).toEqual([]);
  });

  it('are refused by wait, and never give the result of another instance', async () => {
    await open({ pure: () => ({ outputs: {} }) });
    const execution_id = await runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER });
    expect(await codeOf(runtime.wait(execution_id, Number.NaN))).toBe('invalid_document');
    expect((await runtime.wait(execution_id, 5_000)).status).toBe('completed');
    expect(await codeOf(runtime.wait(undefined as unknown as string, 0))).toBe('not_found');
  });
});

describe('an action without code', () => {
  it('is refused before anything of the start is recorded, by name', async () => {
    await open({ other: () => ({ outputs: {} }) });
    const start = runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER });
    await expect(start).rejects.toMatchObject({ code: 'not_found', details: { actions: ['pure@1.0.0'] } });
    expect([...runtime.records()]).toEqual([]);
  });

  it('is refused where only an undo lacks it', async () => {
    await open({ pure: () => ({ outputs: {} }) });
    const undo = { ...pure, action_id: 'undo' };
    const document = one({}, { actions: [{ ...pure, revert: 'undo@^1' }, undo] });
    const start = runtime.start({ workflow: document, inputs: {}, agent_id: OWNER });
    await expect(start).rejects.toMatchObject({ code: 'not_found', details: { actions: ['undo@1.0.0'] } });
  });

  it('leaves an interrupted instance as it is until there is code', async () => {
    await open({ pure: () => new Promise(() => undefined) });
    const execution_id = await runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER });
    await runtime.wait(execution_id, 20);
    await runtime.close();
    const recorded = recordsOf(workspace);
    await open({ other: () => ({ outputs: {} }) });
    expect([...runtime.withoutCode]).toEqual([[execution_id, ['pure@1.0.0']]]);
    expect(runtime.recovery?.level).toBe('DEGRADED');
    expect(await codeOf(runtime.wait(execution_id, 10))).toBe('not_found');
    expect(await codeOf(runtime.cancel(execution_id, OWNER))).toBe('not_found');
    expect(await codeOf(runtime.resume(execution_id, OWNER))).toBe('not_found');
    expect([...runtime.records()]).toEqual(recorded);
    await runtime.close();
    await open({ pure: () => ({ outputs: {} }) });
    expect([...runtime.withoutCode]).toEqual([]);
    expect((await runtime.wait(execution_id, 5_000)).status).toBe('completed');
  });
});

describe('closing', () => {
  it('lets what is in flight record its result, starts nothing more, and goes on at the next opening', async () => {
    const calls: string[] = [];
    let release = () => {};
    const actions: ActionFunctions = {
      pure: ({ node_id = '' }) => {
        calls.push(node_id);
        if (node_id !== 'a') return { outputs: {} };
        return new Promise(resolve => (release = () => resolve({ outputs: {} })));
      },
    };
    await open(actions);
    const document = workflow(
      [step('a'), step('b'), done],
      [
        ['a', 'b', 'success'],
        ['b', 'done', 'success'],
      ],
    );
    const execution_id = await runtime.start({ workflow: document, inputs: {}, agent_id: OWNER });
    const waiting = codeOf(runtime.wait(execution_id, 10_000));
    await runtime.wait(execution_id, 20);
    const closing = runtime.close();
    release();
    await closing;
    expect(await waiting).toBe('illegal_state');
    expect(await codeOf(runtime.start({ workflow: document, inputs: {}, agent_id: OWNER }))).toBe('illegal_state');
    expect(calls).toEqual(['a']);
    await open(actions);
    expect(runtime.recovery).toBeNull();
    expect((await runtime.wait(execution_id, 5_000)).status).toBe('completed');
    expect(calls).toEqual(['a', 'b']);
  });
});

describe('the gates', () => {
  const details = async (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: ArsError) => [error.code, error.details.gate, (error.details.reasons as { code: string }[])[0]?.code],
    );

  it('deny what is not sound, not permitted or not fit, and leave no instance', async () => {
    await open({ pure: () => ({ outputs: {} }) });
    await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    const start = (document: Workflow, agent_id: string, inputs = {}) =>
      details(runtime.start({ workflow: document, inputs, agent_id }));
    const cyclic = workflow(
      [step('a'), step('b')],
      [
        ['a', 'b', 'success'],
        ['b', 'a', 'success'],
      ],
    );
    expect((await start(cyclic, OWNER))?.slice(0, 2)).toEqual(['denied', 'verification']);
    expect(await start(one({ action_def: 'gone@^1' }), OWNER)).toEqual(['denied', 'verification', 'S7']);
    expect(await start(one(), 'eve')).toEqual(['denied', 'governance', 'SECURITY_BREACH']);
    expect(await start(one(), 'ada')).toEqual(['denied', 'governance', 'MISSING_PERMISSION']);
    expect(await start(one(), OWNER, { x: 1 })).toEqual(['denied', 'execution', 'INPUTS_UNFIT']);
    expect([...runtime.records({ status: 'workflow_started' })]).toEqual([]);
    expect([...runtime.records({ record_type: 'action' })]).toEqual([]);
  });

  it('lower the trust of an agent that tries what it may not, and allow it once it may', async () => {
    await open({ pure: () => ({ outputs: {} }) });
    await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    const start = () => runtime.start({ workflow: one(), inputs: {}, agent_id: 'ada' });
    await details(start());
    const [denial] = [...runtime.records({ status: 'denied' })];
    expect(denial?.trust_after).toBe('CONDITIONAL');
    await runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: 'ada', granted_by: OWNER });
    expect(await runtime.wait(await start(), 5_000)).toMatchObject({ status: 'completed' });
  });

  it('ask governance anew before an instance goes on, and end it after a denial', async () => {
    const actions: ActionFunctions = { pure: () => new Promise(() => undefined) };
    await open(actions);
    await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    const permission_id = await runtime.grant({
      domain: 'execution',
      actions: ['execute'],
      granted_to: 'ada',
      granted_by: OWNER,
    });
    const execution_id = await runtime.start({ workflow: one(), inputs: {}, agent_id: 'ada' });
    await runtime.wait(execution_id, 30);
    expect(await codeOf(runtime.cancel(execution_id, 'eve'))).toBe('denied');
    await runtime.revoke(permission_id, OWNER);
    await runtime.close();
    await open(actions);
    expect(runtime.recovery?.decisions.map(d => d.decision)).toEqual(['close']);
    const result = await runtime.wait(execution_id, 5_000);
    expect(result).toMatchObject({ status: 'failed', error: { error_class: 'E0', detail: 'denied' } });
    expect([...runtime.records({ status: 'denied' })].length).toBe(1);
  });

  it('refuse a skill that is not in the registry', async () => {
    await open({});
    const skill: Node = { node_id: 'a', type: 'skill', workflow_ref: 'other@^1' };
    const outcome = await details(
      runtime.start({ workflow: workflow([skill, done], [['a', 'done', 'success']]), inputs: {}, agent_id: OWNER }),
    );
    expect(outcome).toEqual(['denied', 'verification', 'S12']);
    expect([...runtime.records()].map(r => [r.record_type, r.status])).toEqual([['gate', 'denied']]);
  });

  it('refuse a schema that is nested too deeply to be used', async () => {
    await open({ pure: () => ({ outputs: {} }) });
    let input_schema: Record<string, unknown> = {};
    for (let depth = 0; depth < 20_000; depth++) input_schema = { properties: { a: input_schema } };
    const document = one({}, { actions: [{ ...pure, input_schema: { type: 'object', ...input_schema } } as Action] });
    expect(await codeOf(runtime.start({ workflow: document, inputs: {}, agent_id: OWNER }))).toBe('denied');
  });

  it('refuse a schema or an expression that cannot be used', async () => {
    await open({});
    const broken: Action = { ...pure, input_schema: { type: 'nonsense' } };
    expect(
      await details(runtime.start({ workflow: one({}, { actions: [broken] }), inputs: {}, agent_id: OWNER })),
    ).toEqual(['denied', 'verification', 'SCHEMA']);
  });
});

describe('grants', () => {
  it('are taken only where they fit their schema, since everything later reads them', async () => {
    await open({});
    await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    const wrong = { domain: 'filesystem', actions: ['erase'], granted_to: 'ada', granted_by: OWNER };
    expect(await codeOf(runtime.grant(wrong as never))).toBe('invalid_document');
    const agent = { agent_id: 'eve', trust: 'SOMEWHAT' };
    expect(await codeOf(runtime.registerAgent(agent as never, OWNER))).toBe('invalid_document');
    expect([runtime.agent('eve'), [...runtime.records()].length]).toEqual([undefined, 0]);
  });

  it('come from those who hold, to others, and not beyond', async () => {
    await open({});
    for (const agent_id of ['ada', 'bob']) await runtime.registerAgent({ agent_id, trust: 'TRUSTED' }, OWNER);
    const permission = { domain: 'execution', actions: ['execute'], granted_to: 'bob', granted_by: 'ada' } as const;
    const give = (more: object = {}) => codeOf(runtime.grant({ ...permission, actions: ['execute'], ...more }));
    expect(await give()).toBe('denied');
    await runtime.grant({ domain: 'governance', actions: ['grant'], granted_to: 'ada', granted_by: OWNER });
    expect(await give()).toBe('denied');
    await runtime.grant({
      domain: 'execution',
      actions: ['execute'],
      scope: 'x.*',
      granted_to: 'ada',
      granted_by: OWNER,
    });
    expect(await give()).toBe('denied');
    expect(await give({ scope: 'x.y' })).toBeUndefined();
    expect(await give({ scope: 'x.y', granted_to: 'ada' })).toBe('denied');
    expect(await codeOf(runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, 'ada'))).toBe('denied');
  });
});

describe('a failing disk', () => {
  it('applies nothing, starts nothing new and tells everyone', async () => {
    let armed = false;
    await open(
      { pure: () => ({ outputs: {}, state_changes: [{ key: 'k', op: 'put', value: 1 as never }] }) },
      {
        fault: (point: string) => {
          if (armed && point === 'committing') throw new Error('disk full');
        },
      },
    );
    armed = true;
    const execution_id = await runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER });
    expect(await codeOf(runtime.wait(execution_id, 5_000))).toBe('storage_failed');
    expect(await codeOf(runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER }))).toBe('storage_failed');
    await runtime.close();
    await open({ pure: () => ({ outputs: { again: true } }) });
    expect(runtime.recovery?.decisions[0]?.decision).toBe('redo');
    expect(await runtime.wait(execution_id, 5_000)).toMatchObject({ status: 'completed' });
  });
});

describe('the registry', () => {
  it('is durable, never changes a version, and is not needed by what runs', async () => {
    await open({ pure: () => ({ outputs: {} }) });
    await runtime.putRegistry({ actions: [pure] });
    await runtime.putRegistry({ actions: [pure] });
    expect(await codeOf(runtime.putRegistry({ actions: [{ ...pure, idempotent: false }] }))).toBe('conflict');
    await runtime.close();
    await open({ pure: () => ({ outputs: {} }) });
    expect((await run(one({}, { actions: [] }))).status).toBe('completed');
    await runtime.removeRegistry({ actions: ['pure@1.0.0'] });
    expect(await codeOf(run(one({}, { actions: [] })))).toBe('denied');
  });
});
