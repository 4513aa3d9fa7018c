import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROPERTIES } from '../compliance/properties/index.js';
import { readClauses } from '../compliance/report/clause.js';
import { standings } from '../compliance/report/standing.js';
import { readReport } from '../compliance/report/views.js';
import { STANDING_WORDS } from '../compliance/report/words.js';
import { matrixPage, type Ran, RUNTIMES } from './matrix/page.js';
import { ROOT } from './project.js';

process.exitCode = main();

/** Runs the suite against every runtime of this repository and writes what came of it, without anything that time decides. */
function main(): number {
  const ran: Ran[] = [];
  for (const runtime of RUNTIMES) {
    const out = mkdtempSync(join(tmpdir(), 'ars-matrix-'));
    try {
      const args = [
        'dist/compliance/cli.js',
        'run',
        '--runs',
        '20',
        '--seed',
        '1',
        '--out',
        out,
        '--',
        ...runtime.command,
      ];
      const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
      const { report } = readReport(out);
      const words = standings(report, PROPERTIES).map(({ profile, standing }) => ({
        profile,
        word: STANDING_WORDS[standing],
      }));
      ran.push({ runtime, report, standings: words });
      process.stdout.write(`${runtime.name}: exit ${status}, ${report.requirements.length} requirements\n`);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  }
  writeFileSync(join(ROOT, 'implementations/README.md'), matrixPage(ran, [...readClauses(ROOT).keys()]));
  return 0;
}
