import { Command, Option } from 'commander';
import type { Agent } from '../../../schemas/types.js';
import { workspaceOption } from './audit-source.js';
import { byOption, formatOption, printAll, storedDocuments, withOperator } from './operator.js';
import { writeLine } from './output.js';

interface RegisterOptions {
  readonly workspace: string;
  readonly by: string;
  readonly trust: Agent['trust'];
  readonly until?: string;
  readonly description?: string;
}

const TRUSTS: readonly Agent['trust'][] = ['TRUSTED', 'CONDITIONAL', 'UNTRUSTED', 'UNKNOWN'];

const EXAMPLES = `
Examples:
  $ ars agent register planner                                          trusted, and permitted nothing yet
  $ ars permission grant --to planner --domain execution --actions execute --scope 'books.*'
  $ ars agent register planner --trust UNTRUSTED                        it may start nothing more
  $ ars agent list

The operator is the agent owner, which is there from the beginning and not listed.`;

/** Returns the sub-command `ars agent`. */
export function agentCommand(): Command {
  const agent = new Command('agent').description('who may ask for starts').addHelpText('after', EXAMPLES);
  agent
    .command('register')
    .description('make an agent known, or replace what is known of it')
    .argument('<agent_id>', 'its name')
    .addOption(new Option('--trust <trust>', 'how far it is trusted').choices(TRUSTS).default('TRUSTED'))
    .option('--until <time>', 'when trust that is CONDITIONAL lapses, as 2030-01-01T00:00:00.000Z')
    .option('--description <text>', 'who or what it is')
    .addOption(workspaceOption())
    .addOption(byOption())
    .action(async (agent_id: string, { workspace, by, trust, until, description }: RegisterOptions) => {
      const document: Agent = {
        agent_id,
        trust,
        ...(until === undefined ? {} : { trust_until: until }),
        ...(description === undefined ? {} : { description }),
      };
      await withOperator(workspace, runtime => runtime.registerAgent(document, by));
      await writeLine(`${agent_id} is ${trust}`);
    });
  agent
    .command('list')
    .description('list the agents')
    .addOption(workspaceOption())
    .addOption(formatOption())
    .action(({ workspace, format }: { workspace: string; format: 'text' | 'json' }) =>
      printAll(storedDocuments(workspace, 'agent', 'agent'), format, row, 'there is no agent but owner'),
    );
  return agent;
}

function row({ agent_id, trust, trust_until, description = '' }: Agent): string[] {
  return [agent_id, trust_until === undefined ? trust : `${trust} until ${trust_until}`, description];
}
