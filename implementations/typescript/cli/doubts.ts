import type { Runtime } from '../runtime.js';
import { nextCommand } from './next-command.js';

/** The executions in doubt of an instance and of all instances below it, however deep, in sequence order. */
export function doubtsOf(runtime: Runtime, instance_id: string): string[] {
  const query = { record_type: 'action', status: 'in_doubt', incomplete: true } as const;
  /** Whether an instance is the one that is asked for, or below it. */
  const known = new Map([[instance_id, true]]);
  const isBelow = (id: string | undefined): boolean => {
    const passed: string[] = [];
    let at = id;
    while (at !== undefined && !known.has(at)) {
      passed.push(at);
      known.set(at, false);
      const [started] = [...runtime.records({ execution_id: at, record_type: 'workflow', limit: 1 })];
      at = started?.parent_execution_id;
    }
    const found = at !== undefined && known.get(at) === true;
    for (const one of passed) known.set(one, found);
    return found;
  };
  const found = new Set<string>();
  for (const { execution_id, parent_execution_id } of runtime.records(query))
    if (isBelow(parent_execution_id)) found.add(execution_id);
  return [...found];
}

/** That an execution is in doubt, and the two commands of which one says what became of it. */
export function doubtText(execution_id: string): string {
  const applied = nextCommand('resolve', execution_id, '--applied');
  const absent = nextCommand('resolve', execution_id, '--absent');
  return `${execution_id} is in doubt; say what became of it: ${applied}\n  or, where it did not take place: ${absent}`;
}
