import { type Colors, colorsOf } from './color.js';
import { unknownRequirement } from './listing.js';
import { type Judged, reach, reachText } from './standing.js';
import { CHAPTER_TITLES } from './words.js';

/** Gives planned, reached and passed for every requirement of the specification, by chapter, after a run. */
export function coverageText(all: readonly Judged[], color: boolean): string {
  const colors = colorsOf(color);
  const chapters = [...new Set(all.map(({ clause }) => clause?.chapter))];
  const sections = chapters.map(chapter => {
    const own = all.filter(({ clause }) => clause?.chapter === chapter);
    const title = chapter === undefined ? 'elsewhere' : `${chapter} ${CHAPTER_TITLES[chapter] ?? ''}`;
    const names = ['planned', 'reached', 'passed'].map(word => word.padStart(9)).join('');
    return [`${colors.bold(title.padEnd(24))}${names}  judged by`, ...own.map(one => line(one, colors))].join('\n');
  });
  return `${sections.join('\n\n')}\n\n${reachText(reach(all))}\n`;
}

/** Gives what is known of some requirements; throws `usage` for one that there is not. */
export function only(all: readonly Judged[], ids: readonly string[] | undefined): readonly Judged[] {
  if (ids === undefined) return all;
  const known = all.map(({ id }) => id);
  for (const id of ids) if (!known.includes(id)) throw unknownRequirement(id, known);
  return all.filter(({ id }) => ids.includes(id));
}

function line({ id, clause, row, judges }: Judged, colors: Colors): string {
  if (row === undefined) {
    const why = judges.length > 0 ? 'not run' : (clause?.untestable ?? 'no property yet');
    return colors.dim(
      `  ${id.padEnd(8)} ${'–'.padEnd(14)}${'–'.padStart(8)}${'–'.padStart(9)}${'–'.padStart(9)}  ${why}`,
    );
  }
  const { verdict, planned, reached, passed, properties } = row;
  const paint = { PASS: colors.green, FAIL: colors.red, HARNESS_ERROR: colors.red } as const;
  const tone = verdict in paint ? paint[verdict as keyof typeof paint] : colors.yellow;
  const numbers = [planned, reached, passed].map(number => String(number).padStart(9)).join('');
  return `  ${id.padEnd(8)} ${tone(verdict.padEnd(13))}${numbers}  ${properties.join(' ')}`;
}
