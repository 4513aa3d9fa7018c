import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentView } from './agent-view.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { ArsError } from './error.js';
import { OWNER, Runtime } from './runtime.js';
import { readWorkflow } from './workflow-file.js';

/** Every public method is called with everything that it does not take, one argument and one member at a time. */

const WRONG = {
  undefined: undefined,
  null: null,
  number: 7.5,
  nan: Number.NaN,
  empty: '',
  flag: true,
  list: [],
  holes: [null],
  object: {},
  function: () => 1,
  symbol: Symbol('wrong'),
  bigint: 10n,
} as const;
type Wrong = keyof typeof WRONG;

/** An argument that is right, which of {@link WRONG} are right as well, and those that its members may be. */
interface Argument {
  readonly right: unknown;
  readonly takes?: readonly Wrong[];
  readonly members?: Readonly<Record<string, readonly Wrong[]>>;
}
const name = (right: string): Argument => ({ right });
const optional = (right: unknown): Argument => ({ right, takes: ['undefined'] });
const document = (right: object, members: Argument['members'], takes?: readonly Wrong[]): Argument =>
  takes === undefined ? { right, members: members ?? {} } : { right, members: members ?? {}, takes };

const workflow = readWorkflow('examples/01-minimal/hello.yaml');
const DIGEST = `sha256:${'0'.repeat(64)}`;
const TIME = '2099-01-01T00:00:00.000Z';
const MAYBE: readonly Wrong[] = ['undefined'];
const DATA: readonly Wrong[] = ['undefined', 'object'];
const QUERY = document(
  {
    execution_id: 'x',
    context_id: 'x',
    parent_execution_id: 'x',
    from: TIME,
    until: TIME,
    status: 'pending',
    record_type: 'action',
    latest: true,
    incomplete: true,
    after: 0,
    limit: 1,
  },
  Object.fromEntries(
    ['execution_id', 'context_id', 'parent_execution_id', 'from', 'until', 'status', 'record_type', 'after', 'limit']
      .map((member): [string, readonly Wrong[]] => [member, MAYBE])
      .concat([
        ['latest', ['undefined', 'flag']],
        ['incomplete', ['undefined', 'flag']],
      ]),
  ),
  DATA,
);
const RECONSTRUCTION = document({ sequence: 0 }, { sequence: MAYBE }, DATA);
const START = {
  workflow: ['list', 'holes', 'object'],
  inputs: ['object'],
  agent_id: [],
  context: DATA,
  request_key: MAYBE,
} as const;
const KEYS: Argument = { right: ['k'], takes: ['undefined', 'list'] };

