import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../../schemas/index.js';
import { CYCLIC, folderOf, GOOD, UNDECLARED, verifyIn } from '../verify.fixture.js';
import { escapeData, escapeProperty } from './github.js';
import type { FormatName } from './index.js';
import { junitDefects } from './junit.fixture.js';
import { escapeXml } from './junit.js';
import { escapeMarkdown } from './markdown.js';

/** A node whose name has everything in it that formats give a meaning. */
const ODD = `"<b>&'\\"|\`]]>,:%@me:"`;
const odd = UNDECLARED.replaceAll('done', ODD);
const folder = folderOf({
  'cyclic.yaml': CYCLIC,
  'undeclared.yaml': UNDECLARED,
  'good.yaml': GOOD,
  'odd,name:1.yaml': odd,
  'many.json': JSON.stringify({
    schema_version: '1.0',
    workflow: { name: 'many', version: '1.0.0' },
    nodes: Array.from({ length: 120 }, (_, at) => ({ node_id: `n${at}`, type: 'terminal', status: 'compl' })),
    edges: [],
  }),
});

async function printed(name: FormatName, files: string[], options = {}): Promise<string> {
  return (await verifyIn(folder, files, { format: [{ name }], ...options })).out;
}

describe('text', () => {
  it('tells 50 findings of a file, and all with --all', async () => {
    const count = (text: string): number => text.match(/^many\.json:\d+:\d+ error /gm)?.length ?? 0;
    const short = await printed('text', ['many.json', 'cyclic.yaml']);
    expect(count(short)).toBe(50);
    expect(short).toMatch(/… and \d+ more in many\.json; --all shows them/);
    expect(short).toContain('cyclic.yaml:11:5 error S1');
    expect(count(await printed('text', ['many.json'], { all: true }))).toBeGreaterThan(100);
  });

  it('tells errors only with --quiet, and counts the warnings', async () => {
    const out = await printed('text', ['undeclared.yaml', 'cyclic.yaml'], { quiet: true });
    expect(out).not.toContain('warning S6');
    expect(out).toContain('error S1');
    expect(out).toContain('1 error, 1 warning');
  });

  it('says of one document without findings that it is safe, and not beside errors', async () => {
    expect(await printed('text', ['good.yaml'])).toBe('✔ 1 document, no findings, SAFE\n');
    expect(await printed('text', ['cyclic.yaml'])).not.toContain('SAFE');
  });

  it('tells how risky a workflow is and what a failure leaves behind', async () => {
    const out = await printed('text', [
      join(import.meta.dirname, '../../../../examples/04-confirmation/post-letter.yaml'),
    ]);
    expect(out).toMatch(/safety post-letter@1\.0\.0 is IRREVERSIBLE\n {2}"post" is IRREVERSIBLE: /);
  });
});

describe('JSON', () => {
  it('has each report as its schema describes it, and no bound', async () => {
    const { reports, summary } = JSON.parse(await printed('json', ['many.json', 'good.yaml'])) as {
      reports: { file: string; report: { findings: object[] } }[];
      summary: { errors: number };
    };
    for (const { report } of reports) expect(validate('verification-report', report)).toEqual([]);
    expect(reports[0]?.report.findings.length).toBe(summary.errors);
    expect(summary.errors).toBeGreaterThan(100);
  });

  it('is whole where nothing was verified', async () => {
    expect(JSON.parse(await printed('json', ['none.yaml']))).toMatchObject({
      reports: [],
      problems: [expect.stringContaining('none.yaml')],
      summary: { exit_code: 2 },
    });
  });
});

