import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CYCLIC, folderOf, GOOD, UNDECLARED, verifyIn } from './verify.fixture.js';

const folder = folderOf({ 'good.yaml': GOOD, 'cyclic.yaml': CYCLIC, 'undeclared.yaml': UNDECLARED });

interface Entry {
  levels?: Record<string, string>;
  report: {
    verdict: string;
    findings: { rule: string; severity: string }[];
    rules: { rule: string; status: string; reason?: string }[];
  };
}
async function entryOf(
  cwd: string,
  file: string,
  options = {},
): Promise<Entry & { code: number; status: (rule: string) => object | undefined }> {
  const { code, out, err } = await verifyIn(cwd, [file], { format: [{ name: 'json' }], ...options });
  expect(err).toBe('');
  const entry = (JSON.parse(out) as { reports: Entry[] }).reports[0] as Entry;
  return { code, ...entry, status: rule => entry.report.rules.find(status => status.rule === rule) };
}

describe('rules that are left out', () => {
  it('have no findings, and are not evaluated, with the reason', async () => {
    const { code, report, status } = await entryOf(folder, 'cyclic.yaml', { skipRule: ['S1'] });
    expect([code, report.findings]).toEqual([0, []]);
    expect(status('S1')).toEqual({ rule: 'S1', status: 'not_evaluated', reason: 'left out by --skip-rule' });
    const { out } = await verifyIn(folder, ['cyclic.yaml'], { skipRule: ['S1'] });
    expect(out).toContain('S1: left out by --skip-rule');
    expect(out).toContain('S1 has findings and is off here; a workflow with them still cannot start');
    const two = folderOf({ 'a.yaml': CYCLIC.replace('inputs.n > 0', 'inputs.m > 0') });
    expect((await verifyIn(two, ['a.yaml'], { skipRule: ['S8', 'S1'] })).out).toContain(
      'S1, S8 have findings and are off here',
    );
  });

  it('leave the verdict as it is: what has a cycle does not pass', async () => {
    expect((await entryOf(folder, 'cyclic.yaml', { skipRule: ['S1'] })).report.verdict).toBe('FAIL');
    expect((await entryOf(folder, 'cyclic.yaml', { rule: ['S5'] })).report.verdict).toBe('FAIL');
    expect((await entryOf(folder, 'undeclared.yaml', { preset: 'minimal' })).report.verdict).toBe('PASS_WITH_WARNINGS');
    expect((await entryOf(folder, 'good.yaml', { skipRule: ['S1'] })).report.verdict).toBe('PASS');
    expect((await verifyIn(folder, ['good.yaml'], { skipRule: ['S1'] })).out).not.toContain('cannot start');
  });

  it('are not those that are asked for, too', async () => {
    const { code, out, err } = await verifyIn(folder, ['good.yaml'], { rule: ['S1', 'S5'], skipRule: ['S5'] });
    expect([code, out, err]).toEqual([2, '', 'ars verify: S5 is named by --rule and by --skip-rule\n']);
  });

  it('are all but those of --rule', async () => {
    const { code, status } = await entryOf(folder, 'cyclic.yaml', { rule: ['S5'] });
    expect(code).toBe(0);
    expect(status('S5')).toEqual({ rule: 'S5', status: 'pass' });
    expect(status('S1')).toMatchObject({ status: 'not_evaluated', reason: 'not named by --rule' });
    expect((await entryOf(folder, 'cyclic.yaml', { rule: ['S1'] })).code).toBe(1);
  });
});

describe('presets', () => {
  it('strict makes warnings errors, minimal leaves them out', async () => {
    expect((await entryOf(folder, 'undeclared.yaml')).code).toBe(0);
    const strict = await entryOf(folder, 'undeclared.yaml', { preset: 'strict' });
    expect(strict.code).toBe(1);
    expect(strict.levels).toMatchObject({ S6: 'error' });
    const minimal = await entryOf(folder, 'undeclared.yaml', { preset: 'minimal' });
    expect([minimal.code, minimal.report.findings]).toEqual([0, []]);
    expect(minimal.status('S6')).toMatchObject({ status: 'not_evaluated', reason: 'off in the preset minimal' });
  });
});

