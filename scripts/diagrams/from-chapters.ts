import type { Chapter } from '../generate-requirements.js';
import { rowsOf } from '../reference/life-cycles.js';
import { sectionUnder, tablesOf } from '../reference/markdown.js';
import type { Diagram } from './render.js';

/** How the statuses of an execution are coloured. */
const STATUS_CLASS: Readonly<Record<string, string>> = {
  pending: 'main',
  committed: 'good',
  failed: 'bad',
  in_doubt: 'warn',
};

/** Gives the life cycle of an execution, as the table of the audit chapter has it. */
export function executionLifeCycle(chapters: readonly Chapter[]): Diagram {
  const plain = (text: string): string => text.replaceAll('`', '');
  const transitions = rowsOf('Execution of an action', chapters)
    .slice(1)
    .map(([from = '', event = '', to = '']) => ({ from, event, to }));
  const edges = transitions.map(({ from, event, to }) => edge(plain(from), plain(to), wrap(event)));
  const statuses = [...new Set(transitions.flatMap(({ from, to }) => [plain(from), plain(to)]))];
  const nodes = statuses.map(status =>
    status === 'none'
      ? `${quote(status)} [label="", shape=circle, width=0.2, style=filled];`
      : `${quote(status)} [class="${STATUS_CLASS[status] ?? ''}"];`,
  );
  return {
    name: 'execution-life-cycle',
    title: 'Life cycle of an execution',
    description: transitions.map(({ from, event, to }) => `${plain(from)}, ${event}: ${plain(to)}.`).join(' '),
    dot: digraph('rankdir=LR; ranksep=0.6;', [...nodes, ...edges]),
  };
}

/** Gives the decision table of recovery as a tree: category, probe, decision. */
export function recoveryDecisions(chapters: readonly Chapter[]): Diagram {
  const text = chapters.find(({ path }) => /\/06-/.test(path))?.text ?? '';
  const [headings = [], ...rows] = tablesOf(sectionUnder(text, 'The decision table') ?? '')[0] ?? [];
  const categories = headings.slice(1);
  const lines: string[] = ['found [label="pending, from an\\nearlier incarnation", class="main"];'];
  const told: string[] = [];
  for (const [column, category] of categories.entries()) {
    const name = `c${column}`;
    lines.push(`${name} [label=${quote(wrap(category, 24))}];`, `found -> ${name};`);
    for (const [decision, probes] of decisionsOf(rows, column + 1)) {
      const target = quote(decision);
      lines.push(
        `${target} [class="${DECISION_CLASS[decision] ?? ''}"];`,
        edge(name, decision, wrap(probes.join(', '), 18), `, class="${DECISION_CLASS[decision] ?? ''}"`),
      );
      told.push(`${category}, probe ${probes.join(' or ')}: ${decision}.`);
    }
  }
  return {
    name: 'recovery',
    title: 'What recovery decides',
    description: `An execution that an earlier incarnation left pending is decided by its category and what the probe answers. ${told.join(' ')}`,
    dot: digraph('rankdir=LR; ranksep=1.1; nodesep=0.25;', lines),
  };
}

const DECISION_CLASS: Readonly<Record<string, string>> = {
  commit: 'good',
  redo: 'main',
  close: 'bad',
  'roll back': 'warn',
  compensate: 'warn',
  'in doubt': 'bad',
};

/** The answers of the probe that lead to each decision of a column. */
function decisionsOf(rows: readonly (readonly string[])[], column: number): Map<string, string[]> {
  const decisions = new Map<string, string[]>();
  for (const row of rows) {
    const decision = row[column] ?? '';
    const probes = (row[0] ?? '').replaceAll('`', '');
    decisions.set(decision, [...(decisions.get(decision) ?? []), probes]);
  }
  return decisions;
}

/** Gives a text in the quotes of the language of Graphviz; line breaks stay. */
export function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

export function edge(from: string, to: string, label: string, more = ''): string {
  return `${quote(from)} -> ${quote(to)} [label=${quote(label)}${more}];`;
}

export function digraph(attributes: string, lines: readonly string[]): string {
  return `digraph {\n  ${attributes}\n${lines.map(line => `  ${line}\n`).join('')}}\n`;
}

/** Breaks a text into lines of at most so many characters where it can. */
export function wrap(text: string, width = 20): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}
