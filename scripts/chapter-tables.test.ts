import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Range } from 'semver';
import { expect, test } from 'vitest';
import { ArsError } from '../implementations/typescript/error.js';
import { compileExpression } from '../implementations/typescript/execution/expression.js';
import { backoffMs } from '../implementations/typescript/execution/retry.js';
import { canonicalize, digestText } from '../implementations/typescript/state/canonical.js';
import { planChanges } from '../implementations/typescript/state/state.js';
import { highestMatch } from '../implementations/typescript/workflow/resolve.js';
import { readDocuments } from '../implementations/typescript/workspace/document.js';
import { loadSchema, type SchemaName, validate } from '../schemas/index.js';
import type { AuditRecord, StateChange, StateEntry } from '../schemas/types.js';
import { ROOT } from './project.js';
import { tablesOf } from './reference/markdown.js';

const STATE = readFileSync(join(ROOT, 'spec/v1.0/04-state.md'), 'utf8');
const COMPONENTS = readFileSync(join(ROOT, 'spec/v1.0/02-components.md'), 'utf8');
const WORKSPACE = readFileSync(join(ROOT, 'spec/v1.0/03-workspace.md'), 'utf8');
const AUDIT = readFileSync(join(ROOT, 'spec/v1.0/06-audit.md'), 'utf8');
const RECORDS = 'schemas/v1.0/examples/audit-record/valid';
const EXECUTION = readFileSync(join(ROOT, 'spec/v1.0/05-execution.md'), 'utf8');

/** The rows below the headings of the only table whose headings begin like this. */
function rowsOf(markdown: string, ...headings: readonly string[]): string[][] {
  const found = tablesOf(markdown).filter(([first]) =>
    headings.every((text, index) => first?.[index]?.startsWith(text)),
  );
  expect(found, headings.join(' | ')).toHaveLength(1);
  const rows = found[0]?.slice(1) ?? [];
  expect(rows.length).toBeGreaterThan(0);
  return rows;
}

