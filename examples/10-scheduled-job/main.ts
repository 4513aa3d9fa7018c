import { OWNER, Runtime, readWorkflow } from 'agent-runtime-spec';

const runtime = await Runtime.open({
  workspace: process.argv[2] ?? 'out/examples/scheduled-job',
  actions: { count: () => ({ outputs: {}, state_changes: [{ key: 'reports', op: 'put', value: 1 }] }) },
});
await runtime.putRegistry({ workflows: [readWorkflow('examples/10-scheduled-job/report.yaml')] });

// The records from here on, each once it is durable; a reader that is slow, or leaves, holds nobody up.
const events = runtime.events();

const at = new Date(Date.now() + 50).toISOString();
await runtime.putJob({ job_id: 'soon', workflow_id: 'report@1.0.0', agent_id: OWNER, at }, OWNER);

for await (const { record_type, status, gate, node_id } of events) {
  console.log(record_type, gate ?? node_id ?? '-', status);
  if (status === 'workflow_completed') break;
}
await runtime.close();
