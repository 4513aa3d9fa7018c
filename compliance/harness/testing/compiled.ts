import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  const sources = [...PARTS, ...folders].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map(name => join(folder, name)),
  );
  for (const source of new Set(['compliance/error.ts', ...sources])) translate(source, out);
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

const compilerOptions: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2023,
  verbatimModuleSyntax: true,
};

/** Puts the translation of a source in its place. It is made once, whoever needs it, and found again by what it is made from. */
function translate(source: string, out: string): void {
  const text = readFileSync(join(root, source), 'utf8');
  const made = createHash('sha256')
    .update(JSON.stringify([ts.version, compilerOptions, text]))
    .digest('hex');
  const translation = join(root, 'out', 'translations', `${made}.js`);
  if (!existsSync(translation)) {
    const { outputText } = ts.transpileModule(text, { compilerOptions });
    mkdirSync(dirname(translation), { recursive: true });
    const draft = `${translation}.${process.pid}`;
    writeFileSync(draft, outputText);
    putOnce(draft, translation);
    rmSync(draft);
  }
  const target = join(out, source.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  linkSync(translation, target);
}

/** A file that another process may be linking is never replaced: its link would fail. */
function putOnce(draft: string, target: string): void {
  try {
    linkSync(draft, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
