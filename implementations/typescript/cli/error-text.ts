import { ArsError } from '../error.js';
import { visible } from './code-frame.js';
import { nextCommand, withCommands } from './next-command.js';

/** What is told of with this member of the details, what it is one of, and the command that lists those. */
const LISTS: readonly (readonly [detail: string, what: string, ...command: string[]])[] = [
  ['execution_id', 'instances', 'runs'],
  ['permission_id', 'permissions', 'permission', 'list'],
  ['entry_id', 'entries', 'index', 'list'],
];

/** Whether an error says that actions have no code. */
export function isWithoutCode(error: unknown): boolean {
  return error instanceof ArsError && error.code === 'not_found' && Array.isArray(error.details.actions);
}

/**
 * The message of an error for whoever sits at the command line: where that of the library says which call mends it, this
 * says which option or command does.
 */
export function messageOf(error: ArsError): string {
  const { actions, workflow_id } = error.details;
  if (error.code === 'not_found' && Array.isArray(actions)) {
    const named = actions.map(key => `"${visible(String(key))}"`).join(', ');
    return `there is no code for ${named}; name the module that has it with --actions FILE`;
  }
  if (error.code === 'not_found' && typeof workflow_id === 'string')
    return `there is no workflow "${visible(workflow_id)}" in the registry; put it there with ${nextCommand('registry', 'put', 'FILE')}`;
  const [, what, ...list] = LISTS.find(([name]) => error.code === 'not_found' && name in error.details) ?? [];
  if (what !== undefined)
    return `${visible(error.message).replace(/\.$/, '')}; this lists the ${what}: ${nextCommand(...list)}`;
  return visible(withCommands(error.message));
}

/** Returns the lines that tell an error: its message, and what else is wrong in the same file. */
export function linesOf(error: ArsError): string[] {
  const { also } = error.details;
  return [messageOf(error), ...(Array.isArray(also) ? also.map(line => visible(String(line))) : [])];
}
