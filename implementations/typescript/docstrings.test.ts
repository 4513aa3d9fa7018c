import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AuditRecord, Workflow } from '../../schemas/types.js';
import {
  type ActionFunctions,
  ArsError,
  fileActions,
  httpActions,
  OWNER,
  processActions,
  Runtime,
  readWorkflow,
  verify,
} from './index.js';

/** The examples of the docstrings, compiled and run: each region here is one of them word for word, as `npm run docs` holds. */

const HELLO = 'examples/01-minimal/hello.yaml';
const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'ars-docstrings-'));
beforeAll(() => {
  mkdirSync(dirname(join(folder, HELLO)), { recursive: true });
  copyFileSync(HELLO, join(folder, HELLO));
  process.chdir(folder);
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

describe('what stands by itself', () => {
  it('reads and verifies', () => {
    // #region readWorkflow
    const workflow = readWorkflow('examples/01-minimal/hello.yaml');
    // #endregion
    expect(workflow.workflow.name).toBe('hello');
    // #region verify
    const { verdict, findings } = verify(workflow);
    for (const { rule, pointer, message } of findings) console.error(`${rule} at ${pointer}: ${message}`);
    // #endregion
    expect([verdict, findings]).toEqual(['PASS', []]);
    let fallback = '';
    // #region ArsError
    try {
      readWorkflow('nowhere.yaml');
    } catch (error) {
      if (error instanceof ArsError && error.code === 'not_found') fallback = String(error.details.file);
      else throw error;
    }
    // #endregion
    expect(fallback).toBe('nowhere.yaml');
  });

  it('runs a workflow', async () => {
    const workflow = readWorkflow(HELLO);
    // #region Runtime
    const runtime = await Runtime.open({
      workspace: 'demo',
      actions: { greet: ({ inputs }) => ({ outputs: { text: `Hello ${inputs.name}` } }) },
    });
    const execution_id = await runtime.start({ workflow, inputs: { name: 'Ada' }, agent_id: OWNER });
    const { status, outputs } = await runtime.wait(execution_id, 10_000);
    await runtime.close();
    // #endregion
    expect([status, outputs]).toEqual(['completed', { greeting: 'Hello Ada' }]);
    // #region previewRecovery
    const report = await Runtime.previewRecovery({ workspace: 'demo' });
    for (const { execution_id, decision } of report?.decisions ?? []) console.log(execution_id, decision);
    // #endregion
    expect(report).toBeNull();
  });

  it('brings actions along', async () => {
    const token = 't';
    {
      // #region fileActions
      const files = fileActions({ root: 'data' });
      const runtime = await Runtime.open({ workspace: 'demo', actions: files.functions });
      await runtime.putRegistry({ actions: [...files.definitions] });
      // #endregion
      await runtime.close();
    }
    {
      // #region httpActions
      const http = httpActions({ hosts: ['api.example.org'], headers: { authorization: `Bearer ${token}` } });
      const runtime = await Runtime.open({ workspace: 'demo', actions: http.functions });
      await runtime.putRegistry({ actions: [...http.definitions] });
      // #endregion
      await runtime.close();
    }
    // #region processActions
    const processes = processActions({ readers: ['git'] });
    const runtime = await Runtime.open({ workspace: 'demo', actions: processes.functions });
    await runtime.putRegistry({ actions: [...processes.definitions] });
    // #endregion
    expect(runtime.registry().actions).toHaveLength(9);
    await runtime.close();
  });
});

/** One action that cannot be undone and of which nobody knows whether it happened. */
const LETTER: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'letter', version: '1.0.0' },
  actions: [
    {
      action_id: 'send',
      version: '1.0.0',
      determinism: 'deterministic',
      rollback: 'irreversible',
      side_effects: ['external_service'],
    },
  ],
  nodes: [
    { node_id: 'send', type: 'action', action_def: 'send@^1', irreversible: 'acknowledged' },
    { node_id: 'done', type: 'terminal', status: 'completed' },
    { node_id: 'stop', type: 'error', handling: 'fail' },
  ],
  edges: [
    { from_node: 'send', to_node: 'done', label: 'success' },
    { from_node: 'send', to_node: 'stop', label: 'failure' },
  ],
};

