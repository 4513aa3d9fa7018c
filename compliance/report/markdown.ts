import type { ComplianceReport } from '../../schemas/types.js';
import { type Background, judged, reach, reachText, standings } from './standing.js';
import { notesOf, reproduceCommand, STANDING_WORDS, verdictCounts } from './words.js';

/** How many characters of a failure's message stand in the table. */
const MESSAGE_KEPT = 160;

/** Gives the report in Markdown: the claim by profile, what is not PASS, and what was not judged. */
export function markdown(report: ComplianceReport, background: Background): string {
  const { runtime } = report;
  const parts = reach(judged(report, background));
  const counts = verdictCounts(report).map(([verdict, count]) => `${count} ${verdict}`);
  return [
    `# ${cell(runtime.name)} ${cell(runtime.version)} and ARS ${report.spec_version}`,
    '',
    `**${counts.join(', ') || 'Nothing was judged'}.**`,
    reachText(parts),
    '',
    '| profile | standing | passed | failed | open |',
    '|---|---|---|---|---|',
    ...standings(report, background.properties).map(
      ({ profile, standing, undeclared, passed, failed, open }) =>
        `| ${profile} | ${STANDING_WORDS[standing]}${undeclared.length > 0 ? ` (without ${undeclared.join(', ')})` : ''} | ${passed.length} | ${failed.length} | ${open.length} |`,
    ),
    '',
    ...missing(report),
    ...notPassed(report),
    ...list('Left out of this run', parts.left_out),
    ...list('Judged by no property yet', parts.unjudged),
    ...list('Shown by no test', parts.untestable),
    ...notes(report),
    '## Again',
    '',
    `${report.cases} cases, ${report.kills} kills with SIGKILL (\`${report.crash_evidence}\`, which is not a loss of power), ${(report.elapsed_ms / 1000).toFixed(1)} s, begun ${report.started_at}, suite ${report.suite_version}.`,
    '',
    '```sh',
    reproduceCommand(report),
    '```',
    '',
  ].join('\n');
}

function notes(report: ComplianceReport): string[] {
  const found = notesOf(report);
  return found.length === 0 ? [] : ['## Notes', '', ...found.map(note => `- ${cell(note)}`), ''];
}

function missing(report: ComplianceReport): string[] {
  if (report.missing.length === 0) return [];
  const rows = report.missing.map(({ method, capability, how }) => `- \`${method}\` of ${capability}: ${how}`);
  return ['## Claimed and not served', '', ...rows, ''];
}

function notPassed(report: ComplianceReport): string[] {
  const rows = report.requirements.filter(({ verdict }) => verdict !== 'PASS');
  if (rows.length === 0) return [];
  return [
    '## Not passed',
    '',
    '| requirement | verdict | reached | passed | why |',
    '|---|---|---|---|---|',
    ...rows.map(({ requirement, verdict, reason, planned, reached, passed }) => {
      const failure = report.failures.find(found => found.requirement === requirement);
      const why = failure?.message ?? reason?.replaceAll('_', ' ') ?? '';
      const short = why.length > MESSAGE_KEPT ? `${why.slice(0, MESSAGE_KEPT - 1)}…` : why;
      return `| ${requirement} | ${verdict} | ${reached} of ${planned} | ${passed} | ${cell(short)} |`;
    }),
    '',
  ];
}

function list(title: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`## ${title}`, '', `${ids.join(', ')}.`, ''];
}

/** A text inside a table, or a heading: on one line, and nothing in it means anything. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|#]/g, sign => `\\${sign}`);
}
