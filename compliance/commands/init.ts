import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { SuiteError } from '../error.js';
import { quoted } from '../report/words.js';
import { packageRoot } from '../runner/package.js';
import { systemReason } from '../system-reason.js';

const FILES: Readonly<Record<string, readonly string[]>> = {
  ts: ['start/adapter.mjs'],
  python: ['start/adapter.py', 'python/ars_adapter.py'],
};

/** Gives the command that writes an adapter to begin with, which the doctor has nothing to say of. */
export function initCommand(): Command {
  return new Command('init')
    .description('write an adapter to begin with, which already passes doctor')
    .addOption(new Option('--lang <language>', 'its language').choices(Object.keys(FILES)).makeOptionMandatory())
    .argument('[dir]', 'where to write it', '.')
    .action((dir: string, { lang }: { lang: string }) => void process.stdout.write(init(dir, lang)));
}

/** Writes the files of a language into a folder and gives what to do next; throws `usage` where one is there already. */
export function init(dir: string, lang: string): string {
  const sources = (FILES[lang] ?? []).map(path => join(packageRoot(), 'compliance', 'adapter', path));
  const targets = sources.map(source => join(dir, basename(source)));
  const present = targets.find(existsSync);
  if (present !== undefined) {
    const details = { fix: 'Give another folder, or move the file away: nothing is overwritten.' };
    throw new SuiteError('usage', `there is a '${present}' already`, { details });
  }
  try {
    mkdirSync(dir, { recursive: true });
    sources.forEach((source, index) => void copyFileSync(source, targets[index] as string));
  } catch (cause) {
    throw new SuiteError('usage', `cannot write to '${dir}': ${systemReason(cause)}`, { cause });
  }
  const [adapter = ''] = targets;
  const start = `${lang === 'python' ? 'python3' : 'node'} ${quoted(adapter)}`;
  const install = lang === 'ts' && !findsPackage(adapter) ? ['npm install agent-runtime-spec'] : [];
  const next = [...install, `ars-compliance doctor -- ${start}`, `ars-compliance run --profile core -- ${start}`];
  return `${targets.map(path => `wrote ${path}\n`).join('')}next:\n${next.map(line => `  ${line}\n`).join('')}`;
}

function findsPackage(from: string): boolean {
  try {
    createRequire(resolve(from)).resolve('agent-runtime-spec/adapter');
    return true;
  } catch {
    return false;
  }
}
