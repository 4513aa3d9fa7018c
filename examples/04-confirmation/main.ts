import { ArsError, OWNER, Runtime, readWorkflow } from 'agent-runtime-spec';
import actions from './actions.mjs';

const runtime = await Runtime.open({ workspace: process.argv[2] ?? 'out/examples/confirmation', actions });
const agent_id = 'clerk';
if (runtime.agent(agent_id) === undefined) {
  await runtime.registerAgent({ agent_id, trust: 'TRUSTED' }, OWNER);
  await runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: agent_id, granted_by: OWNER });
}
const wanted = { workflow: readWorkflow('examples/04-confirmation/post-letter.yaml'), inputs: {}, agent_id };

async function attempt(confirmation_id?: string): Promise<void> {
  try {
    const execution_id = await runtime.start({ ...wanted, ...(confirmation_id && { confirmation_id }) });
    const { status, outputs } = await runtime.wait(execution_id, 10_000);
    console.log(status, outputs);
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    const { gate, reasons } = error.details as { gate: string; reasons: { code: string }[] };
    console.log(error.code, 'by', gate, reasons.map(({ code }) => code).join(' '));
  }
}

await attempt();
const { dry_run } = await runtime.start({ ...wanted, dry_run: true });
console.log('dry run:', dry_run.safety_level);
const { resolved_digest, inputs_digest } = dry_run;
const expires_at = new Date(Date.now() + 60_000).toISOString();
const confirmation_id = await runtime.approve({
  resolved_digest,
  inputs_digest,
  agent_id,
  approver: OWNER,
  expires_at,
});
await attempt(confirmation_id);
await attempt(confirmation_id);
await runtime.close();
