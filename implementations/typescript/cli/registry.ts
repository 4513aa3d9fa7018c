import { Command } from 'commander';
import { isValid } from '../../../schemas/index.js';
import { ArsError } from '../error.js';
import { actionKey } from '../execution/contract.js';
import { workflowKey } from '../workflow/resolve.js';
import { workspaceOption } from './audit-source.js';
import { collect } from './collect.js';
import { nextCommand } from './next-command.js';
import { byOption, printAll, storedDocuments, withOperator } from './operator.js';
import { writeLine } from './output.js';
import { explainConflict } from './run-files.js';
import { demandWorkspace } from './workspace-option.js';

interface RegistryOptions {
  readonly workspace: string;
  readonly by: string;
}

const EXAMPLES = `
Examples:
  $ ars registry put flows/close.yaml actions.yaml    make definitions known to the workspace
  $ ars registry list
  $ ars registry remove books.close@1.0.0             what runs with it goes on; its scheduled jobs become inactive`;

/** Returns the sub-command `ars registry`. */
export function registryCommand(): Command {
  const registry = new Command('registry')
    .description('the workflows and actions that a workspace knows')
    .addHelpText('after', EXAMPLES);
  registry
    .command('put')
    .description('add the workflows and registries of files; a version that is there never changes')
    .argument('<files...>', 'workflows and registries in YAML or JSON; - is standard input')
    .addOption(workspaceOption())
    .addOption(byOption())
    .action(put);
  registry
    .command('remove')
    .description('take definitions out')
    .argument('<definitions...>', 'each as name@version')
    .addOption(workspaceOption())
    .addOption(byOption())
    .action(remove);
  registry
    .command('list')
    .description('list the definitions')
    .addOption(workspaceOption())
    .action(({ workspace }: RegistryOptions) => {
      const actions = storedDocuments(workspace, 'action', 'action').map(action => ['action', actionKey(action)]);
      const workflows = storedDocuments(workspace, 'workflow', 'workflow').map(one => ['workflow', workflowKey(one)]);
      return printAll([...actions, ...workflows], 'text', cells => cells, 'there is no definition');
    });
  return registry;
}

async function put(files: readonly string[], { workspace, by }: RegistryOptions): Promise<void> {
  const { documents, registry, problems } = await collect(files.map(file => ({ file, named: true })));
  if (problems.length > 0) throw new ArsError('usage', problems.join('; '));
  const unfit = documents.find(({ value }) => !isValid('workflow', value));
  if (unfit !== undefined)
    throw new ArsError(
      'invalid_document',
      `"${unfit.file}" holds no sound workflow; ${nextCommand('verify', unfit.file)} tells why`,
    );
  const actions = registry?.actions ?? [];
  const workflows = [
    ...(registry?.workflows ?? []),
    ...documents.flatMap(({ value }) => (isValid('workflow', value) ? [value] : [])),
  ];
  try {
    await withOperator(workspace, runtime => runtime.putRegistry({ actions, workflows }, by));
  } catch (error) {
    throw explainConflict(error, workspace);
  }
  for (const id of [...actions.map(actionKey), ...workflows.map(workflowKey)]) await writeLine(id);
}

async function remove(ids: readonly string[], { workspace, by }: RegistryOptions): Promise<void> {
  demandWorkspace(workspace, 'there is no definition in it');
  const known = new Set(storedDocuments(workspace, 'workflow', 'workflow').map(workflowKey));
  const workflows = ids.filter(id => known.has(id));
  const actions = ids.filter(id => !known.has(id));
  await withOperator(workspace, runtime => runtime.removeRegistry({ actions, workflows }, by));
  for (const id of ids) await writeLine(`${id} is removed`);
}
