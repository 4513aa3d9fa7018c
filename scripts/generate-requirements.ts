import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from './catalogue.js';
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

/** Gives the nine chapters in order. */
export function readChapters(): Chapter[] {
  const paths = listFiles('spec/v1.0', '.md').filter(path => /\/\d\d-[^/]+\.md$/.test(path));
  return paths.map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/**
 * Gives `reference/requirements.json`.
 *
 * A place where a chapter breaks the format, states an identifier twice or leaves one out is a problem.
 */
export function generateRequirements(): Generated {
  const { requirements, problems } = collectRequirements(readChapters());
  const index: RequirementIndex = { spec_version: '1.0', requirements };
  return { files: { 'reference/requirements.json': `${JSON.stringify(index, null, 2)}\n` }, problems };
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
