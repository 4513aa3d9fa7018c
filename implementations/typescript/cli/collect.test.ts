import { describe, expect, it } from 'vitest';
import { CYCLIC, folderOf, GOOD, verifyIn } from './verify.fixture.js';

const ACTION =
  '{ action_id: act, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [] }';
const folder = folderOf({
  'good.yaml': GOOD,
  'two.yaml': `${GOOD.replace('good', 'first')}---\nkind: Deployment\nworkflow: yes\n`,
  'registry.yaml': `schema_version: "1.0"\nactions: [${ACTION}]\n`,
  'ci.yaml': 'name: ci\non: { workflow_dispatch: {} }\n',
  'package.json': '{ "name": "x", "workflow": { "name": "not ours" } }',
  'permission.json': '{ "schema_version": "1.0", "actions": ["read"] }',
  'template.yaml': '{{ if .Values.workflow }}: [',
  'broken.yaml': 'schema_version: "1.0"\nworkflow: [\n',
  'other/uses.yaml': `schema_version: "1.0"
workflow: { name: uses, version: 1.0.0 }
nodes:
  - { node_id: do, type: action, action_def: act@^1 }
  - { node_id: sub, type: skill, workflow_ref: good@^1 }
  - { node_id: done, type: terminal, status: completed }
  - { node_id: failed, type: error, handling: fail, join_type: OR }
edges:
  - { from_node: do, to_node: sub, label: success }
  - { from_node: sub, to_node: done, label: success }
  - { from_node: do, to_node: failed, label: failure }
  - { from_node: sub, to_node: failed, label: failure }
`,
});

interface Printed {
  reports: { file: string; document: number; report: { verdict: string } }[];
  skipped: { file: string; reason: string }[];
  problems: string[];
  summary: object;
}
const json = async (args: string[], options = {}): Promise<Printed & { code: number }> => {
  const { code, out } = await verifyIn(folder, args, { format: [{ name: 'json' }], ...options });
  return { code, ...(JSON.parse(out) as Printed) };
};

describe('files of a folder', () => {
  it('are verified together; what is no workflow is skipped, with the reason, and counted', async () => {
    const { code, reports, skipped, summary } = await json(['.']);
    expect(reports.map(({ file, document, report }) => [file, document, report.verdict])).toEqual([
      ['broken.yaml', 0, 'FAIL'],
      ['good.yaml', 0, 'PASS'],
      ['other/uses.yaml', 0, 'PASS'],
      ['two.yaml', 0, 'PASS'],
    ]);
    expect(skipped.map(({ file }) => file)).toEqual([
      'ci.yaml',
      'package.json',
      'permission.json',
      'template.yaml',
      'two.yaml',
    ]);
    expect(summary).toMatchObject({ documents: 4, registries: 1, exit_code: 1 });
    expect(code).toBe(1);
  });

  it('are counted once, however many documents they have; none is unreadable where there is only no workflow', async () => {
    const foreign = folderOf({ 'all.yaml': 'a: workflow\n---\nb: 2\n---\nc: 3\n' });
    const { code, out } = await verifyIn(foreign, ['.']);
    expect([code, out.split('\n')[0]]).toEqual([2, '✖ 0 documents, no findings, 1 skipped, 1 problem']);
    expect(out).toContain('skipped for having neither schema_version nor workflow: all.yaml\n');
    expect((await verifyIn(foreign, ['.'], { format: [{ name: 'github' }] })).out).toContain(', 1 file skipped');
    expect((await verifyIn(foreign, ['.'], { format: [{ name: 'markdown' }] })).out).toContain('\n1 file skipped');
  });

  it('are looked at where their edges say what they are, although the names at their top are misspelt', async () => {
    const text = 'schema_verison: "1.0"\nnodes: []\nedges: [{ from_node: a, to_node: b, label: success }]\n';
    const { out } = await verifyIn(folderOf({ 'a.yaml': text }), ['.']);
    expect(out).toContain(
      'a.yaml:1:1 error SCHEMA This is no ARS workflow: it has neither schema_version nor workflow',
    );
  });

  it('and registries are each taken once, however they are named', async () => {
    const options = { registry: ['registry.yaml', './registry.yaml'] };
    expect(await json(['good.yaml', '.', './registry.yaml'], options)).toMatchObject({ summary: { registries: 1 } });
  });

  it('of one name and version name each other', async () => {
    const twins = folderOf({ 'a.yaml': GOOD, 'b.yaml': GOOD });
    const { code, out } = await verifyIn(twins, ['.']);
    expect(code).toBe(1);
    expect(out).toContain('b.yaml:2:19 error S5');
    expect(out).toContain('the other one is at a.yaml:2:19.');
  });

  it('of another format give one finding where they are named, also with a workflow of its own', async () => {
    const { reports } = await json(['package.json', 'ci.yaml']);
    const findings = reports.map(({ report }) => (report as unknown as { findings: { message: string }[] }).findings);
    expect(findings.map(found => found.map(({ message }) => message))).toEqual([
      ['This is no ARS workflow: it has neither schema_version nor nodes and edges'],
      ['This is no ARS workflow: it has neither schema_version nor workflow'],
    ]);
  });

  it('tell in the text how many were skipped and why', async () => {
    const { out } = await verifyIn(folder, ['.']);
    expect(out).toContain('4 documents, 1 error, 0 warnings, 1 registry used, 5 skipped');
    expect(out).toContain('skipped for having neither schema_version nor workflow: ci.yaml');
    expect(out).toContain(
      'skipped for having a workflow of another format, without schema_version: package.json, two.yaml',
    );
  });

  it('are an error where none is a workflow', async () => {
    const { code, problems } = await json(['ci*.yaml']);
    expect([code, problems]).toEqual([2, ['There is no ARS workflow in 1 file']]);
  });
});

