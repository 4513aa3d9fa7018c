import { OWNER, Runtime, readWorkflow } from 'agent-runtime-spec';
import actions from './actions.mjs';

const runtime = await Runtime.open({ workspace: process.argv[2] ?? 'out/examples/skill', actions });
await runtime.putRegistry({ workflows: [readWorkflow('examples/06-skill/summary.yaml')] });
const workflow = readWorkflow('examples/06-skill/briefing.yaml');
const inputs = {
  morning: 'The harbour is open. Two ships came in before noon.',
  evening: 'Fog closes the harbour. Nothing sails until it lifts.',
};
const execution_id = await runtime.start({ workflow, inputs, agent_id: OWNER });
const { status, outputs } = await runtime.wait(execution_id, 10_000);
console.log(status, outputs);
for (const record of runtime.records({ context_id: execution_id, record_type: 'workflow' })) {
  const depth = record.parent_execution_id === undefined ? '' : '  ';
  console.log(`${depth}${record.workflow_id} ${record.status}`, record.outputs ?? '');
}
await runtime.close();
