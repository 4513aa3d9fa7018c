import pc from 'picocolors';
import type { Result } from '../runner/property.js';
import { combine, EXIT, exitCode } from '../runner/verdict.js';
import type { Clause } from './clause.js';
import { failureText } from './console.js';
import type { Replay } from './replay-file.js';

/** Gives what a replay showed, and the exit code: 1 where the requirement was violated again. */
export function replayReport(
  replay: Replay,
  result: Result,
  options: { readonly file: string; readonly clauses: ReadonlyMap<string, Clause>; readonly color: boolean },
): { readonly text: string; readonly code: number } {
  const colors = pc.createColors(options.color);
  const own = result.contributions.filter(({ requirement }) => requirement === replay.requirement);
  const verdict = combine(own.map(contribution => contribution.verdict));
  const again = result.counterexamples.find(({ requirement }) => requirement === replay.requirement);
  const notes = result.notes.map(note => `note: ${note}\n`).join('');
  if (again !== undefined) {
    const replayCommand = `ars-compliance replay ${options.file}`;
    return {
      text: `${failureText(again, options.clauses, replayCommand, colors)}\n${notes}`,
      code: EXIT.nonconforming,
    };
  }
  const code = exitCode([verdict]);
  const word = code === EXIT.conforms ? colors.green('PASS') : colors.yellow(verdict.verdict);
  const reason = 'reason' in verdict ? ` (${verdict.reason})` : '';
  return {
    text: `${word}${reason} ${replay.requirement}: ${code === EXIT.conforms ? 'the case does not violate it any more' : 'the case decided nothing'}\n${notes}`,
    code,
  };
}
