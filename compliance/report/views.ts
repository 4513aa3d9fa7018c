import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../schemas/index.js';
import type { ComplianceReport } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { systemReason } from '../system-reason.js';
import { badge, badgeSvg } from './badge.js';
import { htmlPage } from './html/page.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { type Replay, readReplay } from './replay-file.js';
import { type Background, standings } from './standing.js';
import { tap } from './tap.js';

/**
 * Writes everything that is made from `report.json` and `replays/` into their folder: `junit.xml`, `report.tap`,
 * `summary.md`, `badge.svg`, `badge.json` and `report.html`. Gives the report; throws `usage` where there is none.
 */
export async function writeViews(out: string, background: Background): Promise<ComplianceReport> {
  const { report, digest } = readReport(out);
  const badged = badge(report, standings(report, background.properties));
  const replays = readReplays(out, report);
  const views: Readonly<Record<string, string>> = {
    'junit.xml': junit(report),
    'report.tap': tap(report),
    'summary.md': markdown(report, background),
    'badge.svg': badgeSvg(badged),
    'badge.json': `${JSON.stringify(badged, null, 2)}\n`,
    'report.html': await htmlPage({ report, replays, background, digest, out }),
  };
  for (const [name, text] of Object.entries(views)) writeFileSync(join(out, name), text);
  return report;
}

/** Gives the report of a folder and the digest of its bytes; throws `usage` where there is none, or none that fits its schema. */
export function readReport(out: string): { readonly report: ComplianceReport; readonly digest: string } {
  const path = join(out, 'report.json');
  let bytes: Buffer;
  let report: unknown;
  try {
    bytes = readFileSync(path);
    report = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new SuiteError(
      'usage',
      `cannot read the report '${path}': ${systemReason(cause)}; ars-compliance run writes one`,
      { cause },
    );
  }
  const [defect] = validate('compliance-report', report);
  if (defect !== undefined)
    throw new SuiteError('usage', `'${path}' is no report of this version: ${defect.pointer} ${defect.message}`);
  return { report: report as ComplianceReport, digest: createHash('sha256').update(bytes).digest('hex') };
}

/** The replay files that a report names and that are still there. */
function readReplays(out: string, report: ComplianceReport): ReadonlyMap<string, Replay> {
  const found = report.failures.map(({ replay }) => replay).filter(path => existsSync(join(out, path)));
  return new Map([...new Set(found)].map(path => [path, readReplay(join(out, path))]));
}
