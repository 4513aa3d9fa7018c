import { describe, expect, it } from 'vitest';
import type { Action, Node, Workflow } from '../../schemas/types.js';
import type { Step } from './audit/log.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import type { ArsError } from './error.js';
import type { ActionFunctions } from './execution/functions.js';
import { codeOf, done, one, pure, recordsOf, runtimeOfTests, step, workflow } from './opened.fixture.js';
import { OWNER } from './runtime.js';

const at = runtimeOfTests();

const unreadable = {
  get a() {
    throw new Error('no');
  },
};

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
    await at.open({ pure: () => ({ outputs: {} }) });
    const start = at.runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER, ...wrong });
    expect(await codeOf(start)).toBe(code);
    expect([...at.runtime.records()]).toEqual([]);
  });

  it('are refused by wait, and never give the result of another instance', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    const execution_id = await at.runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER });
    expect(await codeOf(at.runtime.wait(execution_id, Number.NaN))).toBe('invalid_document');
    expect((await at.runtime.wait(execution_id, 5_000)).status).toBe('completed');
    expect(await codeOf(at.runtime.wait(undefined as unknown as string, 0))).toBe('invalid_document');
  });

  it('do not include a dry_run that is decided elsewhere', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    const start = (dry_run: boolean) => at.runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER, dry_run });
    expect([typeof (await start(false)), typeof (await start(true))]).toEqual(['string', 'object']);
  });
});

describe('an action without code', () => {
  it('is refused before anything of the start is recorded, by name', async () => {
    await at.open({ other: () => ({ outputs: {} }) });
    const start = at.runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER });
    await expect(start).rejects.toMatchObject({ code: 'not_found', details: { actions: ['pure@1.0.0'] } });
    expect([...at.runtime.records()]).toEqual([]);
  });

  it('is refused where only an undo lacks it', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    const undo = { ...pure, action_id: 'undo' };
    const document = one({}, { actions: [{ ...pure, revert: 'undo@^1' }, undo] });
    const start = at.runtime.start({ workflow: document, inputs: {}, agent_id: OWNER });
    await expect(start).rejects.toMatchObject({ code: 'not_found', details: { actions: ['undo@1.0.0'] } });
  });

  it('leaves an interrupted instance as it is until there is code', async () => {
    await at.open({ pure: () => new Promise(() => undefined) });
    const execution_id = await at.runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER });
    await at.runtime.wait(execution_id, 20);
    await at.runtime.close();
    const recorded = recordsOf(at.workspace);
    await at.open({ other: () => ({ outputs: {} }) });
    expect([...at.runtime.withoutCode]).toEqual([[execution_id, ['pure@1.0.0']]]);
    expect(at.runtime.recovery?.level).toBe('DEGRADED');
    expect(await codeOf(at.runtime.wait(execution_id, 10))).toBe('not_found');
    expect(await codeOf(at.runtime.cancel(execution_id, OWNER))).toBe('not_found');
    expect(await codeOf(at.runtime.resume(execution_id, OWNER))).toBe('not_found');
    expect([...at.runtime.records()]).toEqual(recorded);
    await at.runtime.close();
    await at.open({ pure: () => ({ outputs: {} }) });
    expect([...at.runtime.withoutCode]).toEqual([]);
    expect((await at.runtime.wait(execution_id, 5_000)).status).toBe('completed');
  });
});

