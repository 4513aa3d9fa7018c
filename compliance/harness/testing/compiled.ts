import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A copy of parts of the package as JavaScript, for tests that start child processes. */
export interface Compiled {
  /** The path of a compiled module, given that of its source from the root of the package. */
  path(source: string): string;
  /** Writes a module beside the compiled ones and gives its path. */
  write(name: string, text: string): string;
  remove(): void;
}

/** What adapters and fixtures are made of. */
const PARTS = [
  'schemas',
  'compliance/wire',
  'compliance/adapter',
  'compliance/harness/testing',
  'compliance/mutants/null',
];

/** Translates the modules of these parts, and of the given folders, without checking types. */
export function compile(folders: readonly string[] = []): Compiled {
  mkdirSync(join(root, 'out'), { recursive: true });
  const out = mkdtempSync(join(root, 'out', 'compiled-'));
  writeFileSync(join(out, 'package.json'), '{"type":"module"}\n');
  translate('compliance/error.ts', out);
  for (const folder of [...PARTS, ...folders]) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.ts') && !name.endsWith('.test.ts')) translate(join(folder, name), out);
    }
  }
  for (const name of ['v1.0', 'validators']) symlinkSync(join(root, 'schemas', name), join(out, 'schemas', name));
  return {
    path: source => join(out, source.replace(/\.ts$/, '.js')),
    write: (name, text) => {
      writeFileSync(join(out, name), text);
      return join(out, name);
    },
    remove: () => rmSync(out, { recursive: true, force: true }),
  };
}

function translate(source: string, out: string): void {
  const { outputText } = ts.transpileModule(readFileSync(join(root, source), 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true },
  });
  const target = join(out, source.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, outputText);
}
