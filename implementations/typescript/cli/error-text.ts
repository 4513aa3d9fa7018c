import { ArsError } from '../error.js';
import { visible } from './code-frame.js';
import { nextCommand, withCommands } from './next-command.js';

/** Whether an error says that actions have no code. */
export function isWithoutCode(error: unknown): boolean {
  return error instanceof ArsError && error.code === 'not_found' && Array.isArray(error.details.actions);
}

/**
 * The message of an error for whoever sits at the command line: where that of the library says which call mends it, this
 * says which option or command does.
 */
export function messageOf(error: ArsError): string {
  const { actions, workflow_id, execution_id } = error.details;
  if (error.code === 'not_found' && Array.isArray(actions)) {
    const named = actions.map(key => `"${visible(String(key))}"`).join(', ');
    return `there is no code for ${named}; name the module that has it with --actions FILE`;
  }
  if (error.code === 'not_found' && typeof workflow_id === 'string')
    return `there is no workflow "${visible(workflow_id)}" in the registry; put it there with ${nextCommand('registry', 'put', 'FILE')}`;
  if (error.code === 'not_found' && typeof execution_id === 'string')
    return `${visible(error.message).replace(/\.$/, '')}; this lists the instances: ${nextCommand('runs')}`;
  return visible(withCommands(error.message));
}

/** Returns the lines that tell an error: its message, and what else is wrong in the same file. */
export function linesOf(error: ArsError): string[] {
  const { also } = error.details;
  return [messageOf(error), ...(Array.isArray(also) ? also.map(line => visible(String(line))) : [])];
}
