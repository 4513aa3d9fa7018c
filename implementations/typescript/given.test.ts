import { expect, it } from 'vitest';
import { ArsError, type ErrorCode } from './error.js';
import { one, pure, runtimeOfTests } from './opened.fixture.js';
import type { Runtime } from './runtime.js';

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
  const document = one();
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
