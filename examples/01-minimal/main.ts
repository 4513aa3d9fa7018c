import { OWNER, Runtime, readWorkflow } from 'agent-runtime-spec';

const runtime = await Runtime.open({
  workspace: process.argv[2] ?? 'out/examples/minimal',
  actions: { greet: ({ inputs }) => ({ outputs: { text: `Hello, ${inputs.name}!` } }) },
});
const workflow = readWorkflow('examples/01-minimal/hello.yaml');
const execution_id = await runtime.start({ workflow, inputs: { name: 'Ada' }, agent_id: OWNER });
const { status, outputs, error } = await runtime.wait(execution_id, 10_000);
console.log(status, error ?? outputs);
await runtime.close();
