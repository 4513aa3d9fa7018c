import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { SuiteError } from '../error.js';
import { checkLog } from '../history/check-log.js';
import { resemblesLog } from '../history/read-lines.js';
import { colorsOf, colorsOutput } from '../report/color.js';
import { coverageText, only } from '../report/coverage.js';
import { type Background, judged } from '../report/standing.js';
import { readReport, writeViews } from '../report/views.js';
import { EXIT } from '../runner/verdict.js';
import { systemReason } from '../system-reason.js';
import { list } from './options.js';

/** What a command tells its exit code to. */
export type Done = (code: number) => void;

/** Gives the command that makes all views of a report again. */
export function reportCommand(background: () => Background): Command {
  return new Command('report')
    .description('make report.html, junit.xml and the other views again from report.json and replays/')
    .argument('[dir]', 'the folder that a run wrote', 'out')
    .action(async (dir: string) => {
      const { runtime } = await writeViews(dir, background());
      process.stdout.write(`${dir}/report.html shows ${runtime.name} ${runtime.version}\n`);
    });
}

/** Gives the command that says how much of the specification, or of some requirements, a run reached; it ends with 0 where that is all that a test can show. */
export function coverageCommand(background: () => Background, done: Done): Command {
  return new Command('coverage')
    .description('show planned, reached and passed for every requirement, from a run')
    .argument('[dir]', 'the folder that a run wrote', 'out')
    .option('--req <ids>', 'only these requirements, separated by commas', list)
    .action((dir: string, { req }: { readonly req?: readonly string[] }) => {
      const all = only(judged(readReport(dir).report, background()), req);
      process.stdout.write(coverageText(all, colorsOutput()));
      const whole = all.every(({ clause, row }) => clause?.untestable !== undefined || (row?.reached ?? 0) > 0);
      done(whole ? EXIT.conforms : EXIT.inconclusive);
    });
}

/** Gives the command that checks exported logs by themselves, without the runtime that wrote them. */
export function checkLogCommand(done: Done): Command {
  return new Command('check-log')
    .description('check exported logs by themselves: each in the interchange form, one record a line')
    .argument('<files...>', 'logs, as ars audit export or audit/export gives them')
    .action((files: string[]) => {
      const colors = colorsOf(colorsOutput());
      let sound = true;
      for (const file of files) {
        const text = readLog(file);
        const records = text.split('\n').filter(line => line !== '').length;
        const found = checkLog(text);
        if (found.length > 0 || records === 0) sound = false;
        const word = found.length > 0 ? colors.red('bad') : records === 0 ? colors.yellow('empty') : colors.green('ok');
        process.stdout.write(`${word} ${file}: ${records} records, ${found.length} violations\n`);
        for (const { requirement, expected, observed, node_id, sequence } of found.slice(0, MOST_SHOWN)) {
          const at = sequence === undefined ? '' : `record ${sequence}: `;
          const where = node_id === undefined ? at : `${at}'${node_id}': `;
          process.stdout.write(`  ${requirement.padEnd(6)} ${where}${observed}\n         expected: ${expected}\n`);
        }
        if (found.length > MOST_SHOWN) process.stdout.write(`  and ${found.length - MOST_SHOWN} more\n`);
      }
      done(sound ? EXIT.conforms : EXIT.nonconforming);
    });
}

/** How many violations of one log are printed. */
const MOST_SHOWN = 20;

function readLog(file: string): string {
  const text = read(file);
  if (resemblesLog(text)) return text;
  throw new SuiteError('usage', `'${file}' is no log: none of its first lines is a JSON object.`, {
    details: { fix: 'Give a log in the interchange form, one record a line, as ars audit export writes it.' },
  });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SuiteError('usage', `cannot read the log '${file}': ${systemReason(cause)}`, { cause });
  }
}
