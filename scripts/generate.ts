import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateTypes } from './generate-types.js';
import { ROOT } from './project.js';

/** What a generator gives: the text of each file that it owns, by path relative to the project. */
export type Generated = Readonly<Record<string, string>>;

/** The generators, in order. Each is pure in its inputs, so that making and checking are one code path. */
const GENERATORS: readonly (() => Promise<Generated> | Generated)[] = [
  async () => ({ 'schemas/types.ts': await generateTypes() }),
];

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const check = args.includes('--check');
  const stale: string[] = [];
  for (const generator of GENERATORS) {
    for (const [path, text] of Object.entries(await generator())) {
      const present = read(path);
      if (present === text) continue;
      if (check) stale.push(`${path}: ${firstDifference(present, text)}`);
      else write(path, text);
    }
  }
  if (stale.length === 0) return 0;
  process.stderr.write(
    `Generated files are stale:\n${stale.map(line => `  ${line}\n`).join('')}Run: npm run generate\n`,
  );
  return 1;
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
