import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent, Permission, Workflow } from '../../schemas/types.js';
import { ArsError } from './error.js';
import { checkLines } from './governance/log-check.js';
import { keep as workflow } from './keep.fixture.js';
import { OWNER, Runtime } from './runtime.js';

let workspace: string;
let runtime: Runtime;

beforeEach(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'ars-agents-'));
  runtime = await Runtime.open({ workspace, actions: { put: () => ({ outputs: {} }) } });
  await register('TRUSTED');
});
afterEach(async () => {
  expect(checkLines(runtime.readAs(OWNER).lines())).toEqual([]);
  await runtime.close();
  rmSync(workspace, { recursive: true, force: true });
});

const register = (trust: Agent['trust']) => runtime.registerAgent({ agent_id: 'ada', trust }, OWNER);
const execute: Permission = { domain: 'execution', actions: ['execute'], granted_to: 'ada', granted_by: OWNER };

/** Trust as it falls. */
const FALLING: readonly Agent['trust'][] = ['TRUSTED', 'CONDITIONAL', 'UNTRUSTED'];

/** The reason of a denial, the code of another error, or `done`. */
async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    const [reason] = (error.details.reasons ?? []) as { code: string }[];
    return reason?.code ?? error.code;
  }
}

const started = (wanted: Workflow) => outcome(runtime.start({ workflow: wanted, inputs: {}, agent_id: 'ada' }));
const start = () => started(workflow);
const trusts = () => [...runtime.records({ record_type: 'gate' })].flatMap(({ trust_after }) => trust_after ?? []);

describe('what happens at one time', () => {
  it('lets trust fall by one level for each denial', async () => {
    expect(await Promise.all([start(), start(), start()])).toEqual(Array(3).fill('MISSING_PERMISSION'));
    expect(trusts()).toEqual(['CONDITIONAL', 'UNTRUSTED', 'UNTRUSTED']);
    expect(runtime.agent('ada')?.trust).toBe('UNTRUSTED');
  });

  it('does not lose a registration to a denial that was decided before it', async () => {
    expect(await Promise.all([outcome(register('UNKNOWN')), start()])).toEqual(['done', 'SECURITY_BREACH']);
    expect(runtime.agent('ada')?.trust).toBe('UNKNOWN');
    expect([...runtime.records({ record_type: 'trust' })].map(({ trust_after }) => trust_after)).toEqual(['UNKNOWN']);
  });

  it('lets no start rely on a trust that is falling', async () => {
    for (const scope of ['keep', 'put']) await runtime.grant({ ...execute, scope });
    const other = { ...workflow, workflow: { name: 'other', version: '1.0.0' } };
    expect(await Promise.all([started(other), start(), start()])).toEqual(['MISSING_PERMISSION', 'done', 'done']);
    expect(await Promise.all([outcome(register('UNTRUSTED')), start()])).toEqual(['done', 'UNTRUSTED']);
    const told = [...runtime.records()].flatMap(({ trust_after }) => trust_after ?? []);
    expect(told).toEqual(told.toSorted((one, other) => FALLING.indexOf(one) - FALLING.indexOf(other)));
    expect([told.includes('CONDITIONAL'), told.at(-1)]).toEqual([true, 'UNTRUSTED']);
  });

  it('grants a name once', async () => {
    const named = (scope: string) => outcome(runtime.grant({ ...execute, permission_id: 'p', scope }));
    expect(await Promise.all([named('keep'), named('*')])).toEqual(['done', 'conflict']);
    expect(await start()).toBe('MISSING_PERMISSION');
    expect(await Promise.all([outcome(runtime.revoke('p', OWNER)), named('*')])).toEqual(['done', 'done']);
    await register('TRUSTED');
    expect(await start()).toBe('done');
  });

  it('leaves trust as it is in a dry run', async () => {
    const simulated = () => outcome(runtime.start({ workflow, inputs: {}, agent_id: 'ada', dry_run: true }));
    expect(await Promise.all([simulated(), simulated()])).toEqual(Array(2).fill('MISSING_PERMISSION'));
    expect(trusts()).toEqual(['TRUSTED', 'TRUSTED']);
  });
});
