import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOf, GOOD, verifyIn } from './verify.fixture.js';

/** A workflow whose compensation is named as given, next to `hotel.cancel` in version 1.0.0. */
const booking = (compensation: string): string => `schema_version: "1.0"
workflow: { name: booking, version: 1.0.0 }
actions:
  - { action_id: hotel.book, version: 1.0.0, determinism: deterministic, rollback: compensatable, side_effects: [remote_server], idempotent: true, compensation: ${compensation} }
  - { action_id: hotel.cancel, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [] }
nodes:
  - { node_id: book, type: action, action_def: hotel.book@^1 }
  - { node_id: unbook, type: action, action_def: hotel.cancel@^1 }
  - { node_id: stop, type: error, handling: fail, join_type: OR }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: book, to_node: unbook, label: success }
  - { from_node: unbook, to_node: done, label: success }
  - { from_node: book, to_node: stop, label: failure }
  - { from_node: unbook, to_node: stop, label: failure }
`;
/** A workflow with the skill `other` of a version. */
const user = (version: string, name = 'good'): string => `schema_version: "1.0"
workflow: { name: user, version: 1.0.0 }
nodes:
  - { node_id: call, type: skill, workflow_ref: ${name}@${version} }
  - { node_id: done, type: terminal, status: completed }
  - { node_id: stop, type: error, handling: fail }
edges:
  - { from_node: call, to_node: done, label: success }
  - { from_node: call, to_node: stop, label: failure }
`;
const folder = folderOf({
  'misspelt.yaml': booking('hotel.cancle@^1'),
  'old.yaml': booking('hotel.cancel@^2'),
  'right.yaml': booking('hotel.cancel@^1'),
  'good.yaml': GOOD,
  'newer.yaml': `${user('^2')}---\n${GOOD}`,
  'near.yaml': `${user('^1', 'goood')}---\n${GOOD}`,
  'strict/ars.config.yaml': 'preset: strict\n',
  'strict/misspelt.yaml': booking('hotel.cancle@^1'),
});

