import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFreezeState } from './freeze/check.js';
import { generateDiagrams } from './generate-diagrams.js';
import { generateEditorSchemas } from './generate-editor-schemas.js';
import { generatePython } from './generate-python.js';
import { generateReference } from './generate-reference.js';
import { generateRequirements } from './generate-requirements.js';
import { generateTypes } from './generate-types.js';
import { generateValidators } from './generate-validators.js';
import { type Generated, ROOT } from './project.js';

/** The generators, in order. Each is pure in its sources, so that making and checking are one code path. */
const GENERATORS: readonly (() => Promise<Generated> | Generated)[] = [
  generateTypes,
  generateValidators,
  generateEditorSchemas,
  generatePython,
  generateRequirements,
  generateReference,
  generateDiagrams,
];

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const check = args.includes('--check');
  const stale: string[] = [];
  const broken: string[] = [];
  for (const generator of GENERATORS) {
    const { files, problems } = await generator();
    broken.push(...problems);
    for (const [path, text] of Object.entries(files)) {
      const present = read(path);
      if (present === text) continue;
      if (check) stale.push(`${path}: ${firstDifference(present, text)}`);
      else write(path, text);
    }
  }
  const { frozen, problems } = readFreezeState(ROOT);
  if (frozen === undefined && problems.length === 0)
    process.stdout.write('Nothing is published yet: spec/v1.0/FROZEN.json is written by npm run freeze\n');
  report('The sources of generated files have problems', broken, 'Mend them, then run: npm run generate');
  report('Generated files are stale', stale, 'Run: npm run generate');
  report('The published text has changed', problems, 'Nothing that is published changes without an erratum');
  return broken.length + stale.length + problems.length === 0 ? 0 : 1;
}

function report(what: string, lines: readonly string[], help: string): void {
  if (lines.length > 0) process.stderr.write(`${what}:\n${lines.map(line => `  ${line}\n`).join('')}${help}\n`);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
  process.stdout.write(`wrote ${path}\n`);
}

function firstDifference(present: string | undefined, text: string): string {
  if (present === undefined) return 'missing';
  const before = present.split('\n');
  const after = text.split('\n');
  const line = after.findIndex((content, index) => content !== before[index]);
  const at = line === -1 ? after.length : line;
  const differing = after.filter((content, index) => content !== before[index]).length;
  const quote = (content: string | undefined): string => JSON.stringify(content?.slice(0, 100) ?? '(end of file)');
  return `line ${at + 1}: ${quote(before[at])} should be ${quote(after[at])} (${differing} lines differ)`;
}
