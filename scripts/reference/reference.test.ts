import { describe, expect, test } from 'vitest';
import { lifecycleFault } from '../../implementations/typescript/audit/lifecycle.js';
import { createProgram } from '../../implementations/typescript/cli/program.js';
import { decideGovernance } from '../../implementations/typescript/governance/gate.js';
import { loadSchema } from '../../schemas/load.js';
import type { RecordStatus } from '../../schemas/types.js';
import type { Requirement } from '../chapters.js';
import { generateReference, readSources } from '../generate-reference.js';
import { countText, coverageOf } from './count.js';
import { errorCodesPage, reasonsNamedIn } from './error-codes-page.js';
import { termsDefinedTwice, termsOf } from './glossary-page.js';
import { missingTables, rowsOf } from './life-cycles.js';
import { anchorOf, fromChapter, sectionUnder, table, tablesOf } from './markdown.js';
import { invariantsPage, requirementsPage } from './requirement-pages.js';
import { type ReferenceSources, strayNames } from './sources.js';

const PATH = 'spec/v1.0/06-audit.md';
const { files, problems } = generateReference();
const page = (name: string): string => files[`reference/${name}`] ?? '';

function requirement(id: string, more: Partial<Requirement> = {}): Requirement {
  const link = `${PATH}#${id.toLowerCase()}`;
  return { id, kind: 'invariant', chapter: 6, level: 'MUST', sentence: `${id} MUST hold.`, link, how: ['P'], ...more };
}

const SOURCES: ReferenceSources = {
  chapters: [{ path: PATH, text: '# Audit\n' }],
  requirements: [
    requirement('AII1'),
    requirement('AII2', { level: 'MUST NOT' }),
    requirement('AII3', { how: ['I'], untestable: 'nobody can see it' }),
  ],
  properties: [{ id: 'audit/one', title: 'one holds', requirements: ['AII1'], kind: 'program', capabilities: [] }],
  mutants: [{ id: 'two-commits', requirement: 'AII1', why: 'it commits twice' }],
};

describe('markdown', () => {
  test('a table has its bars escaped once, and each row on one line', () => {
    expect(table(['a', 'b'], [['x | y', 'p \\| q\nr']])).toBe('| a | b |\n|---|---|\n| x \\| y | p \\| q r |');
  });

  test('what a table holds is read again', () => {
    expect(tablesOf(`text\n\n${table(['a', 'b'], [['1', 'x \\| y']])}\n\n| c |\n|---|\n| 2 |\n`)).toEqual([
      [
        ['a', 'b'],
        ['1', 'x \\| y'],
      ],
      [['c'], ['2']],
    ]);
  });

  test('a section ends at the next heading of its level or above', () => {
    const text = '# A\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n';
    expect(sectionUnder(text, 'B')?.trim()).toBe('b\n\n### C\n\nc');
    expect(sectionUnder(text, 'C')?.trim()).toBe('c');
    expect(sectionUnder(text, 'E')).toBeUndefined();
  });

  test('links of a chapter lead to the same place from another folder', () => {
    const text = '[a](#i1) [b](05-execution.md#ih1) [c](https://example.org)';
    expect(fromChapter(text, PATH)).toBe(
      '[a](../spec/v1.0/06-audit.md#i1) [b](../spec/v1.0/05-execution.md#ih1) [c](https://example.org)',
    );
  });

  test('an anchor is that of GitHub', () => {
    expect(anchorOf('`ars audit show`: what, and why')).toBe('ars-audit-show-what-and-why');
  });
});

describe('requirements', () => {
  test('each row tells what judges and what breaks it', () => {
    const text = requirementsPage(SOURCES);
    expect(text).toContain(
      `| [AII1](../${PATH}#aii1) | MUST | AII1 MUST hold. | P | \`audit/one\` | \`two-commits\` |`,
    );
    expect(text).toContain('| I: nobody can see it | – | – |');
  });

  test('an invariant that nothing judges says so', () => {
    const text = invariantsPage(SOURCES);
    expect(text).toContain('- Judged by `audit/one`: one holds\n- Broken by `two-commits`: it commits twice');
    expect(sectionUnder(text, 'AII2')).toContain('- Judged by no property of the suite.');
    expect(sectionUnder(text, 'AII3')).not.toContain('- Judged by');
  });

  test('they are counted by level, and what is left is listed', () => {
    const coverage = coverageOf(SOURCES);
    expect(coverage.total).toEqual({
      requirements: 3,
      levels: { MUST: 2, 'MUST NOT': 1 },
      judged: 1,
      broken: 1,
      untestable: 1,
    });
    expect(coverage).toMatchObject({ unjudged: ['AII2'], unbroken: [] });
    expect(countText(coverage)).toContain('AII3  nobody can see it');
  });

  test('a property or a mutant that names what no chapter states is a problem', () => {
    const mutants = [{ id: 'm', requirement: 'ZZ9', why: 'it breaks' }];
    expect(strayNames({ ...SOURCES, mutants })).toEqual(['the mutant m breaks "ZZ9", which no chapter states']);
  });

  test('those of the specification are counted whole, and no chapter is empty', () => {
    const { total, chapters } = coverageOf(readSources());
    expect(chapters.reduce((sum, chapter) => sum + chapter.requirements, 0)).toBe(total.requirements);
    expect(chapters.filter(({ requirements }) => requirements === 0)).toEqual([]);
  });
});

