import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { allIds, askedFor, explain, listText } from './explanation.js';
import { documentFields } from './fields.js';
import { WORDS } from './words.js';

const plain = pc.createColors(false);

describe('ars explain', () => {
  it('tells a rule with its examples and chapter', () => {
    expect(explain('s3', plain)).toMatch(
      /^S3 \(blocking\) {2}From every[\s\S]*Chapter: spec\/v1\.0\/08-verification\.md#s3[\s\S]*Fails:\n {4}nodes:[\s\S]*Passes:\n {4}nodes:/,
    );
    expect(explain('schema', plain)).toMatch(/^SCHEMA \(blocking\)/);
  });

  it('shows where execution begins as a workflow has it, and says what its examples do without', () => {
    expect(explain('s2', plain)).toMatch(
      /Examples: parts of a workflow; schema_version, .* left out\. "ars explain S2\/unreachable" shows a whole one\./,
    );
    expect(explain('s2', plain)?.match(/^ {4}workflow: \{ start: fetch \}$/gm)).toHaveLength(2);
  });

  it('lists the ways in which a rule can be broken, and shows each', () => {
    expect(explain('s12', plain)).toMatch(/Finds: .*\n {4}no-such-skill {2}a skill that there is not$/);
    expect(explain('s12/no-such-skill', plain)).toMatch(
      /^S12\/no-such-skill \(blocking\)[\s\S]*Fails: examples\/invalid\/s12-no-such-skill\.yaml\n {4}# finding: S12 at [\s\S]*Passes: [\s\S]*schema_version/,
    );
    expect(explain('s12/nothing', plain)).toBeUndefined();
    expect(explain('no-such-skill', plain)).toBe(explain('s12/no-such-skill', plain));
  });

  it('tells a requirement, a code of an error and a reason of a gate', () => {
    expect(explain('aii3', plain)).toMatch(
      /^AII3 \(invariant, MUST\) {2}A `committed` record[\s\S]*Chapter: spec\/v1\.0\/06-audit\.md#aii3$/,
    );
    expect(explain('version_conflict', plain)).toMatch(/^version_conflict \(code of an error\)[\s\S]*Help: /);
    expect(explain('security_breach', plain)).toMatch(
      /^SECURITY_BREACH \(reason of a denial, governance\)[\s\S]*Requirement: AI1/,
    );
    expect(explain('not_found', plain)).toMatch(/code of an error/);
    expect(explain('NOT_FOUND', plain)).toMatch(/reason of a denial/);
  });

  it('tells error classes, safety levels and terms', () => {
    expect(explain('E3', plain)).toMatch(/^E3 \(term\) {2}error class process: .*limit of time/);
    expect(explain('irreversible', plain)).toMatch(/^IRREVERSIBLE \(term\) {2}safety level: /);
    expect(explain('in_doubt', plain)).toMatch(/^in doubt \(term\)[\s\S]*Chapter: spec\/v1\.0\/01-principles\.md#/);
    expect(explain('recovery', plain)).toMatch(/^recovery \(term\)/);
    expect(explain('error class', plain)).not.toMatch(/\]\(/);
  });

  it('tells the words that findings use, each with a place that is there', () => {
    expect(explain('AND join', plain)).toMatch(/^AND join \(word\) {2}a node with several in-edges/);
    expect(explain('skipped', plain)).toMatch(/^skipped \(word\)/);
    expect(explain('dead', plain)).toMatch(/^taken, dead \(term\)/);
    expect(explain('dominate', plain)).toMatch(/^to dominate \(term\)/);
    for (const { place } of Object.values(WORDS)) {
      const [file = '', heading = ''] = place.split('#');
      const text = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');
      expect(text).toMatch(new RegExp(`^#+ ${heading.replaceAll('-', ' ')}$`, 'im'));
    }
  });

  it('tells the fields of documents and their values, beside a term of that name', () => {
    expect(explain('side_effects', plain)).toMatch(
      /^side_effects \(field\) {2}The domains of .*\n\nValues: filesystem, remote_server, .*\nChapter: spec\/v1\.0\/05/,
    );
    expect(explain('input_mapping', plain)).toMatch(/Of action node: .*\n {2}Of skill node: /);
    expect(explain('handling', plain)).toMatch(/^Values: retry, compensate, rollback, fail$/m);
    for (const name of ['determinism', 'rollback', 'side_effects', 'handling', 'kind'])
      for (const value of documentFields().get(name)?.values ?? []) expect(explain(value, plain), value).toBeDefined();
    expect(explain('irreversible', plain)).toMatch(
      /^irreversible \(word\) {2}of an action: [\s\S]*^irreversible \(field\)/m,
    );
    expect(explain('retry', plain)).toMatch(/^retry \(term\)[\s\S]*^retry \(word\)/m);
    expect(explain('UNKNOWN', plain)).toMatch(/^UNKNOWN \(word\)/);
  });

  it('takes several ids and terms of several words, and lists the rules without any', () => {
    const told = (...words: string[]): [string, boolean][] =>
      askedFor(words, plain).map(({ id, text }) => [id, text !== undefined]);
    expect(told('S1', 'and', 'join', 's5/repeated-edge')).toEqual([
      ['S1', true],
      ['and join', true],
      ['s5/repeated-edge', true],
    ]);
    expect(told('AND', 'jion', 'S2', 'S99', 'S98')).toEqual([
      ['AND jion', false],
      ['S2', true],
      ['S99', false],
      ['S98', false],
    ]);
    expect(listText(plain)).toMatch(
      /^ {2}S5 {6}blocking {2}Names are unique; both ends of an edge exist; .{10,60} …$/m,
    );
    expect(listText(plain).match(/^ {2}S\d+ /gm)).toHaveLength(17);
  });

  it('tells everything that has an id, and nothing of what has none', () => {
    for (const id of allIds()) expect(explain(id, plain), id).toBeDefined();
    expect(explain('S99', plain)).toBeUndefined();
    expect(explain('toString', plain)).toBeUndefined();
  });
});
