import type { Chapter } from '../generate-requirements.js';
import { anchorOf, fromChapter, pageStart, sectionUnder, table, tablesOf } from './markdown.js';
import { titleOf } from './sources.js';

/** A term, what it means, and where it is defined. */
export interface Term {
  readonly term: string;
  readonly meaning: string;
  readonly place: string;
  readonly chapter: string;
}

/** How tables that define words begin, and what a row of them says: the word and its meaning. */
const READERS: readonly {
  readonly starts: RegExp;
  readonly row: (cells: readonly string[]) => readonly [string, string];
}[] = [
  { starts: /^(?:term|word) \| /, row: ([term = '', meaning = '']) => [term, meaning] },
  {
    starts: /^class \| name \| typical cause$/,
    row: ([term = '', name = '', cause = '']) => [term, `error class *${name}*: ${cause}`],
  },
  {
    starts: /^level \| the node or workflow$/,
    row: ([term = '', meaning = '']) => [term, `safety level: the node or workflow ${meaning}`],
  },
];

/** Gives the terms that tables below headings define, in alphabetical order: those of terms, of error classes and of safety levels. */
export function termsOf(chapters: readonly Chapter[]): Term[] {
  const terms = chapters.flatMap(chapter =>
    headingsOf(chapter.text).flatMap(heading =>
      tablesOf(ownPart(sectionUnder(chapter.text, heading) ?? ''))
        .flatMap(([headings = [], ...rows]) => {
          const read = READERS.find(({ starts }) => starts.test(headings.join(' | ')));
          return read === undefined ? [] : rows.map(read.row);
        })
        .map(([term, meaning]) => ({
          term,
          meaning: fromChapter(meaning, chapter.path),
          place: `${chapter.path}#${anchorOf(heading)}`,
          chapter: titleOf(chapter),
        })),
    ),
  );
  const key = ({ term }: Term): string => term.toLowerCase().replaceAll(/[`*]/g, '');
  return terms.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

/** Gives the terms that two tables define, each with both places. */
export function termsDefinedTwice(chapters: readonly Chapter[]): string[] {
  const terms = termsOf(chapters);
  return terms.flatMap(({ term, place }, index) => {
    const before = terms[index - 1];
    return before?.term === term
      ? [`${place}: the term "${term}" is also defined at ${before.place}; define it once`]
      : [];
  });
}

function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#{2,3} (.+)$/gm)].map(match => match[1]?.trim() ?? '');
}

/** A section without those below it. */
function ownPart(section: string): string {
  return section.split(/^#{1,6} /m)[0] ?? '';
}

/** Gives `reference/glossary.md`: every term with what it means and where it is defined. */
export function glossaryPage(chapters: readonly Chapter[]): string {
  const rows = termsOf(chapters).map(({ term, meaning, place, chapter }) => [
    term,
    meaning,
    `[${chapter}](../${place})`,
  ]);
  return `${pageStart('Glossary', 'the tables of terms in spec/v1.0')}
The terms of the specification, each with the place that defines it.

${table(['term', 'meaning', 'defined in'], rows)}
`;
}
