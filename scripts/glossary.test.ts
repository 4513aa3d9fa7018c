import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles, ROOT } from './project.js';
import { termsOf } from './reference/glossary-page.js';

const chapters = listFiles('spec/v1.0', '.md')
  .filter(path => /\/\d\d-[^/]+\.md$/.test(path))
  .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
const terms = termsOf(chapters);

test('every term is defined once', () => {
  const seen = new Map<string, string>();
  const twice = terms.flatMap(({ term, place }) => {
    const earlier = seen.get(term.toLowerCase());
    seen.set(term.toLowerCase(), place);
    return earlier === undefined ? [] : [`"${term}" at ${earlier} and at ${place}`];
  });
  expect(twice).toEqual([]);
  expect(terms.length).toBeGreaterThan(30);
});

test('what a reader meets first is defined, and so is every error class and safety level', () => {
  const names = new Set(terms.map(({ term }) => term));
  const wanted =
    'workflow, skill, error node, terminal, condition, agent, profile, capability, recovery, error class, safety level, zone, hash, idempotency key, in doubt, E0, E1, E2, E3, E4, E5, SAFE, CONDITIONALLY_SAFE, RISKY, IRREVERSIBLE';
  expect(wanted.split(', ').filter(word => !names.has(word))).toEqual([]);
});

test('every term is used outside the table that defines it', () => {
  const prose = chapters.map(({ text }) => text.toLowerCase()).join('\n');
  const unused = terms.filter(({ term }) => {
    const word = term
      .toLowerCase()
      .replace(/^to /, '')
      .replaceAll(/[`*]/g, '')
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return (prose.match(new RegExp(`\\b${word}(?:s|es|d|ed)?\\b`, 'g')) ?? []).length < 2;
  });
  expect(unused.map(({ term, place }) => `"${term}" at ${place}`)).toEqual([]);
});
