import type { Chapter } from '../generate-requirements.js';
import { anchorOf, fromChapter, pageStart, sectionUnder, table, tablesOf } from './markdown.js';

/** How something begins, goes on and ends: a table of a chapter. */
export interface LifeCycle {
  readonly title: string;
  /** The section that has the table: the number of the chapter and the heading. */
  readonly chapter: number;
  readonly heading: string;
  /** The headings with which the table begins. */
  readonly columns: readonly string[];
}

/** The life cycles of the specification, and where their tables are. */
export const LIFE_CYCLES: readonly LifeCycle[] = [
  { title: 'Runtime', chapter: 2, heading: 'Runtime', columns: ['state', 'event'] },
  { title: 'Execution of an action', chapter: 6, heading: 'Statuses of an action execution', columns: ['last status'] },
  { title: 'Instance', chapter: 2, heading: 'What lives in a workspace', columns: ['instance', 'event'] },
  { title: 'Gates of a start', chapter: 9, heading: 'Order', columns: ['gate'] },
  { title: 'Confirmation', chapter: 2, heading: 'What lives in a workspace', columns: ['confirmation', 'event'] },
  { title: 'Trust of an agent', chapter: 9, heading: 'Agents and trust', columns: ['event', 'trust before'] },
  { title: 'Everything else', chapter: 2, heading: 'What lives in a workspace', columns: ['thing', 'comes to life'] },
];

/** Gives the rows of the table of a life cycle, its headings first; nothing where it is not there. */
export function rowsOf(title: string, chapters: readonly Chapter[]): readonly (readonly string[])[] {
  const cycle = LIFE_CYCLES.find(candidate => candidate.title === title);
  if (cycle === undefined) return [];
  const section = sectionUnder(chapterOf(cycle, chapters)?.text ?? '', cycle.heading) ?? '';
  const isIt = ([headings = []]: readonly (readonly string[])[]): boolean =>
    cycle.columns.every((name, index) => headings[index] === name);
  return tablesOf(section).find(isIt) ?? [];
}

/** Gives the tables that are wanted and that no chapter has. */
export function missingTables(chapters: readonly Chapter[]): string[] {
  return LIFE_CYCLES.filter(({ title }) => rowsOf(title, chapters).length < 2).map(
    ({ title, chapter, heading, columns }) =>
      `scripts/reference/life-cycles.ts: the section "${heading}" of chapter ${chapter} has no table that begins with | ${columns.join(' | ')} |, which "${title}" needs`,
  );
}

/** Gives `reference/state-model.md`. */
export function stateModelPage(chapters: readonly Chapter[]): string {
  const sections = LIFE_CYCLES.map(cycle => {
    const { title, heading } = cycle;
    const path = chapterOf(cycle, chapters)?.path ?? '';
    const [headings = [], ...rows] = rowsOf(title, chapters);
    const cells = rows.map(row => row.map(cell => fromChapter(cell, path)));
    const source = `[${heading}](../${path}#${anchorOf(heading)}) in chapter ${cycle.chapter}.`;
    return `## ${title}\n\n${source}\n\n${table(headings, cells)}\n`;
  });
  return `${pageStart('State model', 'the tables of spec/v1.0')}
How runtimes, executions, instances, gates, confirmations and trust begin, go on and end; what has no row does not happen.

${sections.join('\n')}`;
}

function chapterOf({ chapter }: LifeCycle, chapters: readonly Chapter[]): Chapter | undefined {
  return chapters.find(({ path }) => new RegExp(`/0?${chapter}-[^/]*$`).test(path));
}
