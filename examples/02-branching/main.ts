import { OWNER, Runtime, readWorkflow } from 'agent-runtime-spec';
import actions from './actions.mjs';

const runtime = await Runtime.open({ workspace: process.argv[2] ?? 'out/examples/branching', actions });
const workflow = readWorkflow('examples/02-branching/review.yaml');
for (const text of ['  a few calm words  ', 'THIS IS SHOUTED']) {
  const execution_id = await runtime.start({ workflow, inputs: { text }, agent_id: OWNER });
  const { outputs, trace } = await runtime.wait(execution_id, 10_000);
  console.log(outputs);
  console.log(trace.map(({ node_id, outcome }) => `${node_id}:${outcome}`).join(' '));
}
await runtime.close();