const RUNTIME: Readonly<Record<string, readonly Argument[]>> = {
  putRegistry: [
    document({ actions: [], workflows: [] }, { actions: ['undefined', 'list'], workflows: ['undefined', 'list'] }, [
      'object',
    ]),
    optional(OWNER),
  ],
  registry: [],
  removeRegistry: [
    document({ actions: [], workflows: [] }, { actions: ['undefined', 'list'], workflows: ['undefined', 'list'] }, [
      'object',
    ]),
    optional(OWNER),
  ],
  putIndexEntry: [
    document({ entry_id: 'g', kind: 'workflow', target: 'hello@1.0.0', stale: true }, { stale: ['undefined', 'flag'] }),
    name(OWNER),
  ],
  indexEntry: [name('g')],
  indexEntries: [],
  putJob: [
    document(
      {
        job_id: 'j',
        workflow_id: 'hello@1.0.0',
        agent_id: OWNER,
        from: TIME,
        every_ms: 1000,
        inputs: {},
        active: true,
      },
      { every_ms: MAYBE, inputs: DATA, active: ['undefined', 'flag'] },
    ),
    name(OWNER),
  ],
  job: [name('j')],
  jobs: [],
  startDue: [],
  start: [
    document(
      { workflow, inputs: { name: 'A' }, agent_id: OWNER, dry_run: true },
      { ...START, dry_run: ['undefined', 'flag'] },
    ),
  ],
  wait: [name('x'), { right: 1, takes: ['number'] }],
  resume: [name('x'), name(OWNER), optional('c')],
  cancel: [name('x'), name(OWNER)],
  approve: [
    document(
      { resolved_digest: DIGEST, inputs_digest: DIGEST, agent_id: OWNER, approver: 'eve', expires_at: TIME },
      {},
    ),
  ],
  risk: [document({ workflow, inputs: {} }, { inputs: ['object'] })],
  workflowOf: [name('x')],
  causes: [{ right: workflow }],
  agent: [name('eve')],
  registerAgent: [document({ agent_id: 'eve', trust: 'TRUSTED' }, {}), name(OWNER)],
  grant: [
    document(
      {
        domain: 'execution',
        actions: ['execute'],
        granted_to: 'eve',
        granted_by: OWNER,
        scope: '*',
        valid_until: TIME,
      },
      { scope: MAYBE, valid_until: MAYBE },
    ),
  ],
  revoke: [name('p'), name(OWNER)],
  putPolicy: [
    document(
      { policy_id: 'p', version: '1.0.0', level: 1, effect: 'deny', scope: 'z', condition: 'false', active: true },
      { condition: MAYBE, active: ['undefined', 'flag'] },
    ),
    name(OWNER),
  ],
  check: [document({ workflow, inputs: { name: 'A' }, agent_id: OWNER }, START)],
  readAs: [name(OWNER)],
  records: [QUERY],
  state: [KEYS],
  takeSnapshot: [],
  reconstruct: [RECONSTRUCTION],
  replay: [name('x')],
  evidence: [name(DIGEST)],
  events: [
    document(
      { after: 0, from: TIME, execution_id: 'x', signal: AbortSignal.abort() },
      { after: MAYBE, from: MAYBE, execution_id: MAYBE, signal: MAYBE },
      DATA,
    ),
  ],
  subscribe: [{ right: () => 1, takes: ['function'] }],
  recover: [document({ dry_run: true, by: OWNER }, { dry_run: ['undefined', 'flag'], by: MAYBE }, DATA)],
  resolve: [document({ execution_id: 'x', verdict: 'applied', outputs: {}, approver: OWNER }, { outputs: DATA })],
  rollback: [
    document(
      { execution_id: 'x', evidence: {}, agent_id: OWNER },
      { evidence: ['undefined', 'null', 'number', 'empty', 'flag', 'list', 'holes', 'object'] },
    ),
  ],
  close: [],
};

const VIEW: typeof RUNTIME = {
  records: [QUERY],
  lines: [{ right: 0, takes: ['undefined'] }],
  evidence: [name(DIGEST)],
  state: [KEYS],
  wait: [name('x'), { right: 1, takes: ['number'] }],
  verify: [{ right: workflow, takes: Object.keys(WRONG) as Wrong[] }],
  indexEntry: [name('g')],
  job: [name('j')],
  takeSnapshot: [],
  reconstruct: [RECONSTRUCTION],
};

/** The options of a runtime, and what they may be. */
const OPTIONS: NonNullable<Argument['members']> = {
  workspace: [],
  host: MAYBE,
  actions: DATA,
  clock: ['undefined', 'function'],
  fault: ['undefined', 'function'],
  incarnation: MAYBE,
  log: MAYBE,
  schedule: ['undefined', 'flag'],
  jobStarted: ['undefined', 'function'],
  late: ['undefined', 'function'],
};

/** What says that a call is not what the method takes. */
const MISUSED = new Set(['invalid_document', 'not_canonical', 'usage']);

