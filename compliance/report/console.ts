import { dump } from 'js-yaml';
import type {
  ComplianceMissing,
  ComplianceReport,
  ComplianceRequirement,
  ComplianceVerdict,
} from '../../schemas/types.js';
import { type Counterexample, FAMILIES, type Family, type Role } from '../runner/property.js';
import { reachesFew } from '../runner/verdict.js';
import type { Surprise } from './baseline.js';
import type { Clause } from './clause.js';
import { type Colors, colorsOf } from './color.js';
import { replayPath } from './report.js';
import { type Background, judged, reach, reachText } from './standing.js';
import { isObservation, timeline } from './timeline.js';
import { notesOf } from './words.js';

/** What a console report is made of. */
export interface ConsoleInput {
  readonly report: ComplianceReport;
  readonly counterexamples: readonly Counterexample[];
  readonly background: Background;
  /** In what the run differs from its baseline; absent where it has none. */
  readonly surprises?: readonly Surprise[];
  /** The folder of the report, as the reader would type it. */
  readonly out: string;
  readonly color: boolean;
  /** How many failures are shown whole; absent means 3. */
  readonly limit?: number;
}

/** How many lines of a case are shown. */
const CASE_LINES = 60;

/** Gives the report for people: verdicts by family with planned, reached and passed, then each failure with its case. */
export function consoleReport(input: ConsoleInput): string {
  const colors = colorsOf(input.color);
  const limit = input.limit ?? 3;
  const counterexamples = firstOfEach(input.counterexamples);
  const sections = [heading(input.report, colors), ...families(input.report, colors)];
  for (const counterexample of counterexamples.slice(0, limit)) {
    const replay = `ars-compliance replay ${input.out}/${replayPath(counterexample)}`;
    sections.push(failureText(counterexample, input.background.clauses, replay, colors));
  }
  if (counterexamples.length > limit) {
    sections.push(
      `and ${counterexamples.length - limit} more failures in ${input.out}/report.json and ${input.out}/transcripts`,
    );
  }
  if (input.surprises !== undefined) sections.push(againstBaseline(input.surprises, colors));
  sections.push(summary(input, colors));
  return `${sections.join('\n\n')}\n`;
}

/** The first failure of each requirement, and behind them the others. */
function firstOfEach(all: readonly Counterexample[]): readonly Counterexample[] {
  const firsts = new Map(all.toReversed().map(failure => [failure.requirement, failure]));
  const isFirst = (failure: Counterexample) => firsts.get(failure.requirement) === failure;
  return [...all.filter(isFirst), ...all.filter(failure => !isFirst(failure))];
}

function heading(report: ComplianceReport, colors: Colors): string {
  const { runtime } = report;
  const language = runtime.language === undefined ? '' : `, ${runtime.language}`;
  const missing = report.missing.map(({ method, capability, how }) =>
    colors.red(`MISSING ${method} of ${capability} ${HOW[how]}; what needs it could not be judged.`),
  );
  return [
    colors.bold(`ARS ${report.spec_version} compliance of ${runtime.name} ${runtime.version}${language}`),
    `seed ${report.seed}, runs ${report.runs}, ${report.capabilities.join(' ')}`,
    ...missing,
  ].join('\n');
}

const HOW: Readonly<Record<ComplianceMissing['how'], string>> = {
  unsupported: 'is answered with unsupported',
  timeout: 'is not answered',
  adapter_exit: 'ends the adapter',
  protocol: 'is answered against its schema',
};

function families(report: ComplianceReport, colors: Colors): string[] {
  return FAMILIES.flatMap(family => {
    const rows = report.requirements.filter(row => ownFamily(row, report) === family);
    if (rows.length === 0) return [];
    const total = (key: 'planned' | 'reached' | 'passed') => rows.reduce((count, row) => count + row[key], 0);
    const numbers = columns(total('planned'), total('reached'), total('passed'));
    return [
      [
        `${' '.repeat(26)}${['planned', 'reached', 'passed'].map(word => word.padStart(9)).join('')}`,
        `${colors.bold(family.padEnd(26))}${numbers}`,
        ...rows.map(row => requirementLine(row, colors)),
      ].join('\n'),
    ];
  });
}

/** The family of the first property that is about the requirement itself and not about crashes, else of the first. */
function ownFamily({ properties }: ComplianceRequirement, report: ComplianceReport): Family | undefined {
  const judges = report.properties.filter(({ property }) => properties.includes(property));
  return (judges.find(({ kind }) => kind !== 'kill') ?? judges[0])?.family;
}

function requirementLine(row: ComplianceRequirement, colors: Colors): string {
  const word = paint(row.verdict, colors)(row.verdict.padEnd(15));
  const few = row.verdict === 'PASS' && reachesFew(row) ? '  few reached' : '';
  const reason = row.reason === undefined ? colors.dim(few) : `  ${row.reason.replaceAll('_', ' ')}`;
  return `  ${word} ${row.requirement.padEnd(8)}${columns(row.planned, row.reached, row.passed)}${reason}`;
}

