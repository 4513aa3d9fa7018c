import { Command } from 'commander';
import type { Policy } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { contradictoryPolicy } from '../governance/policy.js';
import { workspaceOption } from './audit-source.js';
import { errorColors } from './color.js';
import { nextCommand } from './next-command.js';
import { byOption, formatOption, printAll, readAll, storedDocuments, withOperator } from './operator.js';
import { writeLine } from './output.js';

interface PolicyOptions {
  readonly workspace: string;
  readonly by: string;
}

const EXAMPLES = `
Examples:
  $ ars policy put no-purge.yaml      from now on it counts in every decision
  $ ars policy off no-purge@1.0.0     a version never changes but in whether it is in force
  $ ars policy list

`;

const FIELDS = `
A file holds one or more policies, in YAML or JSON:
  policy_id, version   its name; a version never changes but in whether it is in force (active)
  level                0 global, whose denial nothing outvotes; 1 workspace; 2 agent; 3 workflow
  effect               allow, deny, or conditional: a start needs a confirmation
  scope                which starts: at levels 0 and 1 names of workflows and actions, at 2 agent_ids, at 3 names of
                       workflows; purge.* is all names that begin so; absent: all
  condition            an expression of agent, workflow, inputs, context and safety_level (SAFE, CONDITIONALLY_SAFE, RISKY
                       or IRREVERSIBLE), as: safety_level != "SAFE" && inputs.amount > 1000.0; absent: always
Of the policies that apply, those of the highest level number decide, deny before conditional before allow. No policy gives a
permission.`;

/** Returns the sub-command `ars policy`. */
export function policyCommand(): Command {
  const policy = new Command('policy')
    .description('rules about what may be started')
    .addHelpText('after', `${EXAMPLES}${FIELDS}`);
  policy
    .command('put')
    .description('put the policies of files in force')
    .argument('<files...>', 'policies in YAML or JSON; - is standard input')
    .addOption(workspaceOption())
    .addOption(byOption())
    .addHelpText('after', FIELDS)
    .action(async (files: string[], { workspace, by }: PolicyOptions) => {
      const policies = await readAll('policy', files);
      await withOperator(workspace, async runtime => {
        for (const one of policies) {
          await runtime.putPolicy(one, by);
          await writeLine(`${nameOf(one)} is ${one.active === false ? 'off' : 'in force'}`);
        }
      });
      warnOfContradiction(workspace);
    });
  for (const [name, active, description] of [
    ['on', true, 'put a version of a policy in force again'],
    ['off', false, 'take a version of a policy out of force; it stays known'],
  ] as const)
    policy
      .command(name)
      .description(description)
      .argument('<policy_id@version>', 'the version')
      .addOption(workspaceOption())
      .addOption(byOption())
      .action((id: string, options: PolicyOptions) => turn(id, active, options));
  policy
    .command('list')
    .description('list all versions of all policies')
    .addOption(workspaceOption())
    .addOption(formatOption())
    .action(({ workspace, format }: { workspace: string; format: 'text' | 'json' }) =>
      printAll(storedDocuments(workspace, 'policy', 'policy'), format, row, 'there is no policy'),
    );
  return policy;
}

async function turn(id: string, active: boolean, { workspace, by }: PolicyOptions): Promise<void> {
  const found = storedDocuments(workspace, 'policy', 'policy').find(policy => nameOf(policy) === id);
  if (found === undefined)
    throw new ArsError(
      'not_found',
      `there is no policy "${id}"; ${nextCommand('policy', 'list')} tells which there are`,
    );
  await withOperator(workspace, runtime => runtime.putPolicy({ ...found, active }, by));
  await writeLine(`${id} is ${active ? 'in force' : 'off'}`);
  warnOfContradiction(workspace);
}

/** Says on stderr where two versions of one policy are in force, which no start survives. */
function warnOfContradiction(workspace: string): void {
  const found = contradictoryPolicy(storedDocuments(workspace, 'policy', 'policy'));
  if (found === undefined) return;
  const { policy_id, versions } = found;
  const others = versions.map(version => nextCommand('policy', 'off', `${policy_id}@${version}`)).join(' or ');
  process.stderr.write(
    `${errorColors().yellow('!')} nothing starts while more than one version of the policy ${policy_id} is in force: ${others}\n`,
  );
}

function nameOf({ policy_id, version }: Policy): string {
  return `${policy_id}@${version}`;
}

function row(policy: Policy): string[] {
  const { active = true, level, effect, scope = '*', condition = '' } = policy;
  return [nameOf(policy), active ? 'in force' : 'off', `level ${level}`, effect, scope, condition];
}
