import type { ComplianceReport } from '../../../schemas/types.js';
import { escapeXml } from '../escape.js';
import type { Replay } from '../replay-file.js';
import {
  type Background,
  type Judged,
  judged,
  type ProfileStanding,
  type Reach,
  reach,
  reachText,
  standings,
} from '../standing.js';
import { CHAPTER_TITLES, notesOf, reproduceCommand, STANDING_WORDS, verdictCounts } from '../words.js';
import { claim } from './claim.js';
import { clauseTable, TONES } from './clauses.js';
import { commandLine, failureSection } from './failure.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

/** What the page is made of. */
export interface PageInput {
  readonly report: ComplianceReport;
  /** By the place that the report names. */
  readonly replays: ReadonlyMap<string, Replay>;
  readonly background: Background;
  /** SHA-256 of the bytes of report.json, in hexadecimal. */
  readonly digest: string;
  /** The folder of the report, as the reader would type it. */
  readonly out: string;
}

/** How many failures are shown whole. */
const FAILURES_SHOWN = 60;

/** Gives the report as one page that needs nothing else: no network, no script to be read, no colour to be understood. */
export async function htmlPage(input: PageInput): Promise<string> {
  const { report, background } = input;
  const all = judged(report, background);
  const parts = reach(all);
  const profiles = standings(report, background.properties);
  const title = `${report.runtime.name} ${report.runtime.version}: ARS ${report.spec_version} compliance`;
  const sections = [
    section('Profiles', 'profiles', `<div class="cards">${profiles.map(card).join('\n')}</div>`),
    await failures(input),
    notes(report),
    section('Requirements', 'requirements', clauseTable(all, failureNumbers(report))),
    section('Coverage', 'coverage', coverage(all, parts)),
    section('Slowest properties', 'slowest', slowest(report)),
    section('What a claim publishes', 'claim', claim(report, input.digest)),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#requirements">To the requirements</a>
${head(input, parts)}
<main class="wrap">
${sections.filter(part => part !== '').join('\n')}
</main>
<footer class="wrap">Made by ars-compliance ${escapeXml(report.suite_version)} from <a href="report.json">report.json</a>; <a href="events.ndjson">events</a>, <a href="junit.xml">JUnit</a>, <a href="report.tap">TAP</a>, <a href="summary.md">summary</a>. Keys: <code>/</code> finds, <code>Esc</code> clears.</footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function section(title: string, id: string, body: string): string {
  return `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>\n${body}\n</section>`;
}

const OUTCOMES: Readonly<Record<ComplianceReport['exit_code'], readonly [string, string]>> = {
  0: ['good', 'Conforms in everything that it claims and that was judged.'],
  1: ['bad', 'Does not conform.'],
  3: ['bad', 'The adapter broke the protocol or ended by itself.'],
  4: ['warn', 'Nothing failed, but not everything could be judged.'],
  5: ['bad', 'The suite has an error of its own; its verdicts cannot be relied on.'],
  130: ['warn', 'The run was broken off; what is missing is inconclusive.'],
};

function head({ report }: PageInput, parts: Reach): string {
  const { runtime } = report;
  const [tone, outcome] = OUTCOMES[report.exit_code];
  const facts = {
    language: runtime.language ?? 'not said',
    'seed and runs': `${report.seed}, ${report.runs}`,
    cases: String(report.cases),
    'kills with SIGKILL': String(report.kills),
    duration: `${(report.elapsed_ms / 1000).toFixed(1)} s`,
    begun: `<time datetime="${report.started_at}">${report.started_at.slice(0, 16).replace('T', ' ')} UTC</time>`,
  };
  return `<header><div class="wrap">
<div class="top"><div><p class="over">Agent Runtime Specification ${report.spec_version}, compliance</p>
<h1>${escapeXml(runtime.name)} <span class="soft">${escapeXml(runtime.version)}</span></h1>
<p class="verdict ${tone}">${outcome}</p></div><button type="button" id="theme" aria-label="Switch between light and dark" hidden></button></div>
${bar(report, parts)}
<dl class="facts">${Object.entries(facts)
    .map(
      ([name, value]) => `<div><dt>${name}</dt><dd>${value.startsWith('<time') ? value : escapeXml(value)}</dd></div>`,
    )
    .join('')}</dl>
${commandLine(reproduceCommand(report))}
</div></header>`;
}

function bar(report: ComplianceReport, parts: Reach): string {
  const counts = verdictCounts(report).reverse();
  const rest = parts.left_out.length + parts.unjudged.length + parts.untestable.length;
  const pieces = counts.map(([verdict, count]) => `<i class="${TONES[verdict]}" style="flex:${count}"></i>`);
  if (rest > 0) pieces.push(`<i class="none" style="flex:${rest}"></i>`);
  const words = counts.map(
    ([verdict, count]) => `<li class="${TONES[verdict]}"><b>${count}</b> ${verdict.replaceAll('_', ' ')}</li>`,
  );
  if (rest > 0) words.push(`<li class="soft"><b>${rest}</b> not judged</li>`);
  return `<div class="stack" aria-hidden="true">${pieces.join('')}</div>
<ul class="legend">${words.join('')}</ul>
<p class="soft small">${escapeXml(reachText(parts))}</p>`;
}

function card({ profile, standing, undeclared, passed, failed, open, left_out }: ProfileStanding): string {
  const tones = { conforms: 'good', conforms_with_gaps: 'warn', does_not_conform: 'bad' } as const;
  const tone = standing in tones ? tones[standing as keyof typeof tones] : 'quiet';
  const claimed = standing !== 'not_claimed';
  const total = passed.length + failed.length + open.length;
  const share = (ids: readonly string[]) => (total === 0 ? '0' : ((100 * ids.length) / total).toFixed(1));
  const notes = [
    ...(undeclared.length > 0 ? [`Does not declare ${undeclared.join(', ')}.`] : []),
    ...(claimed && failed.length > 0 ? [`Failed: ${few(failed)}.`] : []),
    ...(claimed && open.length > 0 ? [`Open: ${few(open)}.`] : []),
    ...(claimed && left_out.length > 0 ? [`${left_out.length} left out of this run.`] : []),
  ];
  const numbers = `<p class="big">${passed.length} <span class="soft small">of ${total} passed</span></p>
<div class="meter" aria-hidden="true"><i class="good" style="width:${share(passed)}%"></i><i class="bad" style="width:${share(failed)}%"></i><i class="warn" style="width:${share(open)}%"></i></div>`;
  return `<div class="card ${tone}"><div class="row"><h3>${profile.charAt(0).toUpperCase()}${profile.slice(1)}</h3><span class="pill ${tone}">${STANDING_WORDS[standing]}</span></div>
${claimed ? numbers : ''}
${notes.map(note => `<p class="small soft">${escapeXml(note)}</p>`).join('')}</div>`;
}

function few(ids: readonly string[]): string {
  return ids.length > 8 ? `${ids.slice(0, 8).join(', ')} and ${ids.length - 8} more` : ids.join(', ');
}

/** The number of the first failure of each requirement. */
function failureNumbers(report: ComplianceReport): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  report.failures.slice(0, FAILURES_SHOWN).forEach(({ requirement }, index) => {
    if (!numbers.has(requirement)) numbers.set(requirement, index + 1);
  });
  return numbers;
}

async function failures({ report, replays, background, out }: PageInput): Promise<string> {
  if (report.failures.length === 0) return '';
  const parts: string[] = [];
  for (const [index, failure] of report.failures.slice(0, FAILURES_SHOWN).entries()) {
    const [replay, clause] = [replays.get(failure.replay), background.clauses.get(failure.requirement)];
    const known = { ...(replay === undefined ? {} : { replay }), ...(clause === undefined ? {} : { clause }) };
    parts.push(await failureSection({ failure, out, ...known }, index));
  }
  const rest = report.failures.length - FAILURES_SHOWN;
  if (rest > 0) parts.push(`<p class="soft">and ${rest} more in report.json, with their replay files.</p>`);
  return section(`Failures <span class="soft">${report.failures.length}</span>`, 'failures', parts.join('\n'));
}

function notes(report: ComplianceReport): string {
  const found = notesOf(report);
  if (found.length === 0) return '';
  return section('Notes', 'notes', `<ul>${found.map(note => `<li>${escapeXml(note)}</li>`).join('\n')}</ul>`);
}

function coverage(all: readonly Judged[], parts: Reach): string {
  const chapters = [...new Set(all.map(({ clause }) => clause?.chapter))].filter(number => number !== undefined);
  const rows = chapters.map(number => {
    const own = all.filter(({ clause }) => clause?.chapter === number);
    const count = (test: (one: Judged) => boolean) => own.filter(test).length;
    const cells = [
      own.length,
      count(({ judges }) => judges.length > 0),
      count(({ row }) => row?.verdict === 'PASS'),
      count(({ mutants }) => mutants.length > 0),
    ];
    const names = ['requirements', 'with a property', 'passed', 'with a planted fault'];
    return `<tr><th scope="row">${number} ${CHAPTER_TITLES[number] ?? ''}</th>${cells.map((cell, index) => `<td class="number" data-label="${names[index]}">${cell}</td>`).join('')}</tr>`;
  });
  const lists = [
    ['Left out of this run', parts.left_out],
    ['Judged by no property yet', parts.unjudged],
    ['Shown by no test', parts.untestable],
  ] as const;
  return `<p class="soft">A property counts for a requirement only where its cases reached it. A planted fault is a faulty runtime that breaks the requirement; <code>ars-compliance power</code> shows that the suite finds each.</p>
<table class="cards-narrow"><thead><tr><th scope="col">Chapter</th><th scope="col">Requirements</th><th scope="col">With a property</th><th scope="col">Passed</th><th scope="col">With a planted fault</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>
${lists
  .filter(([, ids]) => ids.length > 0)
  .map(([name, ids]) => `<h4>${name}: ${ids.length}</h4><p class="small">${ids.map(escapeXml).join(', ')}</p>`)
  .join('\n')}`;
}

function slowest({ properties }: ComplianceReport): string {
  const rows = [...properties].sort((a, b) => b.elapsed_ms - a.elapsed_ms).slice(0, 8);
  return `<table class="cards-narrow"><thead><tr><th scope="col">Property</th><th scope="col">What it says</th><th scope="col">Seconds</th><th scope="col">Cases</th><th scope="col">Kills</th></tr></thead><tbody>${rows
    .map(
      ({ property, title, elapsed_ms, cases, kills }) =>
        `<tr><td><code>${escapeXml(property)}</code></td><td>${escapeXml(title)}</td><td class="number" data-label="seconds">${(elapsed_ms / 1000).toFixed(1)}</td><td class="number" data-label="cases">${cases}</td><td class="number" data-label="kills">${kills}</td></tr>`,
    )
    .join('\n')}</tbody></table>`;
}
