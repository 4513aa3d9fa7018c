import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../project.js';
import { readFreezeState } from './check.js';
import { freeze } from './command.js';
import { readErrata } from './errata.js';
import { ERRATA_FILE, FROZEN_FILE, isFrozenPath } from './frozen.js';

const CHAPTER = 'spec/v1.0/06-audit.md';
const SCHEMA = 'schemas/v1.0/adapter/audit.schema.json';
const VECTOR = 'spec/v1.0/vectors/chain.json';
const REQUIREMENT = '# Audit\n\n#### CC4\n\nA marker SHOULD be kept.\n\n<!-- how: I; untestable: it is inside -->\n';
let root: string;

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Adds the entry that `--draft` prints, completed. */
function addErratum(what = 'It says who waits.'): void {
  const draft = freeze(root, '2026-03-02', true);
  expect(draft.code).toBe(0);
  const entry = draft.text.replace('(write it here)', what).replace('(write it here)', 'Two readers asked.');
  put(ERRATA_FILE, `${readFileSync(join(root, ERRATA_FILE), 'utf8')}\n${entry}`);
}

const problems = (): string => readFreezeState(root).problems.join('\n');

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ars-freeze-'));
  put(CHAPTER, REQUIREMENT);
  put(SCHEMA, '{}\n');
  put(VECTOR, '[]\n');
  put('schemas/v1.0/examples/audit-record/valid.json', '{}\n');
  put(ERRATA_FILE, '# Errata\n\n**Published.** not yet\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('chapters, vectors and schemas are frozen; errata, digests and examples are not', () => {
  expect(
    [CHAPTER, SCHEMA, VECTOR, 'spec/v1.0/glossary.md', 'schemas/v1.0/state.schema.json'].filter(isFrozenPath),
  ).toHaveLength(5);
  const others = [
    ERRATA_FILE,
    FROZEN_FILE,
    'spec/README.md',
    'schemas/v1.0/examples/state/valid.json',
    'schemas/types.ts',
  ];
  expect(others.filter(isFrozenPath)).toEqual([]);
});

test('before publication nothing is asked', () => {
  put(CHAPTER, '# Audit, again\n');
  expect(readFreezeState(root)).toMatchObject({ problems: [], uncovered: [] });
  expect(readFreezeState(root).frozen).toBeUndefined();
});

test('publication writes the digests and the date, once', () => {
  expect(freeze(root, '2026-03-01', false)).toMatchObject({ code: 0 });
  const text = readFileSync(join(root, FROZEN_FILE), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ frozen: '2026-03-01' });
  expect(Object.keys(JSON.parse(text).files)).toEqual([SCHEMA, CHAPTER, VECTOR]);
  expect(readFileSync(join(root, ERRATA_FILE), 'utf8')).toContain('**Published.** 2026-03-01');
  expect(freeze(root, '2026-04-01', false)).toMatchObject({ code: 0 });
  expect(readFileSync(join(root, FROZEN_FILE), 'utf8')).toBe(text);
});

describe('after publication', () => {
  beforeEach(() => void freeze(root, '2026-03-01', false));

  test.each([
    ['changed', () => put(CHAPTER, REQUIREMENT.replace('kept', 'kept there')), `${CHAPTER} has changed`],
    ['added', () => put('spec/v1.0/more.md', '# More\n'), 'spec/v1.0/more.md is new'],
    ['removed', () => rmSync(join(root, VECTOR)), `${VECTOR} is gone`],
  ])('a file that is %s needs an erratum, and with it is well', (_, change, message) => {
    change();
    expect(problems()).toContain(message);
    expect(problems()).toContain('npm run freeze -- --draft');
    expect(freeze(root, '2026-03-02', false)).toMatchObject({ code: 1 });
    addErratum();
    expect(problems()).toBe('');
    expect(freeze(root, '2026-03-02', false).text).toContain('1 errata');
  });

  test('a second erratum about a file starts where the first one ended', () => {
    put(CHAPTER, REQUIREMENT.replace('kept', 'kept there'));
    addErratum();
    put(CHAPTER, REQUIREMENT.replace('kept', 'kept for good'));
    expect(problems()).toContain(`${CHAPTER} has changed`);
    addErratum();
    expect(problems()).toBe('');
    expect(readErrata(readFileSync(join(root, ERRATA_FILE), 'utf8')).errata.map(({ id }) => id)).toEqual(['E1', 'E2']);
  });

  test('an erratum about a change that is not there is refused', () => {
    put(CHAPTER, REQUIREMENT.replace('kept', 'kept there'));
    addErratum();
    put(CHAPTER, REQUIREMENT);
    expect(problems()).toContain(`${CHAPTER} is as it was published, but an erratum tells of a change`);
  });

  test('no erratum makes a requirement stronger, or adds or removes one', () => {
    put(CHAPTER, REQUIREMENT.replace('SHOULD', 'MUST'));
    addErratum();
    expect(problems()).toContain('CC4 was SHOULD and is MUST now');
    put(CHAPTER, '# Audit\n');
    addErratum();
    expect(problems()).toContain('CC4 was SHOULD and is none now');
    put(CHAPTER, REQUIREMENT.replace('A marker', 'Every marker'));
    addErratum();
    expect(problems()).toBe('');
  });

  test('an erratum that starts from another digest, or is about something else, is refused', () => {
    put(CHAPTER, REQUIREMENT.replace('kept', 'kept there'));
    addErratum();
    const text = readFileSync(join(root, ERRATA_FILE), 'utf8');
    put(ERRATA_FILE, text.replace(/`sha256:[0-9a-f]{64}` \| `/, '`sha256:'.padEnd(72, '0').concat('` | `')));
    expect(problems()).toContain('and the erratum starts from sha256:000');
    put(ERRATA_FILE, text.replace(`| ${CHAPTER} |`, '| README.md |'));
    expect(problems()).toContain('"README.md" is not frozen');
  });

  test('what and why have to be written, and numbers have no gaps', () => {
    put(CHAPTER, REQUIREMENT.replace('kept', 'kept there'));
    const { text } = freeze(root, '2026-03-02', true);
    const before = readFileSync(join(root, ERRATA_FILE), 'utf8');
    put(ERRATA_FILE, `${before}\n${text}`);
    expect(problems()).toContain('E1 needs a line "**What.** …"');
    expect(problems()).toContain('E1 needs a line "**Why.** …"');
    put(
      ERRATA_FILE,
      `${before}\n${text
        .replace('## E1', '## E2')
        .replace(/\| spec.*\n/, '')
        .replace('2026-03-02', 'today')}`,
    );
    expect(problems()).toContain('should be "## E1"');
    expect(problems()).toContain('names no file');
    expect(problems()).toContain('"**Date.** YYYY-MM-DD"');
  });

  test('the digests cannot be lost or dated otherwise', () => {
    put(ERRATA_FILE, readFileSync(join(root, ERRATA_FILE), 'utf8').replace('2026-03-01', '2026-03-09'));
    expect(problems()).toContain('differs from the date 2026-03-01');
    rmSync(join(root, FROZEN_FILE));
    expect(problems()).toContain(`${FROZEN_FILE} is missing`);
    expect(freeze(root, '2026-03-02', false)).toMatchObject({ code: 1 });
  });
});

test('the published text of this repository differs from what was published only by its errata', () => {
  const { frozen, errata, problems: found, present } = readFreezeState(ROOT);
  expect(found).toEqual([]);
  expect(frozen?.frozen).toBe(errata.published);
  expect(Object.keys(present)).toContain(CHAPTER);
});