describe('a reference without a registry', () => {
  it('is an error where the name is defined and no version fits', async () => {
    const old = await verifyIn(folder, ['old.yaml']);
    expect(old.code).toBe(1);
    expect(old.out).toContain('error S7 The action "hotel.cancel@^2"');
    const newer = await verifyIn(folder, ['newer.yaml']);
    expect(newer.code).toBe(1);
    expect(newer.out).toContain('error S13 The workflow "good@^2"');
    expect((await verifyIn(folder, ['right.yaml'], { maxUnevaluated: 0 })).code).toBe(0);
  });

  it('is noted where its name is like one that is defined', async () => {
    const { code, out } = await verifyIn(folder, ['misspelt.yaml']);
    expect(code).toBe(0);
    expect(out).toMatch(/^note S7: .*; did you mean "hotel\.cancel"\?$/m);
    expect(out).toMatch(/^✔ 1 document, no findings; \d+ rules? not evaluated/m);
    expect((await verifyIn(folder, ['near.yaml'])).out).toMatch(/^note S12–S14: .*; did you mean "good"\?/m);
    expect((await verifyIn(folder, ['misspelt.yaml'], { quiet: true })).out).toContain('note S7: ');
  });

  it('is noted where its name is like that of an action that comes with ars', async () => {
    const text = booking('hotel.cancel@^1').replace('action_def: hotel.cancel@^1', 'action_def: htp.get@^1');
    const folder = folderOf({ 'near.yaml': text, 'empty.yaml': 'schema_version: "1.0"\nactions: []\n' });
    const { code, out } = await verifyIn(folder, ['near.yaml']);
    expect(code).toBe(0);
    expect(out).toMatch(/^note S7: .*; did you mean "http\.get"\? It comes with ars, .*"ars builtin"/m);
    expect((await verifyIn(folder, ['near.yaml', 'empty.yaml'])).out).toMatch(
      /help: Did you mean "http\.get"\? It comes/,
    );
  });

  it('is told where another document of the file defines the action for itself', async () => {
    const caller = booking('hotel.cancel@^1').replace(/ {2}- \{ action_id: hotel\.cancel.*\n/, '');
    const other = booking('hotel.cancel@^1').replace('name: booking', 'name: other');
    const folder = folderOf({
      'both.yaml': `${caller}---\n${other}`,
      'registry.yaml': 'schema_version: "1.0"\nactions: []\n',
    });
    const open = await verifyIn(folder, ['both.yaml']);
    expect(open.code).toBe(0);
    expect(open.out).toMatch(/S7: no registry was given in which .* "other@1\.0\.0" defines it for itself alone/);
    const { code, out } = await verifyIn(folder, ['both.yaml'], { registry: ['registry.yaml'] });
    expect(code).toBe(1);
    expect(out).toMatch(/help: "other@1\.0\.0" defines it for itself alone/);
  });

  it('fails with --max-unevaluated and with the preset strict', async () => {
    const zero = await verifyIn(folder, ['misspelt.yaml'], { maxUnevaluated: 0 });
    expect(zero.code).toBe(1);
    expect(zero.out).toMatch(/^error \d+ rules? (was|were) not evaluated/m);
    expect(zero.out).toMatch(/^✖ 1 document, no findings/m);
    expect((await verifyIn(folder, ['misspelt.yaml'], { preset: 'strict' })).code).toBe(1);
    expect((await verifyIn(folder, ['strict/misspelt.yaml'])).code).toBe(1);
    expect((await verifyIn(folder, ['misspelt.yaml'], { preset: 'strict', maxUnevaluated: 17 })).code).toBe(0);
    expect((await verifyIn(folder, ['good.yaml', 'right.yaml'], { preset: 'strict' })).code).toBe(0);
  });

  it('says so in every format that a machine reads', async () => {
    const call = async (name: 'json' | 'sarif' | 'junit'): Promise<string> =>
      (await verifyIn(folder, ['misspelt.yaml'], { maxUnevaluated: 0, format: [{ name }] })).out;
    const message = expect.stringMatching(/^\d+ rules? (was|were) not evaluated, more than is allowed here/);
    expect(JSON.parse(await call('json'))).toMatchObject({ exceeded: [{ limit: 'max-unevaluated', message }] });
    const { runs } = JSON.parse(await call('sarif')) as {
      runs: { invocations: { toolExecutionNotifications: object[] }[] }[];
    };
    const [told] = runs[0]?.invocations[0]?.toolExecutionNotifications ?? [];
    expect(told).toEqual({ level: 'error', message: { text: message } });
    expect(await call('junit')).toMatch(/<failure type="max-unevaluated" message="\d+ rules? (was|were) not evaluated/);
  });

  it('does not count rules that are left out', async () => {
    expect((await verifyIn(folder, ['good.yaml'], { maxUnevaluated: 0, skipRule: ['S1'] })).code).toBe(0);
  });
});

describe('what was not evaluated', () => {
  it('has the place of the reference it is about', async () => {
    const call = async (name: 'text' | 'junit' | 'github' | 'json' | 'sarif' | 'markdown'): Promise<string> =>
      (await verifyIn(folder, ['misspelt.yaml'], { format: [{ name }] })).out;
    const lines = booking('hotel.cancle@^1').split('\n');
    const line = lines.findIndex(text => text.includes('hotel.cancle@^1')) + 1;
    const column = (lines[line - 1] ?? '').indexOf('hotel.cancle@^1') + 1;
    expect(await call('text')).toContain(`= at misspelt.yaml:${line}:${column}\n`);
    expect(await call('junit')).toContain(`<skipped message="misspelt.yaml:${line}:${column} no registry`);
    expect(await call('github')).toContain(`::notice file=misspelt.yaml,line=${line},col=${column},title=`);
    expect(await call('markdown')).toContain(`  - at \`misspelt.yaml:${line}:${column}\`\n`);
    const end = { end_line: line, end_column: column + '"hotel.cancle@^1"'.length - 2 };
    expect(JSON.parse(await call('json')).reports[0].open).toMatchObject({ S7: { line, column, ...end } });
    const region = { startLine: line, startColumn: column, endLine: line, endColumn: end.end_column };
    const log = JSON.parse(await call('sarif'));
    expect(log.runs[0].invocations[0].toolExecutionNotifications).toContainEqual(
      expect.objectContaining({
        associatedRule: expect.objectContaining({ id: 'S7' }),
        locations: [{ physicalLocation: expect.objectContaining({ region }) }],
      }),
    );
  });

  it.each(['text', 'markdown', 'github'] as const)('names its document as %s', async name => {
    const { out } = await verifyIn(folder, ['misspelt.yaml', 'right.yaml'], { format: [{ name }] });
    const lines = out.split('\n').filter(line => /^(note |- )S7:|::S7 /.test(line));
    expect(out).toMatch(/document.* 4 rules not evaluated|4 rules not evaluated, in 1/);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('misspelt.yaml');
    expect(lines[0]).not.toContain('right.yaml');
  });

  it.each([
    ['text', /^ {2}S2 \(in part\): impossible joins/m, /; \d+ rules not evaluated, 1 in part:$/m],
    ['markdown', /^- S2 \(in part\): impossible joins/m, /\d+ rules not evaluated, 1 in part$/m],
    ['github', /^::notice .*::S2 \(in part\) not evaluated: impossible joins/m, /rules not evaluated, 1 in part$/m],
  ] as const)('is told of a rule that has findings, too, as %s', async (name, line, count) => {
    const file = join(import.meta.dirname, '../../../examples/invalid/cycle-and-unreachable.yaml');
    const { out } = await verifyIn(folder, [file], { format: [{ name }] });
    expect(out).toMatch(line);
    expect(out).toMatch(count);
  });

  it('says which document of a file it is', async () => {
    const folder = folderOf({ 'two.yaml': `${GOOD}---\n${user('^1', 'elsewhere')}` });
    expect((await verifyIn(folder, ['two.yaml'])).out).toContain('(in two.yaml document 2)');
  });

  it('is counted in the last line, of all documents together', async () => {
    const { out } = await verifyIn(folder, ['misspelt.yaml', 'good.yaml']);
    expect(out).toMatch(/^✔ 2 documents, no findings; \d+ rules? not evaluated, in 1 of them:$/m);
  });
});