describe('a registry alone', () => {
  it('is nothing to verify', async () => {
    const { code, problems } = await json(['registry.yaml']);
    expect([code, problems]).toEqual([2, ['There is no ARS workflow in 1 file, only 1 registry']]);
  });
});

describe('a file that is named and no workflow', () => {
  it('is an error that says what it is not', async () => {
    const { code, out } = await verifyIn(folder, ['ci.yaml', 'good.yaml']);
    expect(code).toBe(1);
    expect(out).toContain('ci.yaml:1:1 error SCHEMA This is no ARS workflow');
  });

  it.each([
    ['', 'The file is empty'],
    ['# nothing\n', 'The file holds nothing but comments'],
    ['---\n', 'This is no ARS workflow: the document is empty'],
    ['[]\n', 'This is no ARS workflow: it is an empty list'],
    ['hello\n', 'This is no ARS workflow: it is the text "hello"'],
    ['on: push\njobs: {}\n', 'This is no ARS workflow: it has neither schema_version nor workflow'],
  ])('has one finding and one reason: %j', async (text, message) => {
    const { code, out } = await verifyIn(folderOf({ 'other.yaml': text }), ['other.yaml']);
    expect(code).toBe(1);
    expect(out).toContain(`error SCHEMA ${message}\n`);
    expect(out).toContain(
      'help: An ARS workflow has schema_version: "1.0", workflow: { name, version }, nodes and edges.',
    );
    expect(out).toMatch(/✖ 1 document, 1 error, 0 warnings; 17 rules not evaluated:\n {2}S1–S17: [^\n]+ \(SCHEMA\)\n$/);
  });

  it.each([{}, { rule: ['S1'] }, { skipRule: ['S1'] }])('is one annotation of its first line: %j', async options => {
    const other = folderOf({ 'ci.yaml': 'on: push\njobs:\n  a: {}\n' });
    const { out } = await verifyIn(other, ['ci.yaml'], { ...options, format: [{ name: 'github' }] });
    expect(out).toMatch(
      /^::error file=ci\.yaml,line=1,endLine=1,col=1,endColumn=8,[^\n]*\nars verify: 1 document, [^\n]*\n$/,
    );
  });

  it('is skipped with --skip-foreign, also where nothing is left', async () => {
    expect(await json(['ci.yaml', 'good.yaml'], { skipForeign: true })).toMatchObject({
      code: 0,
      skipped: [{ file: 'ci.yaml' }],
      summary: { documents: 1 },
    });
    expect(await json(['ci.yaml'], { skipForeign: true })).toMatchObject({ code: 0, summary: { documents: 0 } });
  });
});

describe('exit codes', () => {
  it('are 2 where something is unreadable, whatever else was found', async () => {
    expect((await verifyIn(folder, ['none.yaml', 'good.yaml'])).code).toBe(2);
    expect((await verifyIn(folder, ['none.yaml', '-'], {}, CYCLIC)).code).toBe(2);
    expect((await verifyIn(folder, ['x*.yaml', 'good.yaml'])).code).toBe(2);
    expect((await verifyIn(folder, ['good.yaml', '-'], {}, CYCLIC)).code).toBe(1);
    expect((await verifyIn(folder, ['good.yaml'])).code).toBe(0);
  });

  it('are 2 for a registry that is none', async () => {
    const { code, err } = await verifyIn(folder, ['good.yaml'], { registry: ['good.yaml'] });
    expect(code).toBe(2);
    expect(err).toMatch(/good\.yaml:\d+:\d+ is no registry/);
  });
});
