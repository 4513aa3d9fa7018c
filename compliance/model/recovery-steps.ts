import type { Decision } from './judgement.js';

/** One record that a decision leads to: its type, its status, and whose it is. */
export type StepRecord = readonly [type: string, status: string, of: 'original' | 'undo' | 'redo'];

/** The records of one atomic step. */
export type AtomicStep = readonly StepRecord[];

/** How an undo, or the redo of one, ends. */
export type UndoEnd = 'committed' | 'failed';

/** The atomic steps in which a decision about an interrupted or failed execution is carried out (Ch6). */
export function stepsOf(decision: Decision, undo: UndoEnd): readonly AtomicStep[] {
  const decided: StepRecord = ['recovery', decision, 'original'];
  const action = (status: string): StepRecord => ['action', status, 'original'];
  switch (decision) {
    case 'commit':
      return [[decided, action('committed')]];
    case 'close':
      return [[decided, action('failed')]];
    case 'in_doubt':
      return [[decided, action('in_doubt')]];
    case 'redo':
      return [[decided, action('failed'), ['action', 'pending', 'redo']]];
    default:
      return [[decided], [['action', 'pending', 'undo']], endOf('undo', undo)];
  }
}

/** The decision about an interrupted undo of an execution that has not committed, and its steps (Ch6). */
export function undoRecovery(
  probe: string,
  redos: number,
  redo: UndoEnd,
): { readonly decision: 'commit' | 'redo' | 'close'; readonly steps: readonly AtomicStep[] } {
  if (probe === 'applied')
    return { decision: 'commit', steps: [[['recovery', 'commit', 'undo'], ...endOf('undo', 'committed')]] };
  if (redos >= 3) return { decision: 'close', steps: [[['recovery', 'close', 'undo'], ...endOf('undo', 'failed')]] };
  const again: AtomicStep = [
    ['recovery', 'redo', 'undo'],
    ['action', 'failed', 'undo'],
    ['action', 'pending', 'redo'],
  ];
  return { decision: 'redo', steps: [again, endOf('redo', redo)] };
}

function endOf(of: 'undo' | 'redo', end: UndoEnd): AtomicStep {
  return [
    ['action', end, of],
    ['action', end === 'committed' ? 'failed' : 'in_doubt', 'original'],
  ];
}
