import { dump } from 'js-yaml';
import type { ComplianceFailure, TraceEntry, Workflow } from '../../../schemas/types.js';
import type { Clause } from '../clause.js';
import { escapeXml, sentenceHtml, shortIds } from '../escape.js';
import type { Replay } from '../replay-file.js';
import { isObservation, type Moment, moments, recordLine } from '../timeline.js';
import { quoted, valueText } from '../words.js';
import { workflowPicture } from './picture.js';

/** How many lines of a document are in the page; the replay file has all of it. */
const LINES_KEPT = 160;
/** How many moments of a run are on its line of time. */
const MOMENTS_KEPT = 60;

/** A failure with what is needed to show it. */
export interface Shown {
  readonly failure: ComplianceFailure;
  /** Absent where the replay file is gone. */
  readonly replay?: Replay;
  readonly clause?: Clause;
  /** The folder of the report, as the reader would type it. */
  readonly out: string;
}

/** Gives one failure: clause, program drawn, line of time, and how to run it again. */
export async function failureSection(shown: Shown, index: number): Promise<string> {
  const { failure, replay, clause, out } = shown;
  const evidence = replay?.evidence;
  const trace = isObservation(evidence) ? evidence.wait?.trace : undefined;
  const parts = [
    clause === undefined ? '' : `<blockquote>${sentenceHtml(clause.text)}</blockquote>`,
    `<p class="soft small">${originText(failure)}</p>`,
    isObservation(evidence)
      ? `<h4>Line of time</h4>\n${timeList(moments(evidence), failure)}`
      : `<h4>Expected against observed</h4>\n${pair(failure)}`,
    await program(replay?.case, trace, failure),
    more(
      'The case as a document',
      replay === undefined ? undefined : dump(replay.case, { noRefs: true, skipInvalid: true, flowLevel: 4 }),
    ),
    isObservation(evidence) && evidence.log !== undefined
      ? more('What the log says', evidence.log.map(recordLine).join('\n'))
      : more('What was seen', evidence === undefined ? undefined : dump(evidence, { noRefs: true, skipInvalid: true })),
    `<h4>Run it again</h4>\n${commandLine(`ars-compliance replay ${quoted(`${out}/${failure.replay}`)}`)}`,
  ];
  return `<details class="failure" id="failure-${index + 1}"${index < 3 ? ' open' : ''}>
<summary><span class="pill bad">FAIL</span> <b>${escapeXml(failure.requirement)}</b> <span class="what">${shortIds(failure.message)}</span> <span class="soft small">${escapeXml(failure.property)}</span></summary>
<div class="inside">${parts.filter(part => part !== '').join('\n')}</div>
</details>`;
}

/** A command in a box that the script gives a button to copy it. */
export function commandLine(command: string): string {
  return `<div class="command"><code>${escapeXml(command)}</code></div>`;
}

function originText({ role, seed, path, shrinks, reproduced }: ComplianceFailure): string {
  const origin =
    path === undefined
      ? `The ${role === 'twin' ? 'negative twin' : role} of the property, the same in every run.`
      : `A generated case, seed ${seed}, path ${escapeXml(path)}, made smaller ${shrinks} times.`;
  return reproduced ? origin : `${origin} It was seen once and did not come again.`;
}

function pair({ expected, observed }: ComplianceFailure): string {
  const half = (label: string, tone: string, value: unknown) =>
    value === undefined
      ? ''
      : `<div class="${tone}"><span class="label">${label}</span><pre>${escapeXml(cut(valueText(value)))}</pre></div>`;
  return `<div class="pair">${half('expected', 'good', expected)}${half('observed', 'bad', observed)}</div>`;
}

function timeList(list: readonly Moment[], failure: ComplianceFailure): string {
  const shown =
    list.length <= MOMENTS_KEPT
      ? list
      : [...list.slice(0, MOMENTS_KEPT / 2), ...list.slice(list.length - MOMENTS_KEPT / 2)];
  const items = shown.map(({ kind, text, node_id }) => {
    if (kind === 'kill') return `<li class="kill"><span class="word">SIGKILL</span> ${shortIds(text)}</li>`;
    const about = node_id !== undefined && node_id === failure.node_id ? ' class="about"' : '';
    return `<li${about}><span class="word">${kind}</span> <span class="mono">${shortIds(text)}</span></li>`;
  });
  if (shown.length < list.length) {
    items.splice(MOMENTS_KEPT / 2, 0, `<li class="soft">… ${list.length - shown.length} more, in the transcript</li>`);
  }
  for (const [word, tone, value] of [
    ['expected', 'should', failure.expected],
    ['observed', 'was', failure.observed],
  ] as const) {
    if (value === undefined) continue;
    const sort = word === 'expected' ? 'good' : 'bad';
    items.push(
      `<li class="${tone}"><span class="word ${sort}">${word}</span> <span class="mono">${shortIds(cut(valueText(value)))}</span></li>`,
    );
  }
  return `<ol class="time">\n${items.join('\n')}\n</ol>`;
}

async function program(
  value: unknown,
  trace: readonly TraceEntry[] | undefined,
  { node_id, shrinks }: ComplianceFailure,
): Promise<string> {
  const workflow = workflowOf(value);
  if (workflow === undefined) return '';
  const picture = await workflowPicture(workflow, trace, node_id).catch(() => undefined);
  return picture === undefined
    ? ''
    : `<h4>${shrinks > 0 ? 'The smallest program found' : 'The program'}</h4>\n${picture}`;
}

/** The workflow of a case, where it has one that can be drawn. */
function workflowOf(value: unknown): Workflow | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { workflow, program: inner, nodes, edges } = value as Record<string, unknown>;
  if (Array.isArray(nodes) && Array.isArray(edges) && workflow !== null && typeof workflow === 'object') {
    return value as Workflow;
  }
  return workflowOf(workflow) ?? workflowOf(inner);
}

function more(title: string, text: string | undefined): string {
  if (text === undefined || text.trim() === '') return '';
  return `<details class="more"><summary>${title}</summary><pre class="box">${escapeXml(cut(text.trimEnd()))}</pre></details>`;
}

function cut(text: string): string {
  const lines = text.split('\n').map(line => (line.length > 400 ? `${line.slice(0, 399)}…` : line));
  if (lines.length <= LINES_KEPT) return lines.join('\n');
  return [...lines.slice(0, LINES_KEPT), `… ${lines.length - LINES_KEPT} more lines in the replay file`].join('\n');
}