function columns(...numbers: readonly number[]): string {
  return numbers.map(number => String(number).padStart(9)).join('');
}

function paint(verdict: ComplianceVerdict, colors: Colors): (text: string) => string {
  if (verdict === 'PASS') return colors.green;
  if (verdict === 'NOT_APPLICABLE') return colors.dim;
  return verdict === 'INCONCLUSIVE' ? colors.yellow : colors.red;
}

/** Gives one failure: clause, smallest case, expected against observed, line of time, and how to replay it. */
export function failureText(
  counterexample: Counterexample,
  clauses: ReadonlyMap<string, Clause>,
  replay: string,
  colors: Colors,
): string {
  const { requirement, property, role, shrinks, reproduced, seed, path } = counterexample;
  const lines = [`${colors.red(colors.bold(`FAIL ${requirement}`))}  ${property}`];
  const clause = clauses.get(requirement);
  if (clause) lines.push(colors.dim(`  ${clause.text}`));
  lines.push(`  ${counterexample.failure.message}`);
  for (const key of ['expected', 'observed'] as const) {
    const value = counterexample.failure[key];
    if (value !== undefined)
      lines.push(`  ${key.padEnd(9)} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
  const origin = path === undefined ? ROLES[role] : `seed ${seed}, path ${path}, made smaller ${shrinks} times`;
  lines.push('', `  case (${origin}${reproduced ? '' : '; seen once, did not come again'}):`);
  lines.push(indent(caseText(counterexample.case), 4));
  if (isObservation(counterexample.evidence)) {
    lines.push('  line of time:', indent(timeline(counterexample.evidence).join('\n'), 4));
  }
  lines.push(`  replay: ${replay}`);
  return lines.join('\n');
}

const ROLES: Readonly<Record<Role, string>> = {
  control: 'the control: the fixed case with which each property begins, and without which its verdict says nothing',
  twin: 'the twin: it differs from the control in one thing, and must come out the other way',
  generated: 'a drawn case',
};

/** Gives a case as YAML, one line for each node, edge and behaviour; of what is too long the beginning. */
export function caseText(value: unknown): string {
  const lines = dump(value, { noRefs: true, skipInvalid: true, lineWidth: -1, flowLevel: 3 }).trimEnd().split('\n');
  const shown = lines.slice(0, CASE_LINES).map(line => (line.length > 200 ? `${line.slice(0, 199)}…` : line));
  if (lines.length > CASE_LINES) shown.push(`# ${lines.length - CASE_LINES} more lines`);
  return shown.join('\n');
}

function indent(text: string, by: number): string {
  return text
    .trimEnd()
    .split('\n')
    .map(line => ' '.repeat(by) + line)
    .join('\n');
}

function againstBaseline(surprises: readonly Surprise[], colors: Colors): string {
  if (surprises.length === 0) return colors.green('Everything is as the baseline expects.');
  const lines = surprises.map(({ id, text }) => colors.red(`  ${id.padEnd(8)} ${text}`));
  return `${colors.red(`${surprises.length} not as the baseline expects:`)}\n${lines.join('\n')}`;
}

function summary({ report, background, out }: ConsoleInput, colors: Colors): string {
  const counts = new Map<ComplianceVerdict, number>();
  for (const { verdict } of report.requirements) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const words = [...counts].map(([verdict, count]) => paint(verdict, colors)(`${count} ${verdict}`));
  const lines = [
    `${words.join(', ') || 'nothing was judged'}`,
    `${report.cases} cases, ${report.kills} kills with SIGKILL (which is not a loss of power), ${(report.elapsed_ms / 1000).toFixed(1)} s`,
  ];
  if (report.refused > 0)
    lines.push(colors.yellow(`${report.refused} of ${report.cases} cases were refused as unsupported.`));
  const notes = notesOf(report);
  if (notes.length > 0) lines.push('What properties noted beside their verdicts:');
  lines.push(...notes.slice(0, 5).map(note => colors.yellow(`  ${note}`)));
  if (notes.length > 5) lines.push(`  and ${notes.length - 5} more in ${out}/report.json`);
  if (report.interrupted) lines.push(colors.yellow('The run was broken off; what is missing is inconclusive.'));
  lines.push(reachText(reach(judged(report, background))));
  lines.push(`report: ${out}/report.html`, OUTCOMES[report.exit_code]);
  return lines.join('\n');
}

const OUTCOMES: Readonly<Record<ComplianceReport['exit_code'], string>> = {
  0: 'The runtime conforms in everything that it claims and that was judged.',
  1: 'The runtime does not conform.',
  3: 'The adapter broke the protocol or ended by itself.',
  4: 'Nothing failed, but not everything could be judged.',
  5: 'The suite has an error of its own; its verdicts cannot be relied on.',
  130: 'The run was broken off.',
};
