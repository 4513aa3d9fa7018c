import type { Fence } from '../fences.js';

/** A command of a console block and what stands below it. */
export interface Step {
  readonly command: string;
  readonly output: readonly string[];
}

/** Gives the commands of a block with their outputs: a line that begins with `$ ` is a command. */
export function stepsOf(text: string): Step[] {
  const steps: { command: string; output: string[] }[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2).trim(), output: [] });
    else steps.at(-1)?.output.push(line);
  }
  return steps;
}

/** Tells whether a block shows outputs, and so has to be played; one without is a list of things to type. */
export function isPlayed(fence: Fence): boolean {
  return stepsOf(fence.text).some(({ output }) => output.some(line => line.trim() !== ''));
}

/** What differs from run to run, and what stands for it in a comparison. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID'],
  [/sha256:[0-9a-f]{64}/g, 'sha256:DIGEST'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME'],
  [/\b\d+(?:\.\d+)? (ms|s)\b/g, 'N $1'],
];

/** Gives a line with identifiers, digests and times replaced by words. */
export function settled(line: string): string {
  return VOLATILE.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), line).trimEnd();
}

/** Where a process was killed, which step it was at is chance, and with it whether one has to be done again; see `play`. */
function blurred(lines: readonly string[]): string[] {
  const same = lines
    .filter(line => !line.startsWith('↻ '))
    .map(line => line.replace(/\bstep-\d+\b(?: N ms)?/, 'step-N').replace(/\b\d+ records\b/, 'N records'));
  return same.filter((line, index) => line !== same[index - 1]);
}

/** Tells whether a printed output is what a document shows, where a line `…` stands for any lines. */
export function matches(shown: readonly string[], printed: readonly string[], killed = false): boolean {
  const settle = (lines: readonly string[]): string[] => (killed ? blurred(lines.map(settled)) : lines.map(settled));
  const pattern = trimmed(settle(shown));
  const lines = trimmed(settle(printed));
  let at = 0;
  let resume: { readonly pattern: number; at: number } | undefined;
  let next = 0;
  while (at < lines.length) {
    if (pattern[next] === '…') {
      resume = { pattern: ++next, at };
    } else if (next < pattern.length && pattern[next] === lines[at]) {
      next++;
      at++;
    } else if (resume !== undefined) {
      next = resume.pattern;
      at = ++resume.at;
    } else return false;
  }
  while (pattern[next] === '…') next++;
  return next === pattern.length;
}

function trimmed(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex(line => line !== '');
  return lines.slice(0, last + 1);
}

/** Gives the text of a block with the outputs that were printed, where they differ from those that are shown. */
export function rewritten(text: string, printed: readonly (readonly string[])[], killed = false): string {
  return stepsOf(text)
    .flatMap(({ command, output }, index) => {
      const lines = printed[index] ?? [];
      return [`$ ${command}`, ...(matches(output, lines, killed) ? output : lines.map(line => line.trimEnd()))];
    })
    .join('\n');
}

/** Gives a Markdown text with other text in some of its blocks. */
export function withBlocks(
  markdown: string,
  changes: readonly { readonly fence: Fence; readonly text: string }[],
): string {
  const lines = markdown.split('\n');
  for (const { fence, text } of changes.toReversed()) {
    const start = Number(fence.place.slice(fence.place.lastIndexOf(':') + 1));
    lines.splice(start, fence.text.split('\n').length, ...text.split('\n'));
  }
  return lines.join('\n');
}
