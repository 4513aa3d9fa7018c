import { OWNER, Runtime, readWorkflow } from 'agent-runtime-spec';
import actions, { reserved } from './actions.mjs';

const runtime = await Runtime.open({ workspace: process.argv[2] ?? 'out/examples/error-handling', actions });
const workflow = readWorkflow('examples/05-error-handling/order.yaml');
for (const article of ['bicycle', 'tricycle']) {
  const execution_id = await runtime.start({ workflow, inputs: { article }, agent_id: OWNER });
  const { status, outputs, trace } = await runtime.wait(execution_id, 10_000);
  console.log(article, status, outputs ?? '');
  console.log(
    trace
      .filter(entry => entry.outcome !== 'skipped')
      .map(({ node_id, outcome }) => `${node_id}:${outcome}`)
      .join(' '),
  );
}
console.log('still reserved:', [...reserved]);
for (const { node_id, status } of runtime.records({ status: 'compensated', record_type: 'action' }))
  console.log(node_id, status);
await runtime.close();