describe('a configuration', () => {
  const project = folderOf({
    'ars.config.yaml': `preset: strict
rules: { S1: warning, S15: off }
overrides:
  - { files: ['drafts/**'], preset: minimal }
  - { files: ['*.loose.yaml'], rules: { S6: warning } }
`,
    'flows/cyclic.yaml': CYCLIC,
    'flows/undeclared.yaml': UNDECLARED,
    'flows/a.loose.yaml': UNDECLARED,
    'drafts/deep/undeclared.yaml': UNDECLARED,
    'nearer/ars.config.json': '{ "rules": { "S6": "off" } }',
    'nearer/undeclared.yaml': UNDECLARED,
  });

  it('is found above each file, the nearest counts, and patterns choose among its levels', async () => {
    const code = async (file: string, options = {}): Promise<number> => (await verifyIn(project, [file], options)).code;
    expect(await code('flows/undeclared.yaml')).toBe(1);
    expect(await code('flows/a.loose.yaml')).toBe(0);
    expect((await entryOf(project, 'drafts/deep/undeclared.yaml')).report.findings).toEqual([]);
    expect((await entryOf(project, 'nearer/undeclared.yaml')).status('S6')).toMatchObject({
      reason: 'off in nearer/ars.config.json',
    });
    expect(await code('flows/undeclared.yaml', { config: false })).toBe(0);
    expect(await code('flows/undeclared.yaml', { config: 'nearer/ars.config.json' })).toBe(0);
    expect(await code('flows/undeclared.yaml', { preset: 'recommended' })).toBe(0);
  });

  it('lowers a blocking rule here, and neither its severity nor the verdict', async () => {
    const { code, report, levels } = await entryOf(project, 'flows/cyclic.yaml', { maxUnevaluated: 17 });
    expect([code, report.verdict, report.findings[0]?.severity]).toEqual([0, 'FAIL', 'blocking']);
    expect(levels).toMatchObject({ S1: 'warning' });
    const { out } = await verifyIn(project, ['flows/cyclic.yaml']);
    expect(out).toContain('S1 only warns here; a workflow with such a finding still cannot start');
  });

  it.each([
    ['an unknown level', 'rules:\n  S15: of\n', /ars\.config\.yaml:2:\d+: .*"S15" must be "error", "warning" or "off"/],
    ['an unknown rule', 'rules:\n  S99: error\n', /ars\.config\.yaml:2:3: .*"S99"/],
    ['an unknown key', 'presets: strict\n', /ars\.config\.yaml:1:1: .*did you mean "preset"/],
    ['broken YAML', 'rules: [', /ars\.config\.yaml:1:/],
    ['several documents', 'preset: strict\n---\npreset: strict\n', /several documents/],
  ])('with %s is an error with its place', async (_, text, message) => {
    const wrong = folderOf({ 'ars.config.yaml': text, 'good.yaml': GOOD });
    const { code, err, out } = await verifyIn(wrong, ['good.yaml']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });

  it('are told of all configurations of a call at once', async () => {
    const folder = folderOf({
      'one/ars.config.yaml': 'presset: strict\nrules: { S99: off }\n',
      'one/good.yaml': GOOD,
      'one/again.yaml': GOOD,
      'two/ars.config.yaml': 'preset: stricter\n',
      'two/good.yaml': GOOD,
      'good.yaml': GOOD,
    });
    for (const files of [
      ['.'],
      ['one/again.yaml', 'one/good.yaml', 'two/good.yaml', 'good.yaml'],
      ['one', 'two/good.yaml'],
    ]) {
      const { code, err } = await verifyIn(folder, files);
      expect([code, err.match(/(one|two)\/ars\.config\.yaml:\d/g)]).toEqual([
        2,
        ['one/ars.config.yaml:1', 'one/ars.config.yaml:2', 'two/ars.config.yaml:1'],
      ]);
    }
  });

  it('tells all of its mistakes at once, in the order of the text', async () => {
    const text = 'ignore: x\npresset: strict\nrules:\n  S99: error\n  S3: loud\noverrides:\n  - { fils: [a] }\n';
    const { code, err } = await verifyIn(folderOf({ 'ars.config.yaml': text, 'good.yaml': GOOD }), ['good.yaml']);
    const lines = err.trimEnd().split('\n');
    expect(code).toBe(2);
    expect(lines.map(line => /ars\.config\.yaml:([0-9]+:[0-9]+): \S/.exec(line)?.[1])).toEqual([
      '1:1',
      '2:1',
      '4:3',
      '5:3',
      '7:7',
    ]);
    expect(lines.every(line => line.startsWith('ars verify: ') && /[.?]$/.test(line))).toBe(true);
  });

  it('without anything in it changes nothing, and is no skipped file', async () => {
    for (const text of ['', '# nothing yet\n\n']) {
      const empty = folderOf({ 'ars.config.yaml': text, 'good.yaml': GOOD });
      const { code, err, out } = await verifyIn(empty, ['.']);
      expect([code, err, out]).toEqual([0, '', '✔ 1 document, no findings, SAFE\n']);
    }
  });

  it('with a misspelt name is told in whole sentences', async () => {
    const wrong = folderOf({ 'ars.config.yaml': 'presset: strict\n', 'good.yaml': GOOD });
    expect((await verifyIn(wrong, ['good.yaml'])).err).toMatch(
      /did you mean "preset"\? Rename "presset" to "preset"\.\n$/,
    );
  });

  it('that is named and not there is an error', async () => {
    expect((await verifyIn(folder, ['good.yaml'], { config: 'none.yaml' })).code).toBe(2);
  });

  it('names the rules that there are beside one that there is not', async () => {
    const errorOf = async (rules: string): Promise<string> =>
      (await verifyIn(folderOf({ 'ars.config.yaml': `rules: ${rules}\n`, 'good.yaml': GOOD }), ['good.yaml'])).err;
    expect(await errorOf('{ X: error }')).toMatch(/There is no rule "X"; the rules are S1 to S17\.\n$/);
    expect(await errorOf('{ s6: error }')).toMatch(
      /There is no rule "s6"; did you mean S6\? The rules are S1 to S17\.\n$/,
    );
    expect(await errorOf('{ SCHEMA: off }')).toMatch(/SCHEMA is no rule: defects of form always count\.\n$/);
  });

  it('passes over what it ignores, unless the file is named', async () => {
    const ignoring = folderOf({
      'ars.config.yaml': 'ignore: ["wrong/**", "*.draft.yaml"]\n',
      'good.yaml': GOOD,
      'wrong/deep/cyclic.yaml': CYCLIC,
      'flows/a.draft.yaml': CYCLIC,
    });
    const all = await verifyIn(ignoring, ['.']);
    expect(all.code).toBe(0);
    expect(all.out).toMatch(
      /^✔ 1 document, no findings, SAFE, 2 skipped\n {2}skipped for being ignored by ars\.config\.yaml: /,
    );
    expect((await verifyIn(ignoring, ['**/*.yaml'])).code).toBe(0);
    expect((await verifyIn(ignoring, ['wrong/deep/cyclic.yaml'])).code).toBe(1);
    expect((await verifyIn(ignoring, ['wrong/deep/cyclic.yaml'], { skipForeign: true })).code).toBe(0);
    expect((await verifyIn(ignoring, ['.'], { config: false })).code).toBe(1);
  });

  it('of this repository ignores what is wrong on purpose', async () => {
    const root = join(import.meta.dirname, '../../..');
    const { out } = await verifyIn(root, ['.']);
    expect(out).toMatch(/^✔ \d+ documents, no findings/m);
  });
});
