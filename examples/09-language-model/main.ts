import { OWNER, Runtime, readWorkflow } from 'agent-runtime-spec';

/** Stands for a call of a model; a real one would wait for its service here, and give the signal on to it. */
let asked = 0;
function reply(question: string): { text: string; sure: boolean } {
  asked += 1;
  return question.includes('tide') ? { text: 'High tide is at noon.', sure: true } : { text: 'Perhaps.', sure: false };
}

const actions = {
  'model.reply': ({ inputs }: { inputs: Record<string, unknown> }) => ({ outputs: reply(String(inputs.question)) }),
  'text.pass': ({ inputs }: { inputs: Record<string, unknown> }) => ({ outputs: { text: inputs.text } }),
};
const workspace = process.argv[2] ?? 'out/examples/language-model';
const workflow = readWorkflow('examples/09-language-model/answer.yaml');

const runtime = await Runtime.open({ workspace, actions });
for (const question of ['When is high tide?', 'Who will win?']) {
  const execution_id = await runtime.start({ workflow, inputs: { question }, agent_id: OWNER });
  const { outputs } = await runtime.wait(execution_id, 10_000);
  console.log(outputs?.answer);
}
await runtime.close();

const later = await Runtime.open({ workspace, actions });
for (const { node_id, outputs } of later.records({ record_type: 'action', status: 'committed' }))
  if (node_id === 'reply') console.log(`recorded: ${JSON.stringify(outputs)}`);
console.log(`the model was asked ${asked} times`);
await later.close();
