import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rememberModule } from './action-module.js';
import { ars } from './ars.fixture.js';
import { placeOfSyntax } from './code-place.js';

const root = resolve(import.meta.dirname, '../../..');
const example = join(root, 'examples/06-skill');
const folder = mkdtempSync(join(tmpdir(), 'ars-run-files-'));
const briefing = join(example, 'briefing.yaml');
const summary = join(example, 'summary.yaml');
const INPUTS = ['--input', 'morning=The harbour is open. Two ships.', '--input', 'evening=Fog closes it. None sails.'];
const OUTPUTS = { briefing: 'The harbour is open; Fog closes it' };

const run = (workspace: string, ...args: string[]) => ars('run', ...args, '--workspace', join(folder, workspace));

beforeAll(() => {
  const texts = [briefing, summary].map(file => readFileSync(file, 'utf8'));
  writeFileSync(join(folder, 'both.yaml'), texts.join('\n---\n'));
  writeFileSync(join(folder, 'actions.mjs'), readFileSync(join(example, 'actions.mjs')));
  writeFileSync(join(folder, 'changed.yaml'), texts[1]?.replace('first sentence', 'beginning') ?? '');
  const registry = { schema_version: '1.0', actions: [{ action_id: 'wait' }] };
  writeFileSync(join(folder, 'edited.yaml'), texts[0]?.replace('  briefing: ${', '  told: ${') ?? '');
  writeFileSync(join(folder, 'broken.json'), JSON.stringify(registry));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('ars run with more than one document', () => {
  it('finds a skill in another file, and from then on in the workspace', async () => {
    const first = await run('files', briefing, summary, ...INPUTS);
    expect(first).toMatchObject({ status: 0 });
    expect(JSON.parse(first.stdout)).toEqual(OUTPUTS);
    expect(JSON.parse((await run('files', briefing, ...INPUTS)).stdout)).toEqual(OUTPUTS);
  });

  it('finds a skill in a file of --registry', async () => {
    expect(JSON.parse((await run('registry', briefing, '--registry', summary, ...INPUTS)).stdout)).toEqual(OUTPUTS);
  });

  it('runs the first document of a file, or the one that is named', async () => {
    const both = join(folder, 'both.yaml');
    expect(JSON.parse((await run('both', both, ...INPUTS)).stdout)).toEqual(OUTPUTS);
    const named = await run('both', both, '--workflow', 'summary', '--input', 'text=One. Two');
    expect(JSON.parse(named.stdout)).toEqual({ sentence: 'One', words: 2 });
    const unknown = await run('both', both, '--workflow', 'nothing');
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain('[usage]');
    expect(unknown.stderr).toContain('briefing@1.0.0, summary@1.2.0');
  });

  it('says at the place that refers to it what is not there, and how to give it', async () => {
    const missing = await run('missing', briefing, '--dry-run', ...INPUTS);
    expect(missing.status).toBe(1);
    expect(missing.stderr).toMatch(/briefing\.yaml:20:52 error S12/);
    expect(missing.stderr).toContain('--registry FILE');
  });

  it('refuses another content under a version that the workspace has', async () => {
    await run('conflict', briefing, summary, ...INPUTS);
    const refused = await run('conflict', briefing, join(folder, 'changed.yaml'), ...INPUTS);
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain('[conflict]');
    expect(refused.stderr).toContain('summary@1.2.0');
  });

  it('takes no documents for --resume, and no registry that is none', async () => {
    expect((await run('files', '--resume', '--registry', summary)).status).toBe(2);
    for (const kept of ['--max-parallel', '--request-key']) {
      const { status, stderr } = await run('files', '--resume', kept, '1');
      expect([status, stderr]).toEqual([2, expect.stringContaining('leave --max-parallel and --request-key out')]);
    }
    expect((await run('files', briefing, '--registry', join(folder, 'broken.json'), ...INPUTS)).status).toBe(2);
  });

  it('names the actions of a skill that have no code before anything runs', async () => {
    const code = join(folder, 'join.mjs');
    writeFileSync(
      code,
      `export default { 'text.join': ({ inputs }) => ({ outputs: { text: inputs.parts.join() } }) };\n`,
    );
    const refused = await run('code', briefing, summary, '--actions', code, ...INPUTS);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('text.shorten@1.0.0');
    expect(refused.stderr).toContain('--actions FILE');
    expect(refused.stderr).not.toContain('✓');
  });
});

describe('ars run with an action that no node uses', () => {
  it('asks for no code of it', async () => {
    const idle = join(folder, 'idle.yaml');
    const unused =
      '{ action_id: unused, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [] }';
    writeFileSync(idle, readFileSync(summary, 'utf8').replace(/^actions:\n/m, `actions:\n  - ${unused}\n`));
    expect(await run('idle', idle, '--input', 'text=One. Two')).toMatchObject({ status: 0 });
    const refused = await run('idle', idle, '--actions', join(folder, 'join.mjs'), '--input', 'text=One. Two');
    expect(refused.status).toBe(2);
    expect(refused.stderr).not.toContain('unused');
  });
});

describe('ars run --resume of an instance that failed', () => {
  it('is told at its end, and takes the code of its run, but none of which it cannot know', async () => {
    const flag = join(folder, 'mended');
    const code = join(folder, 'failing.mjs');
    writeFileSync(
      code,
      `import { existsSync } from 'node:fs';
const shorten = () => existsSync('${flag}') ? { outputs: { sentence: 'One' } } : { error: { error_class: 'E5', detail: 'broken', effect: 'none' } };
export default { 'text.shorten': shorten, 'text.count': () => ({ outputs: { words: 1 } }) };
`,
    );
    const failed = await run('failed', summary, '--actions', code, '--input', 'text=One');
    expect(failed.status).toBe(1);
    const [, id = ''] = /: ars run --resume (\S+) --actions \S+ --workspace .*failed\n$/.exec(failed.stderr) ?? [];
    writeFileSync(flag, '');
    const broken = join(folder, 'since-broken.mjs');
    writeFileSync(broken, 'export default {\n');
    rememberModule(join(folder, 'failed'), broken);
    const resumed = await run('failed', '--resume', id);
    expect([resumed.status, resumed.stderr]).toEqual([0, expect.stringContaining(broken)]);
    rmSync(broken);
    expect(await run('failed', summary, '--input', 'text=One')).toMatchObject({ status: 0 });
    const refused = await run('failed', '--resume', id);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('--actions FILE')]);
  });
});

