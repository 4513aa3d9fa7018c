import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArsError } from '../error.js';
import { OWNER, Runtime } from '../runtime.js';
import { readWorkflow } from '../workflow-file.js';
import { askConsent, CLI_AGENT, consentAdvice, registerCli, riskText } from './consent.js';

const workflow = readWorkflow('examples/04-confirmation/post-letter.yaml');
const wanted = { workflow, inputs: {}, agent_id: CLI_AGENT };
let workspace: string;
let runtime: Runtime;
let printed: string;

beforeEach(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'ars-consent-'));
  const actions = {
    'letter.write': () => ({ outputs: { text: 'dear' } }),
    'letter.post': () => ({ outputs: { posted: 'dear' } }),
  };
  runtime = await Runtime.open({ workspace, actions });
  printed = '';
  vi.spyOn(process.stderr, 'write').mockImplementation(text => {
    printed += String(text);
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await runtime.close();
  rmSync(workspace, { recursive: true, force: true });
});

async function question(agent_id = CLI_AGENT) {
  const { dry_run: risk } = await runtime.start({ ...wanted, agent_id, dry_run: true });
  return { name: 'post-letter', agent_id, risk, causes: runtime.causes(workflow) };
}

describe('the agent of the command line', () => {
  it('is registered once, and stays what an operator made of it', async () => {
    await registerCli(runtime);
    expect(runtime.agent(CLI_AGENT)?.trust).toBe('TRUSTED');
    await runtime.registerAgent({ agent_id: CLI_AGENT, trust: 'UNTRUSTED' }, OWNER);
    await runtime.revoke('cli-execute', OWNER);
    await registerCli(runtime);
    expect(runtime.agent(CLI_AGENT)?.trust).toBe('UNTRUSTED');
    await expect(runtime.start({ ...wanted, dry_run: true })).rejects.toMatchObject({ code: 'denied' });
  });

  it('runs what the person at the command line confirmed', async () => {
    await registerCli(runtime);
    const confirmation_id = (await askConsent(runtime, await question(), 'yes')) as string;
    expect(printed).toContain('IRREVERSIBLE');
    expect(printed).toContain('post (letter.post)');
    expect(printed).not.toContain('letter.write');
    const id = await runtime.start({ ...wanted, confirmation_id });
    expect((await runtime.wait(id, 5_000)).status).toBe('completed');
    const [approval] = runtime.records({ record_type: 'approval' });
    expect(approval).toMatchObject({ agent_id: OWNER, granted_to: CLI_AGENT });
  });
});

describe('asking', () => {
  it('asks nobody about what needs no confirmation', async () => {
    await registerCli(runtime);
    const risk = { ...(await question()).risk, safety_level: 'SAFE' as const };
    expect(await askConsent(runtime, { ...(await question()), risk }, true)).toBeUndefined();
    expect(riskText({ name: 'w', risk, causes: [] })).toContain('SAFE');
  });

  it('refuses where nobody can be asked, and where the person is the agent', async () => {
    await registerCli(runtime);
    await expect(askConsent(runtime, await question(), true)).rejects.toMatchObject({ code: 'usage' });
    await expect(askConsent(runtime, await question(OWNER), 'yes')).rejects.toMatchObject({ code: 'usage' });
    expect([...runtime.records({ record_type: 'approval' })]).toEqual([]);
  });

  it('asks about what is safe where a policy wants a confirmation', async () => {
    await registerCli(runtime);
    await runtime.putPolicy({ policy_id: 'ask', version: '1.0.0', level: 1, effect: 'conditional' }, OWNER);
    const risk = { ...(await question()).risk, safety_level: 'SAFE' as const };
    const asked = { ...(await question()), risk, causes: [], by_policy: true };
    expect(await askConsent(runtime, asked, 'yes')).toBeTypeOf('string');
    expect(printed).toContain('a policy asks for a confirmation');
    const denied = await runtime.start(wanted).catch((error: unknown) => error);
    expect(denied).toMatchObject({ details: { gate: 'governance' } });
    expect(consentAdvice(denied, 'ars run FILE')).toContain('ars run FILE --confirm');
  });

  it('is told every reason of a denial', async () => {
    await registerCli(runtime);
    const denied = (await runtime.start(wanted).catch((error: unknown) => error)) as ArsError;
    const reasons = denied.details.reasons as { code: string; message: string }[];
    expect(reasons.map(({ code }) => code)).toEqual(['CONFIRMATION_NEEDED', 'DRY_RUN_NEEDED']);
    for (const { message } of reasons) expect(denied.message).toContain(message.replace(/\.$/, ''));
  });

  it('is advised only where a confirmation would help', async () => {
    await registerCli(runtime);
    const denied = await runtime.start(wanted).catch((error: unknown) => error);
    expect(consentAdvice(denied, 'ars run FILE')).toContain('ars run FILE --confirm=yes');
    expect(consentAdvice(new ArsError('denied', '', { details: { gate: 'governance' } }), '')).toBeUndefined();
  });
});