/** The code spans of a cell, without the escape of bars. */
function codesOf(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/(`+)(.+?)\1/g)].map(match => (match[2] ?? '').replaceAll('\\|', '|'));
}

function readCell(text: string): unknown {
  const [document] = readDocuments(text, { file: 'cell', format: 'json' });
  if (document === undefined || document.defects.length > 0) throw new Error(`${text} has defects`);
  return document.value;
}

test('the canonical forms of chapter 4 and their digests are right', () => {
  for (const [text, form, digest] of rowsOf(STATE, 'JSON text', 'canonical form', 'SHA-256')) {
    const canonical = canonicalize(readCell(codesOf(text)[0] ?? ''));
    expect([canonical, digestText(canonical)]).toEqual([codesOf(form)[0], `sha256:${codesOf(digest)[0]}`]);
  }
});

test('the numbers of chapter 4 are printed as their digits and exponents say', () => {
  for (const [, digits = '', exponent = '', form] of rowsOf(STATE, 'double')) {
    const sign = codesOf(form)[0]?.startsWith('-') === true ? '-' : '';
    const magnitude = Number(`${sign}0.${digits}e${exponent.replace('−', '-')}`);
    expect(String(magnitude)).toBe(codesOf(form)[0]);
  }
});

test('what chapter 4 refuses is refused', () => {
  for (const [text] of rowsOf(STATE, 'JSON text', 'refused'))
    expect(() => canonicalize(readCell(codesOf(text)[0] ?? '')), text).toThrow();
});

/** Reads "2, version 2", "deleted, version 3" and the like. */
function entryOf(text: string): StateEntry | undefined {
  const [, value, version] = /^(\S+), version (\d+)$/.exec(text) ?? [];
  if (value === undefined) return undefined;
  const entry = { version: Number(version), writer: 'x' };
  return value === 'deleted' ? entry : { value: JSON.parse(value) as NonNullable<StateEntry['value']>, ...entry };
}

/** Reads "put 1, expected 0", "delete" and lists of such with "then". */
function changesOf(text: string): StateChange[] {
  return text
    .replace(/ in one list$/, '')
    .split(', then ')
    .map(part => {
      const [, op, other, value, expected] =
        /^(put|delete)(?: (`a` of another key))?(?: (\d+))?(?:,? expected (\d+))?$/.exec(part) ?? [];
      return {
        key: other === undefined ? 'k' : 'other',
        op,
        ...(op === 'put' && { value: other === undefined ? Number(value) : 'a' }),
        ...(expected !== undefined && { expected_version: Number(expected) }),
      } as StateChange;
    });
}

test('the state changes of chapter 4 do what its table says', () => {
  for (const [before = '', changes = '', after = ''] of rowsOf(STATE, 'before', 'change', 'after')) {
    const present = entryOf(before);
    expect(present === undefined, before).toBe(before === 'no entry');
    const plan = planChanges(key => (key === 'k' ? present : undefined), changesOf(changes), 'x');
    expect(plan.ok, `${before} | ${changes}`).toBe(!after.startsWith('conflict'));
    if (plan.ok) expect(plan.entries.get('k'), changes).toEqual(entryOf(after));
  }
});

test('the ranges of chapter 5 mean what its table says', () => {
  for (const [written = '', means = ''] of rowsOf(EXECUTION, 'written', 'means')) {
    if (means === 'as written') continue;
    const meanings = means.split(', ');
    for (const [index, range] of codesOf(written).entries()) {
      const meaning = (meanings[index] ?? meanings[0] ?? '')
        .replace(/^the version /, '')
        .replace('any version', '*')
        .replaceAll('≥ ', '>=')
        .replaceAll('≤ ', '<=')
        .replaceAll('< ', '<')
        .replace(' and ', ' ');
      expect(new Range(range).range, range).toBe(new Range(meaning).range);
    }
  }
});

test('the references of chapter 5 resolve as its table says', () => {
  for (const [reference, definitions = '', expected] of rowsOf(EXECUTION, 'reference', 'definitions')) {
    const range = codesOf(reference)[0]?.replace(/^store@/, '') ?? '';
    const groups = definitions.includes(' in the document')
      ? definitions.split(', ').map(text => [text.split(' ')[0] ?? ''])
      : [definitions.split(', ')];
    const found = groups.map(
      group =>
        highestMatch(
          group.map(version => ({ version })),
          range,
        )?.version,
    );
    expect(found.find(version => version !== undefined) ?? 'nothing', range).toBe(expected);
  }
});

test('the expressions of chapter 5 have the values that its table gives', () => {
  const inputs = { n: 4, s: 'añ😀', l: [1, 2], m: { k: null } };
  for (const [sources, outcome = ''] of rowsOf(EXECUTION, 'expression, with')) {
    for (const source of codesOf(sources)) {
      const evaluate = (): unknown => compileExpression(source).evaluate({ inputs });
      const word = outcome.split(/[:\s]/)[0] ?? '';
      if (word === 'refused' || word === 'error')
        expect(codeOf(evaluate), source).toBe(word === 'error' ? 'expression_failed' : 'expression_invalid');
      else expect(evaluate(), source).toBe(JSON.parse(word));
    }
  }
});

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof ArsError ? error.code : String(error);
  }
}

test('the waits of chapter 5 are those of its formula', () => {
  for (const [factor = '', most = '', waits = ''] of rowsOf(EXECUTION, '`backoff_factor`')) {
    const policy = {
      max_retries: 3,
      backoff_ms: 100,
      ...(factor !== 'absent' && { backoff_factor: Number(factor) }),
      ...(most !== 'absent' && { max_backoff_ms: Number(most) }),
    };
    expect([1, 2, 3].map(retry => backoffMs(retry, policy)).join(', ')).toBe(waits);
  }
});

test('the schema of records has the types and statuses of chapter 6, and an example of each', () => {
  let type = '';
  const stated = rowsOf(AUDIT, '`record_type`', '`status`', '`execution_id`').flatMap(([first = '', statuses]) => {
    if (first !== '') type = first;
    return codesOf(statuses).map(status => `${type} ${status}`);
  });
  const records = readdirSync(join(ROOT, RECORDS))
    .filter(name => !name.startsWith('stub.'))
    .map(name => JSON.parse(readFileSync(join(ROOT, RECORDS, name), 'utf8')) as AuditRecord);
  const pair = ({ record_type, status }: AuditRecord): string => `${record_type} ${status}`;
  expect([...new Set(records.map(pair))].sort()).toEqual([...new Set(stated)].sort());
  const words = new Set(records.map(({ status }) => status));
  for (const record of records)
    for (const status of words) {
      const changed = { ...record, status };
      const refused = validate('audit-record', changed).some(({ pointer }) => pointer === '/status');
      expect(refused, pair(changed)).toBe(!stated.includes(pair(changed)));
    }
});

test.each<[SchemaName, string, string]>([
  ['audit-record', AUDIT, 'in'],
  ['action', EXECUTION, 'type'],
  ['snapshot', STATE, 'meaning'],
  ['workspace', WORKSPACE, 'type'],
  ['index-entry', WORKSPACE, 'type'],
  ['scheduler-job', WORKSPACE, 'type'],
])('the table of fields has those of the schema: %s', (name, chapter, second) => {
  const known = Object.keys(loadSchema(name).properties as object).filter(field => field !== '$schema');
  const tables = tablesOf(chapter).filter(([headings]) => headings?.[0] === 'field' && headings[1] === second);
  const fields = tables.map(([, ...rows]) => rows.flatMap(([cell]) => codesOf(cell)));
  const stated = fields.find(
    list => known.includes(list[0] ?? '') && list.filter(one => known.includes(one)).length > 2,
  );
  expect(new Set(['schema_version', ...(stated ?? [])])).toEqual(new Set(['schema_version', ...known]));
});

test('the capabilities, messages and kinds of error of chapter 2 are those of the schemas', () => {
  const rows = rowsOf(COMPONENTS, 'capability', 'component', 'messages');
  expect(rows.flatMap(([capability]) => codesOf(capability)).sort()).toEqual(wordsOf('adapter/initialize#capability'));
  for (const message of rows.flatMap(([, , messages]) => codesOf(messages))) {
    const [group = '', name = ''] = message === 'evidence/get' ? ['audit', 'evidence_get'] : message.split('/');
    expect(loadSchema(`adapter/${group}#${name}_params` as SchemaName), message).toHaveProperty('description');
  }
  const kinds = rowsOf(COMPONENTS, 'kind of error', 'meaning').flatMap(([kind]) => codesOf(kind));
  expect(kinds.sort()).toEqual(wordsOf('adapter/envelope#error_kind'));
});

/** The words of an enumeration, in order of the alphabet. */
function wordsOf(name: SchemaName): string[] {
  return [...(loadSchema(name).enum as readonly string[])].sort();
}
