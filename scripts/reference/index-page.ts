import { pageStart, table } from './markdown.js';

/** What each page is there for. */
const PURPOSES: Readonly<Record<string, string>> = {
  'requirements.md': 'every normative sentence: where it stands, how it is shown, what judges and what breaks it',
  'invariants.md': 'what holds at every moment, with its properties and faults in words',
  'contracts.md': 'what a runtime promises, by family',
  'rules.md': 'the rules of static verification, each with an example that fails and one that passes',
  'error-codes.md': 'every code of an error or a denial, what it means and what helps',
  'audit-record.md': 'the fields of a record, and which of them each type carries',
  'state-model.md': 'how executions, instances, gates, confirmations and trust go on',
  'glossary.md': 'every term, and the place that defines it',
  'coverage.md': 'how many requirements the suite judges, and which it does not',
  'cli.md': 'the commands of `ars` and `ars-compliance`',
};

/** Gives `reference/README.md`, which leads to the other pages. */
export function indexPage(pages: Readonly<Record<string, string>>): string {
  const rows = Object.entries(pages).map(([name, text]) => [
    `[${/^# (.+)$/m.exec(text)?.[1] ?? name}](${name})`,
    PURPOSES[name] ?? '',
  ]);
  return `${pageStart('Reference', 'its own pages')}
These pages are made from the chapters, the schemas and the sources, so that they say what is there; \`npm run generate\` makes them and a test finds what is stale.
[\`requirements.json\`](requirements.json) has the requirements for programs.

${table(['page', 'what it has'], rows)}
`;
}
