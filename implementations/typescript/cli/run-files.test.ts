import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const main = join(root, 'dist/implementations/typescript/cli/main.js');
const example = join(root, 'examples/06-skill');
const folder = mkdtempSync(join(tmpdir(), 'ars-run-files-'));
const briefing = join(example, 'briefing.yaml');
const summary = join(example, 'summary.yaml');
const INPUTS = ['--input', 'morning=The harbour is open. Two ships.', '--input', 'evening=Fog closes it. None sails.'];
const OUTPUTS = { briefing: 'The harbour is open; Fog closes it' };

function run(workspace: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [main, 'run', ...args, '--workspace', join(folder, workspace)], {
    encoding: 'utf8',
  });
}

beforeAll(() => {
  const texts = [briefing, summary].map(file => readFileSync(file, 'utf8'));
  writeFileSync(join(folder, 'both.yaml'), texts.join('\n---\n'));
  writeFileSync(join(folder, 'actions.mjs'), readFileSync(join(example, 'actions.mjs')));
  writeFileSync(join(folder, 'changed.yaml'), texts[1]?.replace('first sentence', 'beginning') ?? '');
  const registry = { schema_version: '1.0', actions: [{ action_id: 'wait' }] };
  writeFileSync(join(folder, 'broken.json'), JSON.stringify(registry));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('ars run with more than one document', () => {
  it('finds a skill in another file, and from then on in the workspace', () => {
    const first = run('files', briefing, summary, ...INPUTS);
    expect(first).toMatchObject({ status: 0 });
    expect(JSON.parse(first.stdout)).toEqual(OUTPUTS);
    expect(JSON.parse(run('files', briefing, ...INPUTS).stdout)).toEqual(OUTPUTS);
  });

  it('finds a skill in a file of --registry', () => {
    expect(JSON.parse(run('registry', briefing, '--registry', summary, ...INPUTS).stdout)).toEqual(OUTPUTS);
  });

  it('runs the first document of a file, or the one that is named', () => {
    const both = join(folder, 'both.yaml');
    expect(JSON.parse(run('both', both, ...INPUTS).stdout)).toEqual(OUTPUTS);
    const named = run('both', both, '--workflow', 'summary', '--input', 'text=One. Two');
    expect(JSON.parse(named.stdout)).toEqual({ sentence: 'One', words: 2 });
    const unknown = run('both', both, '--workflow', 'nothing');
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain('[usage]');
    expect(unknown.stderr).toContain('briefing@1.0.0, summary@1.2.0');
  });

  it('says at the place that refers to it what is not there, and how to give it', () => {
    const missing = run('missing', briefing, '--dry-run', ...INPUTS);
    expect(missing.status).toBe(1);
    expect(missing.stderr).toMatch(/briefing\.yaml:20:52 error S12/);
    expect(missing.stderr).toContain('--registry FILE');
  });

  it('refuses another content under a version that the workspace has', () => {
    run('conflict', briefing, summary, ...INPUTS);
    const refused = run('conflict', briefing, join(folder, 'changed.yaml'), ...INPUTS);
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain('[conflict]');
    expect(refused.stderr).toContain('summary@1.2.0');
  });

  it('takes no documents for --resume, and no registry that is none', () => {
    expect(run('files', '--resume', '--registry', summary).status).toBe(2);
    expect(run('files', briefing, '--registry', join(folder, 'broken.json'), ...INPUTS).status).toBe(2);
  });

  it('names the actions of a skill that have no code before anything runs', () => {
    const code = join(folder, 'join.mjs');
    writeFileSync(
      code,
      `export default { 'text.join': ({ inputs }) => ({ outputs: { text: inputs.parts.join() } }) };\n`,
    );
    const refused = run('code', briefing, summary, '--actions', code, ...INPUTS);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('text.shorten@1.0.0');
    expect(refused.stderr).toContain('--actions FILE');
    expect(refused.stderr).not.toContain('✓');
  });
});
