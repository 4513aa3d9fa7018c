import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { CATALOGUE, EVIDENCE } from './catalogue.js';
import { type Requirement, readChapter } from './chapters.js';
import { type Generated, listFiles, ROOT } from './project.js';

/** The text of a chapter, and its path relative to the project. */
export interface Chapter {
  readonly path: string;
  readonly text: string;
}

/** What the generated index of requirements holds. */
export interface RequirementIndex {
  readonly spec_version: '1.0';
  readonly requirements: readonly Requirement[];
}

/**
 * Gives `reference/requirements.json` and `reference/requirements.md`.
 *
 * A place where a chapter breaks the format, states an identifier twice or leaves one out is a problem.
 */
export function generateRequirements(): Generated {
  const chapters = listFiles('spec/v1.0', '.md').filter(path => /\/\d\d-[^/]+\.md$/.test(path));
  const texts = chapters.map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
  const { requirements, problems } = collectRequirements(texts);
  const index: RequirementIndex = { spec_version: '1.0', requirements };
  const files = {
    'reference/requirements.json': `${JSON.stringify(index, null, 2)}\n`,
    'reference/requirements.md': requirementsPage(requirements, texts),
  };
  return { files, problems };
}

/** Gives the requirements of all chapters in the order of the text, and all problems. */
export function collectRequirements(chapters: readonly Chapter[]): {
  readonly requirements: readonly Requirement[];
  readonly problems: readonly string[];
} {
  const readings = chapters.map(({ path, text }) => readChapter(path, text));
  const problems = readings.flatMap(reading => reading.problems);
  const found = new Map<string, Requirement>();
  for (const requirement of readings.flatMap(reading => reading.requirements)) {
    const earlier = found.get(requirement.id);
    if (earlier === undefined) found.set(requirement.id, requirement);
    else
      problems.push(`${requirement.link}: "${requirement.id}" is stated a second time; the first is ${earlier.link}`);
  }
  const named = new Set(chapters.flatMap(({ text }) => [...text.matchAll(/^#### (\S+)\s*$/gm)].map(match => match[1])));
  for (const { ids, chapter } of CATALOGUE) {
    const absent = ids.filter(id => !named.has(id));
    if (absent.length > 0) problems.push(`spec/v1.0: ${absent.join(', ')} of chapter ${chapter} is stated nowhere`);
  }
  return { requirements: [...found.values()], problems };
}

function requirementsPage(requirements: readonly Requirement[], chapters: readonly Chapter[]): string {
  const sections = chapters.map(({ path, text }) => {
    const rows = requirements.filter(requirement => requirement.link.startsWith(`${path}#`)).map(row);
    const table = ['| id | requirement | shown by |', '|---|---|---|', ...rows].join('\n');
    return `## ${/^# (.+)$/m.exec(text)?.[1] ?? path}\n\n${rows.length === 0 ? 'This chapter states no requirement.' : table}\n`;
  });
  const legend = Object.entries(EVIDENCE).map(([letter, meaning]) => `**${letter}** ${meaning}`);
  return `<!-- Generated from spec/v1.0 by \`npm run generate\`. Do not edit. -->

# Requirements

The ${requirements.length} normative sentences of ARS 1.0. Each identifier leads to the place that states it.
Shown by: ${legend.join(', ')}.

${sections.join('\n')}`;
}

function row({ id, link, sentence, how, untestable }: Requirement): string {
  const shown = untestable === undefined ? how.join(' ') : `${how.join(' ')}: ${untestable}`;
  return `| [${id}](../${link}) | ${cell(sentence, link)} | ${cell(shown, link)} |`;
}

/** A sentence of a chapter as it stands in a table of the folder reference/. */
function cell(text: string, link: string): string {
  const chapter = link.replace(/#.*$/, '');
  return text
    .replaceAll('|', '\\|')
    .replace(/\]\((#[^)]*)\)/g, `](../${chapter}$1)`)
    .replace(/\]\((?!https?:|\.\.\/)([^)#][^)]*)\)/g, `](../${posix.dirname(chapter)}/$1)`);
}
