import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ArsError, type ErrorCode } from './error.js';
import type { Workflow } from './index.js';
import { one, pure, runtimeOfTests } from './opened.fixture.js';
import { Runtime } from './runtime.js';

const at = runtimeOfTests();

/** A call as code without types can make it. */
type Call = (runtime: Record<keyof Runtime, (...given: unknown[]) => unknown>) => unknown;

/** What a call is refused with, as `code: message`. */
async function refusalOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return error instanceof ArsError ? `${error.code}: ${error.message}` : `no ArsError: ${error}`;
  }
  return 'accepted';
}

async function expectRefusals(code: ErrorCode, calls: readonly [string, Call, RegExp?][]): Promise<void> {
  for (const [name, call, says = /./] of calls) {
    const refusal = await refusalOf(() => call(at.runtime as never));
    expect([name, refusal]).toEqual([name, expect.stringMatching(new RegExp(`^${code}: .*${says.source}`))]);
  }
}

it('puts and removes nothing but lists of definitions', async () => {
  await at.open({});
  const document: Workflow = one();
  const shape = /\{ actions: \[.*\], workflows: \[.*\] \}/;
  await expectRefusals('invalid_document', [
    ['a workflow', r => r.putRegistry(document), shape],
    ['a list', r => r.putRegistry([document]), shape],
    ['nothing', r => r.putRegistry(), shape],
    [
      'a misspelt list',
      r => r.putRegistry({ workflow: [document] }),
      /"workflow" is not .*; did you mean "workflows"\?/,
    ],
    ['no list', r => r.putRegistry({ actions: pure }), /"actions" must be a list/],
    ['no workflow', r => r.putRegistry({ workflows: [document, null] }, 'ada'), /Entry 1 of the workflows/],
    ['no action', r => r.putRegistry({ actions: [{ ...pure, inputs: 7 }] }), /The action 'pure@1.0.0'/],
    ['a list to remove', r => r.removeRegistry(['flow@1.0.0']), shape],
    ['nothing to remove', r => r.removeRegistry(), shape],
    ['a misspelt list to remove', r => r.removeRegistry({ workflow: ['flow@1.0.0'] }), /did you mean "workflows"\?/],
    ['no name to remove', r => r.removeRegistry({ workflows: [document] }, 'ada'), /Entry 0 of "workflows"/],
  ]);
  expect(at.runtime.registry()).toMatchObject({ actions: [], workflows: [] });
});

it('refuses with a code what no method takes', async () => {
  await at.open({});
  const id = await at.runtime.start({ workflow: one(), inputs: {}, agent_id: 'owner' }).catch(() => 'none');
  const inputs = {};
  await expectRefusals('invalid_document', [
    ['a file to start', r => r.start({ workflow: 'hello.yaml', inputs, agent_id: 'owner' }), /readWorkflow\(FILE\)/],
    ['null to start', r => r.start({ workflow: null, inputs, agent_id: 'owner' }), /must be an object, not null/],
    ['a file to check', r => r.check({ workflow: 'hello.yaml', inputs, agent_id: 'owner' }), /readWorkflow\(FILE\)/],
    ['no risk', r => r.risk()],
    ['the risk of what is no workflow', r => r.risk({ workflow: {}, inputs })],
    ['the risk without inputs', r => r.risk({ workflow: one() }), /"inputs"/],
    ['no causes', r => r.causes()],
    ['no query', r => r.records(null)],
    ['a misspelt condition', r => r.records({ executionid: id }), /"executionid" .*; did you mean "execution_id"\?/],
    ['no status', r => r.records({ status: 'comitted' }), /"status"/],
    ['no identifier', r => r.records({ execution_id: {} }), /"execution_id"/],
    ['a misspelt condition of events', r => r.events({ afer: 0 }), /did you mean "after"\?/],
    ['a query of a view', r => (r.readAs('owner') as Runtime).records({ executionid: id } as object)],
    ['keys of State', r => r.state('x'), /a list of strings/],
    ['a misspelt sequence', r => r.reconstruct({ sequenc: 1 }), /did you mean "sequence"\?/],
    ['a misspelt dry run', r => r.recover({ dryrun: true }), /did you mean "dry_run"\?/],
    ['cancel for nobody', r => r.cancel(id), /needs "agent_id"/],
    ['resume for nobody', r => r.resume(id), /needs "agent_id"/],
    ['registered by nobody', r => r.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }), /needs "by"/],
    ['revoked by nobody', r => r.revoke(id), /needs "by"/],
    ['no instance to replay', r => r.replay({}), /"execution_id"/],
    ['no evidence', r => r.evidence(), /"reference"/],
  ]);
  await at.runtime.close();
  await expectRefusals('illegal_state', [
    ['records of a closed one', r => [...(r.records() as Iterable<unknown>)]],
    ['replay of a closed one', r => r.replay(id)],
  ]);
});

it('opens with nothing but options, and leaves the folder alone where it refuses', async () => {
  await at.open({});
  const workspace = join(at.workspace, 'refused');
  const open = Runtime.open as (options?: unknown) => Promise<unknown>;
  await expectRefusals('usage', [
    ['nothing', () => open()],
    ['no workspace', () => open({}), /needs "workspace"/],
    ['a number', () => open({ workspace: 7 }), /"workspace"/],
    ['no actions', () => open({ workspace, actions: null }), /"actions"/],
    ['no code', () => open({ workspace, actions: { greet: 'x' } }), /"greet" .* neither a function nor/],
    ['code without a probe', () => open({ workspace, actions: { greet: { invoke() {} } } }), /"greet"/],
    ['no host', () => open({ workspace, host: {} }), /"host"/],
    ['no preview', () => (Runtime.previewRecovery as typeof open)({}), /needs "workspace"/],
  ]);
  expect(existsSync(workspace)).toBe(false);
});
