import type { ReadPlace } from './reads.js';

/** What each place can read, beside `inputs`. */
export const READABLE: Readonly<Record<ReadPlace, readonly string[]>> = {
  input_mapping: ['context', 'nodes', 'error'],
  output_mapping: ['context', 'nodes', 'error', 'result'],
  expression: ['context', 'nodes', 'error'],
  outputs: ['context', 'nodes'],
  precondition: ['context'],
  postcondition: ['context', 'result'],
  success_condition: ['context', 'result', 'exit_code'],
};