test('the sources of the pages are in order, and the index leads to every page', () => {
  expect(problems).toEqual([]);
  const pages = Object.keys(files).filter(path => !path.endsWith('README.md'));
  for (const path of pages) {
    const name = path.replace('reference/', '');
    expect(page('README.md')).toMatch(new RegExp(`\\]\\(${name}\\) \\| \\w`));
  }
});

test('the page of the record has every field, type and status of the schema', () => {
  const { properties, $defs } = loadSchema('audit-record') as {
    properties: Record<string, unknown>;
    $defs: { record_type: { enum: string[] } };
  };
  for (const name of Object.keys(properties)) expect(page('audit-record.md')).toContain(`\n| \`${name}\` |`);
  for (const type of $defs.record_type.enum) expect(page('audit-record.md')).toContain(`\n| \`${type}\` | each |`);
  expect(page('audit-record.md')).toContain('|  | `pending` | `inputs` |');
});

test('the page of codes says which reasons of the chapter the runtime does not give', () => {
  const chapter = table(
    ['gate', 'reason'],
    [
      ['verification', '`S1`, `SCHEMA`'],
      ['safety', '`NEW_REASON`'],
    ],
  );
  const named = reasonsNamedIn(`# A\n\n## Gates\n\n### Order\n\n${chapter}\n`);
  expect(named).toEqual(['NEW_REASON']);
  const lists = { runtime: {}, suite: {}, kinds: {}, reasons: {}, links: new Map<string, string>() };
  expect(errorCodesPage({ ...lists, named })).toContain('also names `NEW_REASON`, which');
  expect(page('error-codes.md')).toContain('| `DRY_RUN_NEEDED` | safety | [MS2](../spec/v1.0/09-governance.md#ms2) |');
});

test('the page of commands has every command with its options', () => {
  const sections = page('cli.md').split('\n### ');
  for (const command of createProgram().commands.filter(({ commands }) => commands.length === 0)) {
    const section = sections.find(text => text.startsWith(`\`ars ${command.name()}\``)) ?? '';
    expect(section).toContain('```text');
    for (const { flags } of command.options.filter(({ hidden }) => !hidden)) expect(section).toContain(`\`${flags}\``);
  }
});

test('a term is found with its meaning and its place', () => {
  const text = '# Audit\n\n## Terms\n\n| term | meaning |\n|---|---|\n| record | an [entry](#terms) |\n';
  expect(termsOf([{ path: PATH, text }])).toEqual([
    { term: 'record', meaning: `an [entry](../${PATH}#terms)`, place: `${PATH}#terms`, chapter: 'Audit' },
  ]);
  expect(termsDefinedTwice([{ path: PATH, text: `${text}\n## More\n\n${text}` }])).toHaveLength(1);
});

describe('life cycles', () => {
  const { chapters } = readSources();
  const plain = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');

  test('of an execution: the table of the chapter is what the runtime allows', () => {
    const statuses: readonly RecordStatus[] = [
      'pending',
      'committed',
      'failed',
      'in_doubt',
      'rolled_back',
      'compensated',
    ];
    const allowed = [undefined, ...statuses].flatMap(before =>
      statuses
        .filter(status => {
          const view = {
            status: () => (before === undefined ? undefined : { record_type: 'action' as const, status: before }),
            isResolved: () => true,
          };
          const record = { record_type: 'action' as const, status, execution_id: 'e', refers_to: ['a'] };
          return lifecycleFault(record, view) === undefined;
        })
        .map(status => `${before ?? 'none'} → ${status}`),
    );
    const stated = rowsOf('Execution of an action', chapters)
      .slice(1)
      .map(([from, , to]) => `${plain(from)} → ${plain(to)}`);
    expect([...new Set(stated)].sort()).toEqual(allowed.sort());
  });

  test('of trust: a missing permission lowers it as the chapter says', () => {
    const stated = rowsOf('Trust of an agent', chapters).map(([, before, after]) => `${before} → ${after}`);
    for (const trust of ['TRUSTED', 'CONDITIONAL', 'UNTRUSTED'] as const) {
      const agent = { agent_id: 'a', trust };
      const facts = { agent_id: 'a', agent, permissions: [], closure: ['w'], level: 'SAFE' as const };
      const { trust_after } = decideGovernance({ ...facts, now: '2026-03-01T12:00:00.000Z' });
      expect(stated).toContain(`${trust} → ${trust_after}`);
    }
  });

  test('a table that is wanted and not there is named', () => {
    expect(missingTables([]).join('\n')).toContain('"Statuses of an action execution" of chapter 6 has no table');
    expect(missingTables(chapters)).toEqual([]);
  });
});