describe('the place in the code of an action', () => {
  it('is told of what it throws, and of what does not parse', async () => {
    const throwing = join(folder, 'throwing.mjs');
    const lines = [
      'const shorten = ({ inputs }) =>',
      '  inputs.none.name;',
      "export default { 'text.shorten': shorten,",
    ];
    writeFileSync(throwing, `${lines.join('\n')} 'text.count': shorten };\n`);
    const failed = await run('place', summary, '--actions', throwing, '--input', 'text=One');
    expect(failed.stderr).toMatch(/✗ shorten E0: .*\n {4}at .*throwing\.mjs:2:\d+\n/);
    const broken = join(folder, 'broken.mjs');
    writeFileSync(broken, 'export const a = 1;\nexport const b = { c: 1,, };\n');
    const importing = join(folder, 'importing.mjs');
    writeFileSync(importing, "import { b } from './broken.mjs';\nexport default { b };\n");
    for (const path of [broken, importing])
      expect(placeOfSyntax(new SyntaxError('Unexpected token'), path)).toBe(`${broken}:2`);
  });
});

describe('ars run with inputs that do not fit', () => {
  it('says in a dry run that a start would be denied', async () => {
    const missing = await run('inputs', briefing, summary, '--dry-run', '--input', 'morning=x');
    expect(missing.status).toBe(1);
    expect(missing.stdout).toContain('inputs_digest');
    expect(missing.stderr).toContain('would be denied');
    expect(missing.stderr).toContain("'evening'");
    const whole = await run('inputs', briefing, summary, '--dry-run', ...INPUTS);
    expect(whole.status).toBe(0);
    expect(whole.stderr).toBe('dry run: nothing was invoked\n');
  });
});

describe('ars run --request-key', () => {
  it('says that the result is of an earlier start, and what was different then', async () => {
    const first = await run('key', briefing, summary, '--request-key', 'k', ...INPUTS);
    expect(first.stderr).not.toContain('request key');
    const again = await run('key', briefing, '--request-key', 'k', ...INPUTS);
    expect(again).toMatchObject({ status: 0, stdout: first.stdout });
    expect(again.stderr).toContain('! given by request key: an earlier start\n');
    const other = await run('key', briefing, '--request-key', 'k', '--input', 'morning=x', '--input', 'evening=y');
    expect(other).toMatchObject({ status: 0, stdout: first.stdout });
    expect(other.stderr).toContain('an earlier start, its inputs differ\n');
    const another = await run('key', summary, '--request-key', 'k', '--input', 'text=x');
    expect(another.stderr).toContain('an earlier start, its workflow is briefing@1.0.0\n');
    const edited = await run('key', join(folder, 'edited.yaml'), '--request-key', 'k', ...INPUTS);
    expect(edited.stderr).toContain('since changed without a new version');
  });
});

describe('a folder that becomes a workspace', () => {
  it('is warned of where it holds other files, and once only', async () => {
    mkdirSync(join(folder, 'flows'));
    writeFileSync(join(folder, 'flows', 'flow.yaml'), '');
    expect((await run('flows', briefing, summary, ...INPUTS)).stderr).toMatch(/^! ".*flows" holds other files/);
    expect((await run('flows', briefing, ...INPUTS)).stderr).not.toContain('other files');
    mkdirSync(join(folder, 'empty'));
    expect((await run('empty', briefing, summary, ...INPUTS)).stderr).not.toContain('other files');
  });
});