describe('what a method does not take is refused with a code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ars-misuse-'));
  let runtime: Runtime;
  let view: AgentView;
  beforeAll(async () => {
    runtime = await Runtime.open({ workspace: join(folder, 'workspace'), actions: { greet: () => ({ outputs: {} }) } });
    await runtime.putRegistry({ workflows: [workflow] });
    view = runtime.readAs(OWNER);
  });
  afterAll(async () => {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is a log whose optional member is no function', async () => {
    const log = { ...new MemoryWorkspace().open(), written: 5 } as never;
    await expect(Runtime.open({ workspace: folder, log })).rejects.toMatchObject({ code: 'usage' });
  });

  it('names every public method', () => {
    expect(methodsOf(Runtime.prototype)).toEqual(Object.keys(RUNTIME).sort());
    expect(methodsOf(Object.getPrototypeOf(view))).toEqual(Object.keys(VIEW).sort());
  });

  it.each(Object.entries(RUNTIME))('Runtime.%s', (method, args) => drive(runtime, method, args));

  it.each(Object.entries(VIEW))('AgentView.%s', (method, args) => drive(view, method, args));

  it.each(['open', 'previewRecovery'])('Runtime.%s', async method => {
    const right = { workspace: join(folder, 'never') };
    const told: string[] = [];
    for (const { kind, value, what } of variants({ right, members: OPTIONS })) {
      const answer = kind === 'wrong' ? await codeOf(Runtime, method, [value]) : 'usage';
      if (answer !== 'usage') told.push(`${what}: ${answer}`);
    }
    expect(told).toEqual([]);
  });

  it('readWorkflow', () => {
    for (const value of Object.values(WRONG))
      expect(codeThrown(() => readWorkflow(value as string))).toBe('invalid_document');
  });
});

/** Calls a method with its right arguments, and then with all that is wrong about each. */
async function drive(target: object, method: string, args: readonly Argument[]): Promise<void> {
  if (method === 'close') return;
  const rights = args.map(({ right }) => right);
  const told: string[] = [];
  const right = await codeOf(target, method, rights);
  if (MISUSED.has(right)) told.push(`as it should be: ${right}`);
  for (const [at, argument] of args.entries()) {
    for (const { kind, value, what } of variants(argument)) {
      const answer = await codeOf(target, method, rights.with(at, value));
      const fits = kind === 'wrong' ? MISUSED.has(answer) : answer === 'taken' || /^[a-z_]+$/.test(answer);
      if (!fits) told.push(`argument ${at} ${what}: ${answer}`);
    }
  }
  expect(told).toEqual([]);
}

/** An argument in every other form. */
function* variants(argument: Argument): Generator<{ kind: 'wrong' | 'taken'; value: unknown; what: string }> {
  const { right, takes = [], members } = argument;
  for (const [label, value] of Object.entries(WRONG))
    yield { kind: takes.includes(label as Wrong) ? 'taken' : 'wrong', value, what: `as ${label}` };
  if (members === undefined) return;
  yield { kind: 'wrong', value: { ...(right as object), more: 1 }, what: 'with one member more' };
  for (const member of new Set([...Object.keys(right as object), ...Object.keys(members)]))
    for (const [label, value] of Object.entries(WRONG)) {
      const kind = members[member]?.includes(label as Wrong) === true ? 'taken' : 'wrong';
      yield { kind, value: { ...(right as object), [member]: value }, what: `with "${member}" as ${label}` };
    }
}

/** The code that a call is refused with, `taken` where it is not, and what else was thrown. */
async function codeOf(target: object, method: string, args: readonly unknown[]): Promise<string> {
  try {
    const answer: unknown = (target as Record<string, (...given: readonly unknown[]) => unknown>)[method]?.(...args);
    if (isIterator(answer)) {
      // Of what is to come there is nothing to wait for.
      if (!(Symbol.asyncIterator in answer)) answer.next();
    } else await answer;
    return 'taken';
  } catch (error) {
    return error instanceof ArsError ? error.code : String(error);
  }
}

function codeThrown(call: () => unknown): string {
  try {
    call();
    return 'taken';
  } catch (error) {
    return error instanceof ArsError ? error.code : String(error);
  }
}

function isIterator(value: unknown): value is Iterator<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value;
}

/** The methods of a class and of those that it extends. */
function methodsOf(prototype: object): string[] {
  const names = new Set<string>();
  for (let at = prototype; at !== Object.prototype; at = Object.getPrototypeOf(at) as object)
    for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function' && method !== 'constructor') names.add(method);
  return [...names].sort();
}
