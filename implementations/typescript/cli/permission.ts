import { Command, Option } from 'commander';
import { loadSchema } from '../../../schemas/index.js';
import type { Permission, PermittedAction } from '../../../schemas/types.js';
import { workspaceOption } from './audit-source.js';
import { byOption, formatOption, printAll, storedDocuments, withOperator } from './operator.js';
import { writeLine } from './output.js';

interface GrantOptions {
  readonly workspace: string;
  readonly by: string;
  readonly to: string;
  readonly domain: Permission['domain'];
  readonly actions: PermittedAction[];
  readonly scope?: string;
  readonly until?: string;
  readonly id?: string;
}

interface ListOptions {
  readonly workspace: string;
  readonly agent?: string;
  readonly format: 'text' | 'json';
}

const EXAMPLES = `
Examples:
  $ ars permission grant --to planner --domain execution --actions execute --scope 'books.*'
  $ ars permission grant --to auditor --domain audit --actions read --until 2030-01-01T00:00:00.000Z
  $ ars permission list --agent planner
  $ ars permission revoke PERMISSION_ID

A scope is a name, or the beginning of names followed by *. To start a workflow an agent needs execution: execute for it,
for the workflows that it runs as skills, and for every action of them.`;

/** Returns the sub-command `ars permission`. */
export function permissionCommand(): Command {
  const permission = new Command('permission').description('what agents may do').addHelpText('after', EXAMPLES);
  permission
    .command('grant')
    .description('permit an agent something, and print the name of the permission')
    .requiredOption('--to <agent_id>', 'who may')
    .addOption(new Option('--domain <domain>', 'the area').choices(wordsOf('/properties/domain')).makeOptionMandatory())
    .addOption(
      new Option('--actions <actions...>', 'what may be done there')
        .choices(wordsOf('/properties/actions/items'))
        .makeOptionMandatory(),
    )
    .option('--scope <scope>', 'on what; without it on everything')
    .option('--until <time>', 'when it lapses, as 2030-01-01T00:00:00.000Z')
    .option('--id <permission_id>', 'its name; without it one is made')
    .addOption(workspaceOption())
    .addOption(byOption())
    .action(async (options: GrantOptions) => {
      const { workspace, by, to, domain, actions, scope, until, id } = options;
      const document: Permission = {
        domain,
        actions,
        granted_to: to,
        granted_by: by,
        ...(scope === undefined ? {} : { scope }),
        ...(until === undefined ? {} : { valid_until: until }),
        ...(id === undefined ? {} : { permission_id: id }),
      };
      await writeLine(await withOperator(workspace, runtime => runtime.grant(document)));
    });
  permission
    .command('revoke')
    .description('take a permission back')
    .argument('<permission_id>', 'its name, as ars permission list tells it')
    .addOption(workspaceOption())
    .addOption(byOption())
    .action(async (permission_id: string, { workspace, by }: { workspace: string; by: string }) => {
      await withOperator(workspace, runtime => runtime.revoke(permission_id, by));
      await writeLine(`${permission_id} is revoked`);
    });
  permission
    .command('list')
    .description('list the permissions that were granted and not revoked')
    .option('--agent <agent_id>', 'only those of this agent')
    .addOption(workspaceOption())
    .addOption(formatOption())
    .action(({ workspace, agent, format }: ListOptions) => {
      const all = storedDocuments(workspace, 'permission', 'permission');
      const wanted = all.filter(({ granted_to }) => agent === undefined || granted_to === agent);
      return printAll(wanted, format, row, 'there is no permission but those of owner');
    });
  return permission;
}

function wordsOf(pointer: string): readonly string[] {
  let schema: unknown = loadSchema('permission');
  for (const name of pointer.split('/').slice(1)) schema = (schema as Record<string, unknown>)[name];
  return (schema as { enum: readonly string[] }).enum;
}

function row({ permission_id = '', granted_to, domain, actions, scope = '*', valid_until }: Permission): string[] {
  const until = valid_until === undefined ? '' : `until ${valid_until}`;
  return [permission_id, granted_to, `${domain}: ${actions.join(', ')}`, scope, until];
}
