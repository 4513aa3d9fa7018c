import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../runner/package.js';
import { type Mutant, plant } from './mutant.js';

const mutant: Mutant = {
  id: 'adds-wrong',
  requirement: 'X1',
  why: 'subtracts',
  edits: [{ file: 'sum.js', find: 'a + b', replace: 'a - b' }],
};

describe('plant', () => {
  it('changes the one place', () => {
    expect(plant(mutant, 'sum.js', 'return a + b;')).toBe('return a - b;');
  });

  it('leaves other files alone', () => {
    expect(plant(mutant, 'other.js', 'a + b; a + b;')).toBe('a + b; a + b;');
  });

  it.each([
    ['never', 'return a * b;'],
    ['twice', 'a + b; a + b;'],
  ])('refuses a text that occurs %s', (_word, source) => {
    expect(() => plant(mutant, 'sum.js', source)).toThrow(expect.objectContaining({ code: 'suite_bug' }));
  });
});

describe('the load hook', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ars-mutant-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeAll(async () => {
    const { transpileModule, ModuleKind, ScriptTarget } = await import('typescript').then(module => module.default);
    const root = packageRoot();
    for (const name of ['mutants/hooks', 'mutants/mutant', 'error', 'runner/package']) {
      const source = readFileSync(join(root, 'compliance', `${name}.ts`), 'utf8');
      const { outputText } = transpileModule(source, {
        compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 },
      });
      const flat = outputText.replaceAll(/'\.\.?\/(?:runner\/)?([a-z]+)\.js'/g, "'./$1.mjs'");
      writeFileSync(join(folder, `${name.split('/').at(-1)}.mjs`), flat);
    }
    writeFileSync(join(folder, 'sum.mjs'), 'export const sum = (a, b) => a + b;\n');
    writeFileSync(join(folder, 'main.mjs'), "import { sum } from './sum.mjs';\nconsole.log(sum(3, 2));\n");
  });

  const start = (data: Mutant) => {
    const loader = `import { register } from 'node:module';
register('./hooks.mjs', import.meta.url, { data: { mutant: ${JSON.stringify(data)}, files: new Map([[new URL('./sum.mjs', import.meta.url).href, 'sum.js']]) } });`;
    writeFileSync(join(folder, 'loader.mjs'), loader);
    return spawnSync(process.execPath, ['--import', './loader.mjs', 'main.mjs'], { cwd: folder, encoding: 'utf8' });
  };

  it('runs the program with the fault in it', () => {
    expect(start(mutant)).toMatchObject({ status: 0, stdout: '1\n' });
  });

  it('stops the program where the fault cannot be planted', () => {
    const { status, stderr } = start({ ...mutant, edits: [{ file: 'sum.js', find: 'a ** b', replace: '' }] });
    expect(status).not.toBe(0);
    expect(stderr).toContain('adds-wrong');
  });
});