describe('a runtime', () => {
  let runtime: Runtime;
  let workflow: Workflow;
  let execution_id: string;
  const actions: ActionFunctions = {
    greet: ({ inputs }) => ({
      outputs: { text: `Hello ${inputs.name}` },
      state_changes: [{ key: 'greeted/last', op: 'put', value: inputs.name }],
      evidence: { heard: 'Hello '.repeat(2000) },
    }),
    send: () => {
      throw new Error('the line went dead');
    },
  };
  const opened = async (): Promise<Runtime> => {
    // #region open
    const runtime = await Runtime.open({ workspace: 'books', actions });
    if (runtime.recovery !== null) console.log(`recovered: ${runtime.recovery.level}`);
    // #endregion
    return runtime;
  };
  beforeAll(async () => {
    workflow = readWorkflow(HELLO);
    runtime = await opened();
    execution_id = await runtime.start({ workflow, inputs: { name: 'Ada' }, agent_id: OWNER });
    await runtime.wait(execution_id, 10_000);
  });
  afterAll(async () => {
    // #region close
    await runtime.close();
    // #endregion
    expect(() => runtime.registry()).toThrow();
  });

  it('keeps definitions, an index and jobs', async () => {
    // #region putRegistry
    await runtime.putRegistry({ workflows: [workflow] });
    const execution_id = await runtime.start({ workflow_id: 'hello@1.0.0', inputs: { name: 'Ada' }, agent_id: OWNER });
    // #endregion
    expect((await runtime.wait(execution_id, 10_000)).status).toBe('completed');
    // #region registry
    const { workflows = [] } = runtime.registry();
    const names = workflows.map(({ workflow: { name, version } }) => `${name}@${version}`);
    // #endregion
    expect(names).toEqual(['hello@1.0.0']);
    // #region putIndexEntry
    await runtime.putIndexEntry({ entry_id: 'greeting', kind: 'workflow', target: 'hello@1.0.0' }, OWNER);
    // #endregion
    // #region indexEntry
    const { target, stale = false } = runtime.indexEntry('greeting');
    // #endregion
    expect([target, stale]).toEqual(['hello@1.0.0', false]);
    // #region indexEntries
    const stale_ones = [...runtime.indexEntries()].filter(entry => entry.stale);
    // #endregion
    expect(stale_ones).toEqual([]);
    // #region putJob
    await runtime.putJob(
      {
        job_id: 'every-morning',
        workflow_id: 'hello@1.0.0',
        agent_id: OWNER,
        from: '2099-01-01T06:00:00.000Z',
        every_ms: 24 * 60 * 60 * 1000,
      },
      OWNER,
    );
    // #endregion
    // #region job
    const { active = true } = runtime.job('every-morning');
    // #endregion
    expect(active).toBe(true);
    // #region jobs
    const job_ids = [...runtime.jobs()].map(({ job_id }) => job_id);
    // #endregion
    expect(job_ids).toEqual(['every-morning']);
    // #region startDue
    await runtime.startDue();
    // #endregion
    // #region removeRegistry
    await runtime.removeRegistry({ workflows: ['hello@1.0.0'] });
    // #endregion
    expect(runtime.job('every-morning').active).toBe(false);
  });

  it('starts, waits, cancels and resumes', async () => {
    // #region start
    const execution_id = await runtime.start({
      workflow,
      inputs: { name: 'Ada' },
      agent_id: OWNER,
      request_key: 'greeting of today',
    });
    // #endregion
    // #region wait
    const { status, outputs, trace } = await runtime.wait(execution_id, 10_000);
    if (status === 'running') console.log('still under way');
    // #endregion
    expect([status, outputs, trace.length]).toEqual(['completed', { greeting: 'Hello Ada' }, 3]);
    // #region cancel
    await runtime.cancel(execution_id, OWNER);
    // #endregion
    // #region workflowOf
    const { name, version } = runtime.workflowOf(execution_id).workflow;
    // #endregion
    expect([name, version]).toEqual(['hello', '1.0.0']);
  });

  it('registers, permits and decides', async () => {
    // #region registerAgent
    await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    // #endregion
    // #region agent
    const trust = runtime.agent('ada')?.trust ?? 'UNKNOWN';
    // #endregion
    expect(trust).toBe('TRUSTED');
    // #region grant
    const permission_id = await runtime.grant({
      domain: 'execution',
      actions: ['execute'],
      granted_to: 'ada',
      granted_by: OWNER,
    });
    // #endregion
    // #region putPolicy
    await runtime.putPolicy(
      {
        policy_id: 'no-strangers',
        version: '1.0.0',
        level: 1,
        effect: 'deny',
        scope: 'hello',
        condition: 'inputs.name == "Mallory"',
      },
      OWNER,
    );
    // #endregion
    // #region check
    const { decision, reasons } = runtime.check({ workflow, inputs: { name: 'Mallory' }, agent_id: 'ada' });
    for (const { code, message } of reasons) console.log(code, message);
    // #endregion
    expect([decision, reasons[0]?.code]).toEqual(['denied', 'POLICY_DENIES']);
    // #region readAs
    const view = runtime.readAs('ada');
    const visible = [...view.records()].filter(record => !('redacted' in record));
    // #endregion
    expect(visible.length).toBeLessThan([...runtime.records()].length);
    // #region revoke
    await runtime.revoke(permission_id, OWNER);
    // #endregion
    expect(runtime.check({ workflow, inputs: {}, agent_id: 'ada' }).reasons[0]?.code).toBe('MISSING_PERMISSION');
  });

  it('tells what happened', async () => {
    // #region records
    for (const { node_id, status } of runtime.records({ context_id: execution_id, record_type: 'action' }))
      console.log(node_id, status);
    // #endregion
    const [committed] = runtime.records({ context_id: execution_id, status: 'committed' });
    // #region state
    const { state, sequence } = runtime.state(['greeted/last']);
    console.log(`as of ${sequence}: ${state['greeted/last']?.value}`);
    // #endregion
    expect(state['greeted/last']?.value).toBe('Ada');
    // #region takeSnapshot
    const snapshot = await runtime.takeSnapshot();
    // #endregion
    expect(snapshot.sequence).toBe(sequence);
    // #region reconstruct
    const before = runtime.reconstruct({ sequence: snapshot.sequence - 1 });
    // #endregion
    expect(before.sequence).toBe(snapshot.sequence - 1);
    // #region replay
    const { verdict, first_difference } = runtime.replay(execution_id);
    if (first_difference !== undefined) console.log(`record ${first_difference.sequence} is not what was to follow`);
    // #endregion
    expect([verdict, first_difference]).toEqual(['agrees', undefined]);
    const reference = committed?.evidence_ref ?? '';
    // #region evidence
    const content = runtime.evidence(reference);
    // #endregion
    expect(content).toMatchObject({ heard: expect.any(String) });
    const seen: AuditRecord[] = [];
    // #region events
    for await (const { sequence, record_type, status } of runtime.events({ context_id: execution_id, after: 0 })) {
      console.log(sequence, record_type, status);
      if (status.startsWith('workflow_') && status !== 'workflow_started') break;
    }
    // #endregion
    // #region subscribe
    const unsubscribe = runtime.subscribe(record => seen.push(record));
    // #endregion
    await runtime.start({ workflow, inputs: {}, agent_id: OWNER, dry_run: true });
    unsubscribe();
    expect(seen.map(({ record_type }) => record_type)).toContain('dry_run');
  });

  it('undoes, confirms and takes an operator at his word', async () => {
    const last = await runtime.start({ workflow, inputs: { name: 'Adda' }, agent_id: OWNER });
    await runtime.wait(last, 10_000);
    const [record] = runtime.records({ context_id: last, record_type: 'action', status: 'committed' });
    const committed = record?.execution_id ?? '';
    // #region rollback
    const undo_id = await runtime.rollback({
      execution_id: committed,
      evidence: { ticket: 'the name was wrong' },
      agent_id: OWNER,
    });
    // #endregion
    expect(undo_id).not.toBe(committed);
    const letter = LETTER;
    // #region causes
    for (const { node_id, action_id, level } of runtime.causes(letter)) console.log(node_id, action_id, level);
    // #endregion
    await runtime.registerAgent({ agent_id: 'eve', trust: 'TRUSTED' }, OWNER);
    await runtime.grant({ domain: 'approval', actions: ['grant'], granted_to: 'eve', granted_by: OWNER });
    // #region risk
    const { safety_level, resolved_digest, inputs_digest } = runtime.risk({ workflow: letter, inputs: {} });
    // #endregion
    expect([safety_level, runtime.causes(letter)[0]?.action_id]).toEqual(['IRREVERSIBLE', 'send']);
    // #region approve
    await runtime.start({ workflow: letter, inputs: {}, agent_id: OWNER, dry_run: true });
    const confirmation_id = await runtime.approve({
      resolved_digest,
      inputs_digest,
      agent_id: OWNER,
      approver: 'eve',
      expires_at: '2099-01-01T00:00:00.000Z',
    });
    const sent = await runtime.start({ workflow: letter, inputs: {}, agent_id: OWNER, confirmation_id });
    // #endregion
    expect((await runtime.wait(sent, 10_000)).status).toBe('in_doubt');
    const [doubt] = runtime.records({ context_id: sent, status: 'in_doubt' });
    const doubtful = doubt?.execution_id ?? '';
    // #region resolve
    await runtime.resolve({ execution_id: doubtful, verdict: 'applied', outputs: {}, approver: OWNER });
    // #endregion
    // #region resume
    await runtime.resume(sent, OWNER);
    // #endregion
    expect((await runtime.wait(sent, 10_000)).status).toBe('completed');
    // #region recover
    const plan = await runtime.recover({ dry_run: true });
    if (plan === null) console.log('nothing is open');
    // #endregion
    expect(plan).toBeNull();
  });
});
