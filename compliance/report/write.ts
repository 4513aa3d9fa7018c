import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { validate } from '../../schemas/index.js';
import type { ComplianceReport } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import type { Counterexample } from '../runner/property.js';
import { toReplay } from './replay-file.js';
import { replayPath } from './report.js';
import { transcriptText } from './transcript-text.js';

/**
 * Writes `report.json`, `replays/` and `transcripts/` into a folder, after the report has been checked against its
 * schema; what an earlier run left there is removed. Throws `suite_bug` where the report does not fit.
 */
export function writeReport(out: string, report: ComplianceReport, counterexamples: readonly Counterexample[]): void {
  const defects = validate('compliance-report', report);
  if (defects.length > 0) {
    throw new SuiteError(
      'suite_bug',
      `the report does not fit its schema: ${defects[0]?.pointer} ${defects[0]?.message}`,
      {
        details: { defects },
      },
    );
  }
  for (const folder of ['replays', 'transcripts']) rmSync(join(out, folder), { recursive: true, force: true });
  writeJson(join(out, 'report.json'), report);
  for (const counterexample of counterexamples) {
    const path = replayPath(counterexample);
    writeJson(join(out, path), toReplay(counterexample, report));
    const transcript = path.replace('replays/', 'transcripts/').replace('.json', '.txt');
    write(join(out, transcript), transcriptText(counterexample));
  }
}

/** Writes a value as indented JSON, and makes the folders above the file. */
export function writeJson(path: string, value: unknown): void {
  write(path, `${JSON.stringify(value, null, 2)}\n`);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
