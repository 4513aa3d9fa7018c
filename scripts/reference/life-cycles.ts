import type { Chapter } from '../generate-requirements.js';
import { anchorOf, fromChapter, pageStart, sectionUnder, table, tablesOf } from './markdown.js';

/** One step in a life. */
export interface Transition {
  /** `none` before the first. */
  readonly from: string;
  readonly event: string;
  readonly to: string;
}

/** How something begins, goes on and ends. */
export interface LifeCycle {
  readonly title: string;
  readonly about: string;
  /** The section of a chapter that states it: the number of the chapter and the heading. */
  readonly chapter: number;
  readonly heading: string;
  /** Absent where the table of that section is the life cycle. */
  readonly transitions?: readonly Transition[];
}

/** The life cycles of the specification. That of an execution is read from its chapter. */
export const LIFE_CYCLES: readonly LifeCycle[] = [
  {
    title: 'Execution of an action',
    about: 'The status is that of the newest action record of the execution.',
    chapter: 6,
    heading: 'Statuses of an action execution',
  },
  {
    title: 'Instance',
    about: 'An instance is in doubt while an execution in it, or in one of its children, is; no record says so.',
    chapter: 7,
    heading: 'The end of an instance',
    transitions: [
      { from: 'none', event: 'all four gates allow the start', to: '`workflow_started`' },
      { from: '`workflow_started`', event: 'an execution in it is put in doubt', to: 'in doubt' },
      { from: 'in doubt', event: 'everything is resolved, and it is resumed', to: '`workflow_started`' },
      {
        from: '`workflow_started`',
        event: 'no node is ready or running, the worst terminal is completed',
        to: '`workflow_completed`',
      },
      { from: '`workflow_started`', event: 'the same, and the worst is compensated', to: '`workflow_compensated`' },
      {
        from: '`workflow_started`',
        event: 'the same, and it is marked failed or reached no better terminal; cancelled; denied when it continues',
        to: '`workflow_failed`',
      },
    ],
  },
  {
    title: 'Gate',
    about:
      'Each gate that is asked for a start decides once and for good; the record carries the `execution_id` of the start.',
    chapter: 9,
    heading: 'Order',
    transitions: [
      { from: 'none', event: 'asked, and nothing speaks against it', to: '`allowed`; the next gate is asked' },
      { from: 'none', event: 'asked, and there is a reason', to: '`denied`; no further gate is asked' },
    ],
  },
  {
    title: 'Confirmation',
    about: 'A confirmation is good for one start of exactly the documents and inputs that were approved.',
    chapter: 9,
    heading: 'Risk',
    transitions: [
      { from: 'none', event: 'an approver who may approves', to: '`granted`' },
      { from: '`granted`', event: 'a `workflow_started` record refers to it', to: 'used up' },
      { from: '`granted`', event: '`expires_at` is reached', to: 'lapsed' },
      {
        from: '`granted`',
        event: 'the approver loses the permission',
        to: 'does not count until the permission is back',
      },
    ],
  },
  {
    title: 'Trust of an agent',
    about: 'Trust never rises by itself.',
    chapter: 9,
    heading: 'Agents and trust',
    transitions: [
      { from: 'UNKNOWN', event: 'registered', to: 'as registered' },
      { from: 'TRUSTED', event: 'a start that misses a permission', to: 'CONDITIONAL' },
      { from: 'CONDITIONAL', event: 'a start that misses a permission', to: 'UNTRUSTED' },
      { from: 'CONDITIONAL', event: '`trust_until` is reached', to: 'CONDITIONAL, and counts like UNTRUSTED' },
      { from: 'UNTRUSTED', event: 'a start that misses a permission', to: 'UNTRUSTED' },
      { from: 'any', event: 'registered anew', to: 'as registered' },
    ],
  },
];

/** Gives the transitions of a life cycle; those of an execution from the table of its section. */
export function transitionsOf(cycle: LifeCycle, chapters: readonly Chapter[]): readonly Transition[] {
  if (cycle.transitions !== undefined) return cycle.transitions;
  const section = sectionUnder(chapterOf(cycle, chapters)?.text ?? '', cycle.heading) ?? '';
  const rows = tablesOf(section)[0]?.slice(1) ?? [];
  return rows.map(([from = '', event = '', to = '']) => ({ from, event, to }));
}

/** Gives what life cycles name that no chapter has. */
export function strayHeadings(chapters: readonly Chapter[]): string[] {
  return LIFE_CYCLES.flatMap(cycle => {
    const { heading, title, chapter } = cycle;
    const found = sectionUnder(chapterOf(cycle, chapters)?.text ?? '', heading) !== undefined;
    if (found && transitionsOf(cycle, chapters).length > 0) return [];
    const what = found ? 'has no table' : 'is missing';
    return [
      `scripts/reference/life-cycles.ts: the section "${heading}" of chapter ${chapter} ${what}, which "${title}" needs`,
    ];
  });
}

/** Gives `reference/state-model.md`. */
export function stateModelPage(chapters: readonly Chapter[]): string {
  const sections = LIFE_CYCLES.map(cycle => {
    const path = chapterOf(cycle, chapters)?.path ?? '';
    const rows = transitionsOf(cycle, chapters).map(({ from, event, to }) => [from, fromChapter(event, path), to]);
    const source = `[The chapter](../${path}#${anchorOf(cycle.heading)}) states it.`;
    return `## ${cycle.title}\n\n${cycle.about}\n${source}\n\n${table(['from', 'event', 'to'], rows)}\n`;
  });
  return `${pageStart('State model', 'spec/v1.0 and scripts/reference/life-cycles.ts')}
How executions, instances, gates, confirmations and the trust of agents begin, go on and end; what is not in a table does not happen.

${sections.join('\n')}`;
}

function chapterOf({ chapter }: LifeCycle, chapters: readonly Chapter[]): Chapter | undefined {
  return chapters.find(({ path }) => new RegExp(`/0?${chapter}-[^/]*$`).test(path));
}
