import type { Runtime } from '../runtime.js';
import { visible } from './code-frame.js';
import { nextCommand } from './next-command.js';

/** The executions in doubt of an instance and of all instances below it, in sequence order. */
export function doubtsOf(runtime: Runtime, instance_id: string): string[] {
  const query = { record_type: 'action', status: 'in_doubt', incomplete: true } as const;
  const found = new Set<string>();
  for (const { execution_id, context_id, parent_execution_id } of runtime.records(query))
    if (context_id === instance_id || parent_execution_id === instance_id) found.add(execution_id);
  return [...found];
}

/** That an execution is in doubt, and the command that says what became of it. */
export function doubtText(execution_id: string, workspace: string): string {
  const command = nextCommand(`ars resolve ${execution_id}`, workspace);
  return `${execution_id} is in doubt; say what became of it: ${visible(command)} --applied or --absent`;
}
