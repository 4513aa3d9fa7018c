import type { Compared, DiffResult, Disagreement, Seen } from '../runner/diff.js';
import { EXIT } from '../runner/verdict.js';
import { type Colors, colorsOf } from './color.js';
import { caseText } from './console.js';
import { seenText } from './transcript-text.js';
import { quoted } from './words.js';

/** Two runtimes as one calls them. */
export interface Names {
  readonly a: string;
  readonly b: string;
}

/**
 * Gives what came of a comparison: the smallest case at which the two part, where they do, and how to run it again, where
 * it is kept in a file.
 */
export function diffReport(result: DiffResult, names: Names, color: boolean, file?: string): string {
  const colors = colorsOf(color);
  const { passed_over } = result;
  const kinds = Object.entries(result.compared).filter(([, count]) => count > 0);
  const told = kinds.length === 0 ? '0 cases' : kinds.map(([name, count]) => `${count} ${name}`).join(', ');
  const counts = `compared: ${told}${passed_over > 0 ? `; ${passed_over} passed over, since one refused them as unsupported or did not end` : ''}`;
  const heading = headingOf(names, colors);
  if (result.disagreement === undefined) {
    const word = kinds.length === 0 ? colors.yellow('Nothing could be compared.') : colors.green('They agree.');
    return `${heading}\n\n${counts}\n${word}\n`;
  }
  return `${heading}\n\n${disagreement(result.disagreement, colors)}${file === undefined ? '' : `\nreplay: ars-compliance replay ${quoted(file)}`}\n\n${counts}\n${colors.red('They disagree.')}\n`;
}

/** Gives what came of a case that was run again by two runtimes, and the exit code: 1 where they part again. */
export function comparedReport(
  { word, a, b }: Compared,
  names: Names,
  color: boolean,
): { readonly text: string; readonly code: number } {
  const colors = colorsOf(color);
  const heading = headingOf(names, colors);
  if (word === 'agree') return { text: `${heading}\n\n${colors.green('They agree.')}\n`, code: EXIT.conforms };
  if (word === 'open') {
    const told = 'One of them refused the case as unsupported or did not end: nothing can be compared.';
    return { text: `${heading}\n\n${colors.yellow(told)}\n`, code: EXIT.inconclusive };
  }
  const text = `${heading}\n\n${partingText({ a, b }, colors)}\n\n${colors.red('They disagree.')}\n`;
  return { text, code: EXIT.nonconforming };
}

function headingOf({ a, b }: Names, colors: Colors): string {
  return colors.bold(`A ${a}\nB ${b}`);
}

function disagreement({ case: value, a, b, shrinks }: Disagreement, colors: Colors): string {
  const head = `They part at this case, made smaller ${shrinks} times:`;
  return [head, indented(caseText(value)), '', partingText({ a, b }, colors)].join('\n');
}

/** Where two runtimes part at a case, and what was seen of each. */
function partingText({ a, b }: Pick<Disagreement, 'a' | 'b'>, colors: Colors): string {
  return [
    'Where they part:',
    ...parting(decisionsOf(a), decisionsOf(b), colors),
    '',
    colors.bold('A'),
    indented('error' in a ? a.error : seenText(a.evidence)),
    colors.bold('B'),
    indented('error' in b ? b.error : seenText(b.evidence)),
  ].join('\n');
}

function decisionsOf(seen: Seen): unknown {
  return 'error' in seen ? seen.error : seen.decisions;
}

/** The members in which two values differ, or the values. */
function parting(a: unknown, b: unknown, colors: Colors): string[] {
  const show = (value: unknown) => JSON.stringify(value) ?? 'nothing';
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') {
    return [colors.red(`  A ${show(a)}`), colors.green(`  B ${show(b)}`)];
  }
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return Object.keys(left)
    .filter(key => show(left[key]) !== show(right[key]))
    .flatMap(key => {
      const [only_a, only_b] = without(left[key], right[key], show);
      return [`  ${key}`, colors.red(`    A ${show(only_a)}`), colors.green(`    B ${show(only_b)}`)];
    });
}

/** Of two lists what the other does not have; other values as they are. */
function without(a: unknown, b: unknown, show: (value: unknown) => string): [unknown, unknown] {
  if (!Array.isArray(a) || !Array.isArray(b)) return [a, b];
  const [shown_a, shown_b] = [new Set(a.map(show)), new Set(b.map(show))];
  const [left, right] = [a.filter(item => !shown_b.has(show(item))), b.filter(item => !shown_a.has(show(item)))];
  return left.length + right.length === 0 ? [a, b] : [left, right];
}

function indented(text: string): string {
  return text
    .split('\n')
    .map(line => `  ${line}`)
    .join('\n');
}
