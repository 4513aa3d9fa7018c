import type { Result } from '../runner/property.js';
import { combine, EXIT, exitCode, type Verdict } from '../runner/verdict.js';
import type { Clause } from './clause.js';
import { colorsOf } from './color.js';
import { failureText } from './console.js';
import type { Replay } from './replay-file.js';

/** A requirement that the property is not about, and that the case does not violate: it holds where the case was seen whole. */
function metByTheWay({ contributions }: Result): Verdict {
  const open = contributions.map(({ verdict }) => verdict).find(verdict => verdict.verdict === 'HARNESS_ERROR');
  const reason = contributions
    .map(({ verdict }) => verdict)
    .find(verdict => verdict.verdict === 'INCONCLUSIVE' && verdict.reason !== 'not_reached');
  return open ?? reason ?? { verdict: 'PASS' };
}

/** Gives what a replay showed, and the exit code: 1 where the requirement was violated again. */
export function replayReport(
  replay: Replay,
  result: Result,
  options: { readonly file: string; readonly clauses: ReadonlyMap<string, Clause>; readonly color: boolean },
): { readonly text: string; readonly code: number } {
  const colors = colorsOf(options.color);
  const own = result.contributions.filter(({ requirement }) => requirement === replay.requirement);
  const verdict = own.length > 0 ? combine(own.map(contribution => contribution.verdict)) : metByTheWay(result);
  const again = result.counterexamples.find(({ requirement }) => requirement === replay.requirement);
  const notes = result.notes.map(note => `note: ${note}\n`).join('');
  if (again !== undefined) {
    const replayCommand = `ars-compliance replay ${options.file}`;
    return {
      text: `${failureText(again, options.clauses, replayCommand, colors)}\n${notes}`,
      code: EXIT.nonconforming,
    };
  }
  if (verdict.verdict === 'HARNESS_ERROR') {
    const text = `ars-compliance: the case of '${options.file}' cannot be run or judged: ${verdict.reason}\n`;
    return { text, code: EXIT.usage };
  }
  const code = exitCode([verdict]);
  const word = code === EXIT.conforms ? colors.green('PASS') : colors.yellow(verdict.verdict);
  const reason = 'reason' in verdict ? ` (${verdict.reason})` : '';
  return {
    text: `${word}${reason} ${replay.requirement}: ${code === EXIT.conforms ? 'the case does not violate it any more' : 'the case decided nothing'}\n${notes}`,
    code,
  };
}
