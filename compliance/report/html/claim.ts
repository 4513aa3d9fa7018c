import type { ComplianceReport } from '../../../schemas/types.js';
import { escapeXml } from '../escape.js';
import { quoted } from '../words.js';

const TO_ADD = '<span class="soft">to be added by the claimant</span>';

/** Gives the table of what a claim of conformance has to publish, filled in as far as the report knows it. */
export function claim(report: ComplianceReport, digest: string): string {
  const { runtime } = report;
  const home = runtime.homepage === undefined ? TO_ADD : escapeXml(runtime.homepage);
  const open = report.requirements.filter(({ verdict }) => verdict !== 'PASS' && verdict !== 'NOT_APPLICABLE');
  const absent = report.requirements.filter(({ verdict }) => verdict === 'NOT_APPLICABLE');
  const list = (rows: typeof open) =>
    rows.length === 0
      ? 'none'
      : rows
          .map(
            ({ requirement, verdict, reason }) =>
              `${escapeXml(requirement)} <span class="soft">${verdict === 'NOT_APPLICABLE' ? '' : verdict}${reason === undefined ? '' : ` ${escapeXml(reason.replaceAll('_', ' '))}`}</span>`,
          )
          .join(', ');
  const items: readonly (readonly [string, string])[] = [
    ['runtime', `${escapeXml(`${runtime.name} ${runtime.version}`)}, ${home}`],
    ['version of the specification', report.spec_version],
    ['capabilities declared', report.capabilities.join(', ')],
    ['version of the suite', escapeXml(report.suite_version)],
    [
      'seed, runs, command',
      `${report.seed}, ${report.runs}, <code>${escapeXml(report.command.map(quoted).join(' '))}</code>`,
    ],
    ['SHA-256 of report.json', `<code>${digest}</code>`],
    ['platform', TO_ADD],
    [
      'kind of durability',
      `<code>${report.crash_evidence}</code>: process groups were killed with SIGKILL, which is not a loss of power; what is durable lives in the ${report.durable_scope === 'process' ? 'process' : 'server, which was not killed'}`,
    ],
    ['every requirement that is not PASS', list(open)],
    ['not applicable, for want of', list(absent)],
    ['known deviations', TO_ADD],
    ['date', report.started_at],
  ];
  return `<p class="soft">A claim is about one version on one platform, and leaves out nothing of this.</p>
<dl class="claim">${items.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('\n')}</dl>`;
}
