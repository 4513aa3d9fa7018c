import { pageStart, sectionUnder, table, tablesOf } from './markdown.js';

/** What a code means and what helps; beside it, for reasons, where it comes from. */
export interface CodeMeaning {
  readonly meaning: string;
  readonly remedy: string;
  readonly source?: string;
  readonly requirement?: string;
}

/** The codes by what carries them, each by its name. */
export interface CodeLists {
  readonly runtime: Readonly<Record<string, CodeMeaning>>;
  readonly suite: Readonly<Record<string, CodeMeaning>>;
  readonly kinds: Readonly<Record<string, CodeMeaning>>;
  readonly reasons: Readonly<Record<string, CodeMeaning>>;
  /** The reasons that the governance chapter names. */
  readonly named: readonly string[];
  /** Where the chapters state a requirement, by its identifier. */
  readonly links: ReadonlyMap<string, string>;
}

const HEADINGS = ['code', 'meaning', 'what helps'];

/** Gives `reference/error-codes.md`: every code that an error or a denial carries. */
export function errorCodesPage({ runtime, suite, kinds, reasons, named, links }: CodeLists): string {
  const plain = (codes: Readonly<Record<string, CodeMeaning>>): string =>
    table(
      HEADINGS,
      Object.entries(codes).map(([code, { meaning, remedy }]) => [`\`${code}\``, meaning, remedy]),
    );
  const asked = (id: string | undefined): string => {
    const link = id === undefined ? undefined : links.get(id);
    return link === undefined ? '–' : `[${id}](../${link})`;
  };
  const denials = Object.entries(reasons).map(([code, { source = '', requirement, meaning, remedy }]) => [
    `\`${code}\``,
    source,
    asked(requirement),
    meaning,
    remedy,
  ]);
  const absent = named.filter(code => !Object.hasOwn(reasons, code));
  return `${pageStart('Codes of errors', 'the lists of codes in the sources')}
A program branches on a code and never on a text.

## Errors of the reference runtime

An \`ArsError\` has a \`code\`, a \`message\` that says what, where and what to do, \`details\` with the values in it, and a \`cause\`.

${plain(runtime)}

The class of a failure, E0 to E5, is no code; [the execution chapter](../spec/v1.0/05-execution.md#error-classes) defines the classes, and \`ars explain E3\` tells one.

## Kinds of the adapter protocol

An error that an adapter answers with has one of these in \`data.kind\`.

${plain(kinds)}

## Reasons of gates

A denial lists its reasons.
The verification gate also gives the identifiers of [rules](rules.md), and the code of an error of the reference runtime, in capitals, where a document cannot be compiled.
Where the source is a request, no gate record tells of it.
[The governance chapter](../spec/v1.0/09-governance.md) says in which order they are found.

${table(['reason', 'source', 'asked for by', 'meaning', 'what helps'], denials)}
${absent.length === 0 ? '' : `\nThe chapter also names ${absent.map(code => `\`${code}\``).join(', ')}, which the reference runtime does not give.\n`}
## Errors of the suite

A \`SuiteError\` has a code, too; it ends \`ars-compliance\` or makes a verdict inconclusive.

${plain(suite)}
`;
}

/** Gives the reasons that the tables of a chapter name in a column `reason`, rules aside. */
export function reasonsNamedIn(chapter: string): string[] {
  const cells = tablesOf(sectionUnder(chapter, 'Gates') ?? '').flatMap(([headings = [], ...rows]) => {
    const column = headings.indexOf('reason');
    return column === -1 ? [] : rows.map(row => row[column] ?? '');
  });
  const codes = cells.flatMap(cell => [...cell.matchAll(/`([A-Z][A-Z_]{2,})`/g)].map(match => match[1] ?? ''));
  return [...new Set(codes)].filter(code => code !== 'SCHEMA');
}
