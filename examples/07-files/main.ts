import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileActions, OWNER, Runtime, readWorkflow } from 'agent-runtime-spec';

const folder = process.argv[2] ?? 'out/examples/files';
const root = join(folder, 'site');
mkdirSync(root, { recursive: true });
writeFileSync(join(root, 'page.txt'), '# An older page\n');

const files = fileActions({ root });
const runtime = await Runtime.open({
  workspace: join(folder, 'workspace'),
  actions: {
    ...files.functions,
    'page.check': ({ inputs }) => {
      if (String(inputs.title).trim() !== '') return { outputs: {} };
      return { error: { error_class: 'E4', detail: 'a title has words', effect: 'none' } };
    },
  },
});
await runtime.putRegistry({ actions: [...files.definitions] });
const workflow = readWorkflow('examples/07-files/publish.yaml');
for (const title of [' ', 'Tides']) {
  const execution_id = await runtime.start({ workflow, inputs: { title }, agent_id: OWNER });
  const { status } = await runtime.wait(execution_id, 10_000);
  const page = readFileSync(join(root, 'page.txt'), 'utf8').trim();
  console.log(`${status}: the page says "${page}", ${existsSync(join(root, 'index.txt')) ? 'an' : 'no'} index`);
}
await runtime.close();
