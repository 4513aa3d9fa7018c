import type { ComplianceReport, ComplianceRequirement } from '../../schemas/types.js';

/** A runtime of this repository. */
export interface Listed {
  readonly name: string;
  /** Where it is, relative to `implementations/`. */
  readonly link: string;
  readonly about: string;
  /** What starts its adapter, in the root of the project. */
  readonly command: readonly string[];
}

/** The runtimes of this repository, in the order of their columns. */
export const RUNTIMES: readonly Listed[] = [
  {
    name: 'reference',
    link: 'typescript/',
    about: 'TypeScript, everything that the specification has, on an embedded store',
    command: ['node', 'dist/implementations/typescript/adapter.js'],
  },
  {
    name: 'python-core',
    link: 'python-core/',
    about: 'Python with the standard library only: actions, conditions and terminals, durable in a journal of lines',
    command: ['python3', 'implementations/python-core/adapter.py'],
  },
  {
    name: 'toy',
    link: '../compliance/adapter/example/core-adapter.ts',
    about: 'TypeScript, the shape of an adapter over an engine that runs chains in memory and forgets them',
    command: ['node', 'dist/compliance/adapter/example/core-adapter.js'],
  },
];

/** A runtime with what the suite said of it. */
export interface Ran {
  readonly runtime: Listed;
  readonly report: ComplianceReport;
  readonly standings: readonly { readonly profile: string; readonly word: string }[];
}

/** Gives the page of the matrix: how each runtime stands by each profile, and the word on each requirement. */
export function matrixPage(ran: readonly Ran[], requirements: readonly string[]): string {
  const rows = ran.map(({ report }) => new Map(report.requirements.map(row => [row.requirement, row])));
  const judged = requirements.filter(id => rows.some(row => row.has(id)));
  const names = ran.map(({ runtime }) => runtime.name);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const profiles = ran[0]?.standings.map(({ profile }) => profile) ?? [];
  return [
    '# Runtimes',
    '',
    '<!-- Generated from real runs by `npm run matrix`, after a build. Do not edit. -->',
    '',
    'Every runtime in this folder, and the example of an adapter, as the suite judges them: seed 1, 20 runs, all that each declares.',
    'A runtime of your own is judged in the same way: [five minutes with the suite](../compliance/README.md).',
    '',
    line(['runtime', 'what it is']),
    line(['---', '---']),
    ...ran.map(({ runtime }) => line([`[${runtime.name}](${runtime.link})`, runtime.about])),
    '',
    '## By profile',
    '',
    line(['profile', ...names]),
    line(['---', ...names.map(() => '---')]),
    ...profiles.map((profile, at) => line([profile, ...ran.map(({ standings }) => standings[at]?.word ?? '')])),
    '',
    '## By requirement',
    '',
    '| sign | verdict |',
    '|---|---|',
    ...Object.values(SIGNS).map(([sign, words]) => line([sign, words])),
    '',
    line(['requirement', ...names]),
    line(['---', ...names.map(() => '---')]),
    ...judged.map(id => line([id, ...rows.map(row => cell(row.get(id)))])),
    '',
    `The suite has no property for the other ${requirements.length - judged.length} of the ${requirements.length} requirements, or no test can show them; \`ars-compliance coverage\` lists them.`,
    '',
  ].join('\n');
}

const SIGNS: Readonly<Record<ComplianceRequirement['verdict'], readonly [string, string]>> = {
  PASS: ['✓', 'PASS'],
  FAIL: ['✗', 'FAIL'],
  INCONCLUSIVE: ['?', 'INCONCLUSIVE, with the reason'],
  NOT_APPLICABLE: ['–', 'NOT_APPLICABLE, with what is not declared or not there'],
  HARNESS_ERROR: ['!', 'HARNESS_ERROR'],
};

function cell(row: ComplianceRequirement | undefined): string {
  if (row === undefined) return '';
  const [sign] = SIGNS[row.verdict];
  const reason = row.verdict === 'INCONCLUSIVE' || row.verdict === 'NOT_APPLICABLE' ? row.reason : undefined;
  return reason === undefined ? sign : `${sign} ${reason.replaceAll('_', ' ')}`;
}
