import { ArsError, OWNER, Runtime, readWorkflow } from 'agent-runtime-spec';
import type { Policy } from 'agent-runtime-spec/schemas';

const runtime = await Runtime.open({
  workspace: process.argv[2] ?? 'out/examples/governance',
  actions: { 'note.write': () => ({ outputs: { text: 'Fog at noon.' } }) },
});
const wanted = { workflow: readWorkflow('examples/08-governance/note.yaml'), inputs: {}, agent_id: 'clerk' };

async function attempt(when: string): Promise<void> {
  try {
    const { status } = await runtime.wait(await runtime.start(wanted), 10_000);
    console.log(`${when}: ${status}`);
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    const { gate, reasons } = error.details as { gate: string; reasons: { code: string }[] };
    console.log(`${when}: ${error.code} by ${gate}, ${reasons.map(({ code }) => code).join(' ')}`);
  }
}

await attempt('nobody knows the clerk');
await runtime.registerAgent({ agent_id: 'clerk', trust: 'TRUSTED' }, OWNER);
await attempt('known, without a permission');
console.log(`which leaves the clerk ${runtime.agent('clerk')?.trust}`);
await runtime.registerAgent({ agent_id: 'clerk', trust: 'TRUSTED' }, OWNER);
await runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: 'clerk', granted_by: OWNER });
await attempt('with a permission');
const closed: Policy = { policy_id: 'closed', version: '1.0.0', level: 0, effect: 'deny', active: true };
await runtime.putPolicy(closed, OWNER);
await attempt('under a policy that denies all');
await runtime.putPolicy({ ...closed, active: false }, OWNER);
await attempt('once it is no longer active');
await runtime.close();