describe('JUnit', () => {
  it('has a case for each rule of each document: failed, passed or skipped', async () => {
    const xml = await printed('junit', ['cyclic.yaml', 'undeclared.yaml', 'none.yaml'], { skipRule: ['S15'] });
    expect(xml).toMatch(/<testsuites name="ars verify" tests="37" failures="1" errors="1">/);
    expect(xml).toMatch(
      /<testcase name="S1" classname="cyclic\.yaml" file="cyclic\.yaml">\s*<failure type="S1" message="The cycle/,
    );
    expect(xml).toMatch(/<testcase name="S15" [^>]*>\s*<skipped message="left out by --skip-rule"\/>/);
    expect(xml).toMatch(
      /<testcase name="S6" classname="undeclared\.yaml" [^>]*>\s*<system-out>warning: undeclared\.yaml:\d+:\d+ /,
    );
    expect(xml).toMatch(/<testcase name="S5" classname="undeclared\.yaml" file="undeclared\.yaml"\/>/);
    expect(xml).toContain('<error message="Cannot read none.yaml');
  });

  it('is well-formed whatever names are in it', async () => {
    const xml = await printed('junit', ['odd,name:1.yaml', 'many.json', 'cyclic.yaml']);
    expect(junitDefects(xml)).toEqual([]);
    expect(xml).toContain('&lt;b&gt;&amp;&apos;&quot;');
    expect(escapeXml('a\u0000\u001b\ud800\tb')).toBe('a\\u0000\\u001b\\ud800\tb');
  });

  it('has the structure that readers of JUnit expect, with counts that are right', async () => {
    const files = ['cyclic.yaml', 'undeclared.yaml', 'good.yaml', 'none.yaml'];
    expect(junitDefects(await printed('junit', files, { skipRule: ['S15'], maxWarnings: 0 }))).toEqual([]);
    expect(junitDefects(await printed('junit', ['good.yaml']))).toEqual([]);
    const broken = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="2"><testsuite name="a" tests="2" failures="0"><testcase file="b"><failure/><br/></testcase></testsuite></testsuites>`;
    expect(junitDefects(broken)).toEqual([
      'testcase without name',
      'br in testcase',
      'testsuite says tests 2, there are 1',
      'testsuite says failures 0, there are 1',
      'testsuites says tests 2, there are 1',
    ]);
  });
});

describe('GitHub', () => {
  it('has a command for each finding, on one line, with everything escaped', async () => {
    const out = await printed('github', ['odd,name:1.yaml', 'cyclic.yaml']);
    const commands = out.split('\n').filter(line => line.startsWith('::'));
    expect(commands[0]).toMatch(
      /^::warning file=odd%2Cname%3A1\.yaml,line=6,endLine=6,col=\d+,endColumn=\d+,title=ars S6::The node "<b>&'\\?"\|`\]\]>,:%25@me:" has 2 in-edges/,
    );
    expect(commands[1]).toMatch(/^::error file=cyclic\.yaml,line=11,endLine=11,col=5,endColumn=55,title=ars S1::/);
    expect(out).toMatch(/\nars verify: 2 documents, 1 error, 1 warning, 2 rules not evaluated\n$/);
    expect(escapeData('1%\r\n:,')).toBe('1%25%0D%0A:,');
    expect(escapeProperty('1%\r\n:,')).toBe('1%25%0D%0A%3A%2C');
  });

  it('shows control characters of a document as text, since the log prints what a command says', async () => {
    const stray = { from_node: 'x\u001b[31m\u202e\u0000', to_node: 'done', label: 'success' };
    const document = {
      schema_version: '1.0',
      workflow: { name: 'stray', version: '1.0.0' },
      nodes: [{ node_id: 'done', type: 'terminal', status: 'completed' }],
      edges: [stray],
    };
    const { out } = await verifyIn(folderOf({ 'stray.json': JSON.stringify(document) }), ['stray.json'], {
      format: [{ name: 'github' }],
    });
    expect(out).toContain(
      'The edge begins at "x\\u{1b}[31m\\u{202e}\\u{0}", which is no node of the workflow%0Ahelp: ',
    );
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('reports what cannot be read', async () => {
    expect(await printed('github', ['none.yaml'])).toMatch(/^::error title=ars verify::Cannot read none\.yaml/);
  });
});

describe('Markdown', () => {
  it('has a table in which no text ends a cell or becomes markup', async () => {
    const out = await printed('markdown', ['odd,name:1.yaml', 'cyclic.yaml', 'good.yaml']);
    const rows = out.split('\n').filter(line => line.startsWith('| '));
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(6);
    expect(rows[1]).toContain('| S6 | `odd,name:1.yaml:6:');
    expect(rows[1]).not.toContain('<b>');
    expect(out).toContain('### ❌ ars verify: 3 documents, 1 error, 1 warning');
  });

  it('escapes names, markup and links', () => {
    expect(escapeMarkdown('<i>_x_ @me `y` https://z')).toBe('&lt;i&gt;\\_x\\_ @\u200bme \\`y\\` https&#58;//z');
  });

  it('has a bound, without which it fits into no comment', async () => {
    const rows = (text: string): number => text.match(/^\| ❌/gm)?.length ?? 0;
    expect(rows(await printed('markdown', ['many.json']))).toBe(100);
    expect(rows(await printed('markdown', ['many.json'], { all: true }))).toBeGreaterThan(100);
  });
});

describe('several formats at once', () => {
  it('go to standard output and to files', async () => {
    const { out, code } = await verifyIn(folder, ['cyclic.yaml'], {
      format: [{ name: 'github' }, { name: 'json', file: 'out/report.json' }],
    });
    expect(code).toBe(1);
    expect(out).toMatch(/^::error /);
    expect(JSON.parse(readFileSync(join(folder, 'out/report.json'), 'utf8'))).toMatchObject({ summary: { errors: 1 } });
  });

  it('are a usage error where a file cannot be written', async () => {
    const { code, err } = await verifyIn(folder, ['good.yaml'], {
      format: [{ name: 'json', file: 'good.yaml/x.json' }],
    });
    expect(code).toBe(2);
    expect(err).toContain('Cannot write good.yaml/x.json');
    expect(existsSync(join(folder, 'good.yaml/x.json'))).toBe(false);
  });
});

describe('the file of a format', () => {
  it.each([
    ['what is read', ['good.yaml'], [['json', './good.yaml']], {}],
    ['what a folder holds', ['.'], [['json', 'good.yaml']], {}],
    ['a registry', ['good.yaml'], [['json', 'r.yaml']], { registry: ['r.yaml'] }],
    [
      'another format',
      ['good.yaml'],
      [
        ['json', 'out'],
        ['sarif', './out'],
      ],
      {},
    ],
  ] as const)('is not written over %s', async (_, files, formats, more) => {
    const cwd = folderOf({ 'good.yaml': GOOD, 'r.yaml': 'schema_version: "1.0"\nactions: []\n' });
    const format = formats.map(([name, file]) => ({ name, file }));
    const { code, err } = await verifyIn(cwd, files, { format, ...more });
    expect(code).toBe(2);
    expect(err).toMatch(/names a file that is used already\n$/);
    expect(readFileSync(join(cwd, 'good.yaml'), 'utf8')).toBe(GOOD);
  });
});
