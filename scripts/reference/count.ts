import type { KeyWord } from '../key-words.js';
import { pageStart, table } from './markdown.js';
import { type ReferenceSources, shownBy, titleOf } from './sources.js';

/** How many requirements there are of a kind, and how far they are shown. */
export interface Count {
  readonly requirements: number;
  readonly levels: Readonly<Partial<Record<KeyWord, number>>>;
  /** Judged by a property of the suite. */
  readonly judged: number;
  /** Broken by a faulty runtime that the suite has to catch. */
  readonly broken: number;
  readonly untestable: number;
}

/** The count of each chapter and of all, and what no test shows, with the reason where there is one. */
export interface Coverage {
  readonly chapters: readonly (Count & { readonly chapter: string })[];
  readonly total: Count;
  readonly untestable: readonly { readonly id: string; readonly reason: string }[];
  /** Testable, and not judged by any property yet. */
  readonly unjudged: readonly string[];
  /** Judged, and not broken by any mutant yet. */
  readonly unbroken: readonly string[];
}

/** Gives how far the requirements are shown by the suite. */
export function coverageOf(sources: ReferenceSources): Coverage {
  const shown = shownBy(sources);
  const isJudged = ({ id }: { id: string }): boolean => (shown.get(id)?.properties.length ?? 0) > 0;
  const isBroken = ({ id }: { id: string }): boolean => (shown.get(id)?.mutants.length ?? 0) > 0;
  const count = (requirements: ReferenceSources['requirements']): Count => ({
    requirements: requirements.length,
    levels: levelsOf(requirements),
    judged: requirements.filter(isJudged).length,
    broken: requirements.filter(isBroken).length,
    untestable: requirements.filter(({ untestable }) => untestable !== undefined).length,
  });
  const { requirements } = sources;
  return {
    chapters: sources.chapters.map(chapter => ({
      chapter: titleOf(chapter),
      ...count(requirements.filter(({ link }) => link.startsWith(`${chapter.path}#`))),
    })),
    total: count(requirements),
    untestable: requirements.flatMap(({ id, untestable }) =>
      untestable === undefined ? [] : [{ id, reason: untestable }],
    ),
    unjudged: requirements.filter(one => one.untestable === undefined && !isJudged(one)).map(({ id }) => id),
    unbroken: requirements.filter(one => isJudged(one) && !isBroken(one)).map(({ id }) => id),
  };
}

function levelsOf(requirements: ReferenceSources['requirements']): Count['levels'] {
  const levels: Partial<Record<KeyWord, number>> = {};
  for (const { level } of requirements) levels[level] = (levels[level] ?? 0) + 1;
  return levels;
}

const LEVELS: readonly KeyWord[] = ['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT', 'MAY'];
const HEADINGS = ['chapter', 'all', ...LEVELS, 'judged', 'broken', 'untestable'];

function rowsOf({ chapters, total }: Coverage): string[][] {
  return [...chapters, { chapter: 'all', ...total }].map(({ chapter, requirements, levels, ...rest }) => [
    chapter,
    String(requirements),
    ...LEVELS.map(level => String(levels[level] ?? 0)),
    ...[rest.judged, rest.broken, rest.untestable].map(String),
  ]);
}

/** Gives the count for a terminal. */
export function countText(coverage: Coverage): string {
  const rows = [HEADINGS, ...rowsOf(coverage)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)));
  const lines = rows.map(row =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  const list = (title: string, ids: readonly string[]): string =>
    `${title} (${ids.length}): ${ids.join(' ') || 'none'}`;
  return `Requirements by chapter and level; how many a property judges, and how many a faulty runtime breaks:

${lines.join('\n')}

Untestable from outside (${coverage.untestable.length}):
${coverage.untestable.map(({ id, reason }) => `  ${id.padEnd(5)} ${reason}`).join('\n')}

${list('Testable, and judged by no property', coverage.unjudged)}

${list('Judged, and broken by no faulty runtime', coverage.unbroken)}
`;
}

/** Gives `reference/coverage.md`. */
export function coveragePage(coverage: Coverage): string {
  const untestable = coverage.untestable.map(({ id, reason }) => [`\`${id}\``, reason]);
  const list = (ids: readonly string[]): string => (ids.length === 0 ? 'None.' : ids.map(id => `\`${id}\``).join(' '));
  return `${pageStart('Coverage', 'spec/v1.0 and the declarations of the suite')}
How far the suite shows the requirements: what a property *declares* that it judges, and what the faulty runtimes are labelled with.
Whether the declarations hold is shown by running: \`npx ars-compliance power\`.
\`npm run count\` prints the same, with \`--json\` as JSON.

${table(HEADINGS, rowsOf(coverage))}

## Untestable from outside

${table(['id', 'why'], untestable)}

## Testable, and judged by no property

${list(coverage.unjudged)}

## Judged, and broken by no faulty runtime

${list(coverage.unbroken)}
`;
}