describe('the gates', () => {
  const details = async (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: ArsError) => [error.code, error.details.gate, (error.details.reasons as { code: string }[])[0]?.code],
    );

  it('deny what is not sound, not permitted or not fit, and leave no instance', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    await at.runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    const start = (document: Workflow, agent_id: string, inputs = {}) =>
      details(at.runtime.start({ workflow: document, inputs, agent_id }));
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
    expect([...at.runtime.records({ status: 'workflow_started' })]).toEqual([]);
    expect([...at.runtime.records({ record_type: 'action' })]).toEqual([]);
  });

  it('lower the trust of an agent that tries what it may not, and allow it once it may', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    await at.runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    const start = () => at.runtime.start({ workflow: one(), inputs: {}, agent_id: 'ada' });
    await details(start());
    const [denial] = [...at.runtime.records({ status: 'denied' })];
    expect(denial?.trust_after).toBe('CONDITIONAL');
    await at.runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: 'ada', granted_by: OWNER });
    expect(await at.runtime.wait(await start(), 5_000)).toMatchObject({ status: 'completed' });
  });

  it('ask governance anew before an instance goes on, and end it after a denial', async () => {
    const actions: ActionFunctions = { pure: () => new Promise(() => undefined) };
    await at.open(actions);
    await at.runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    const permission_id = await at.runtime.grant({
      domain: 'execution',
      actions: ['execute'],
      granted_to: 'ada',
      granted_by: OWNER,
    });
    const execution_id = await at.runtime.start({ workflow: one(), inputs: {}, agent_id: 'ada' });
    await at.runtime.wait(execution_id, 30);
    expect(await codeOf(at.runtime.cancel(execution_id, 'eve'))).toBe('denied');
    await at.runtime.revoke(permission_id, OWNER);
    await at.runtime.close();
    await at.open(actions);
    expect(at.runtime.recovery?.decisions.map(d => d.decision)).toEqual(['close']);
    const result = await at.runtime.wait(execution_id, 5_000);
    expect(result).toMatchObject({ status: 'failed', error: { error_class: 'E0', detail: 'denied' } });
    expect([...at.runtime.records({ status: 'denied' })].length).toBe(1);
  });

  it('refuse a skill that is not in the registry', async () => {
    await at.open({});
    const skill: Node = { node_id: 'a', type: 'skill', workflow_ref: 'other@^1' };
    const outcome = await details(
      at.runtime.start({ workflow: workflow([skill, done], [['a', 'done', 'success']]), inputs: {}, agent_id: OWNER }),
    );
    expect(outcome).toEqual(['denied', 'verification', 'S12']);
    expect([...at.runtime.records()].map(r => [r.record_type, r.status])).toEqual([['gate', 'denied']]);
  });

  it('refuse a schema that is nested too deeply to be used', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    let input_schema: Record<string, unknown> = {};
    for (let depth = 0; depth < 20_000; depth++) input_schema = { properties: { a: input_schema } };
    const document = one({}, { actions: [{ ...pure, input_schema: { type: 'object', ...input_schema } } as Action] });
    expect(await codeOf(at.runtime.start({ workflow: document, inputs: {}, agent_id: OWNER }))).toBe('denied');
  });

  it('refuse a schema or an expression that cannot be used', async () => {
    await at.open({});
    const broken: Action = { ...pure, input_schema: { type: 'nonsense' } };
    expect(
      await details(at.runtime.start({ workflow: one({}, { actions: [broken] }), inputs: {}, agent_id: OWNER })),
    ).toEqual(['denied', 'verification', 'SCHEMA']);
  });
});

describe('grants', () => {
  it('are taken only where they fit their schema, since everything later reads them', async () => {
    await at.open({});
    await at.runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    const wrong = { domain: 'filesystem', actions: ['erase'], granted_to: 'ada', granted_by: OWNER };
    expect(await codeOf(at.runtime.grant(wrong as never))).toBe('invalid_document');
    const agent = { agent_id: 'eve', trust: 'SOMEWHAT' };
    expect(await codeOf(at.runtime.registerAgent(agent as never, OWNER))).toBe('invalid_document');
    expect([at.runtime.agent('eve'), [...at.runtime.records()].length]).toEqual([undefined, 0]);
  });

  it('come from those who hold, to others, and not beyond', async () => {
    await at.open({});
    for (const agent_id of ['ada', 'bob']) await at.runtime.registerAgent({ agent_id, trust: 'TRUSTED' }, OWNER);
    const permission = { domain: 'execution', actions: ['execute'], granted_to: 'bob', granted_by: 'ada' } as const;
    const give = (more: object = {}) => codeOf(at.runtime.grant({ ...permission, actions: ['execute'], ...more }));
    expect(await give()).toBe('denied');
    await at.runtime.grant({ domain: 'governance', actions: ['grant'], granted_to: 'ada', granted_by: OWNER });
    expect(await give()).toBe('denied');
    await at.runtime.grant({
      domain: 'execution',
      actions: ['execute'],
      scope: 'x.*',
      granted_to: 'ada',
      granted_by: OWNER,
    });
    expect(await give()).toBe('denied');
    expect(await give({ scope: 'x.y' })).toBeUndefined();
    expect(await give({ scope: 'x.y', granted_to: 'ada' })).toBe('denied');
    expect(await codeOf(at.runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, 'ada'))).toBe('denied');
  });
});

describe('a start while the workspace is closed', () => {
  it('gives the instance where it became durable, which goes on at the next opening', async () => {
    const memory = new MemoryWorkspace();
    const log = memory.open();
    let answer = (): void => undefined;
    const answered = new Promise<void>(resolve => {
      answer = resolve;
    });
    const append = async (step: Step) => {
      const written = await log.append(step);
      await answered;
      return written;
    };
    await at.open({ pure: () => ({ outputs: {} }) }, { log: { ...log, append } });
    const agent = codeOf(at.runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER));
    const started = at.runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER });
    while (memory.records.length === 0) await Promise.resolve();
    await at.runtime.close();
    answer();
    expect(await agent).toBe('illegal_state');
    const execution_id = await started;
    expect(memory.records.find(({ status }) => status === 'workflow_started')?.execution_id).toBe(execution_id);
    await at.open({ pure: () => ({ outputs: {} }) }, { log: memory.open() });
    expect(at.runtime.agent('ada')?.trust).toBe('TRUSTED');
    expect((await at.runtime.wait(execution_id, 5_000)).status).toBe('completed');
  });
});
