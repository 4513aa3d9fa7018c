import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project.js';

/** One noun, and where it lives in every tree. */
export interface Chapter {
  readonly number: number;
  /** The name of its folder in every tree. */
  readonly noun: string;
  /** The schemas that it explains, without their ending. */
  readonly schemas: readonly string[];
}

/** The chapters in order; a folder imports only folders of the same or a lower one. */
export const CHAPTERS: readonly Chapter[] = [
  { number: 1, noun: 'principles', schemas: [] },
  { number: 2, noun: 'components', schemas: [] },
  { number: 3, noun: 'workspace', schemas: ['workspace', 'value', 'index-entry', 'scheduler-job'] },
  { number: 4, noun: 'state', schemas: ['state', 'snapshot'] },
  { number: 5, noun: 'execution', schemas: ['action', 'execution-context'] },
  { number: 6, noun: 'audit', schemas: ['audit-record', 'recovery-report'] },
  { number: 7, noun: 'workflow', schemas: ['workflow', 'registry'] },
  { number: 8, noun: 'verification', schemas: ['verification-report'] },
  {
    number: 9,
    noun: 'governance',
    schemas: ['agent', 'permission', 'policy', 'confirmation', 'gate-result', 'dry-run-report'],
  },
];

/** Schemas of the suite and of the verifier's command line, which no chapter explains. */
export const TOOL_SCHEMAS: readonly string[] = ['compliance-report', 'verifier-config'];

/** The reference runtime, and its folders that are no chapter's: files and databases, actions that come with it, and the command line. */
export const RUNTIME = 'implementations/typescript';
export const EDGES: readonly string[] = ['store', 'builtin', 'cli'];

/** What touches no clock, randomness, file, network or process: a folder, or a file. */
export const PURE: readonly string[] = [
  `${RUNTIME}/state/`,
  `${RUNTIME}/workflow/`,
  `${RUNTIME}/verification/`,
  `${RUNTIME}/governance/`,
  `${RUNTIME}/audit/chain.ts`,
  `${RUNTIME}/audit/interchange.ts`,
  `${RUNTIME}/audit/lifecycle.ts`,
  `${RUNTIME}/audit/record-forms.ts`,
  `${RUNTIME}/audit/recovery-table.ts`,
  'compliance/generators/',
  'compliance/history/',
  'compliance/model/',
];

/** The file of a chapter, relative to the project. */
export function chapterFile({ number, noun }: Chapter): string {
  return `spec/v1.0/${String(number).padStart(2, '0')}-${noun}.md`;
}

/** Gives the table that the README prints: one row a chapter, a link where the place exists. */
export function shapeTable(): string {
  const rows = CHAPTERS.map(chapter => {
    const schemas = chapter.schemas.map(name => `[${name}](schemas/v1.0/${name}.schema.json)`);
    const folders = [`${RUNTIME}/${chapter.noun}/`, `compliance/properties/${chapter.noun}/`];
    const links = folders.map(path => (existsSync(join(ROOT, path)) ? `[${chapter.noun}/](${path})` : '–'));
    const title = chapter.noun.charAt(0).toUpperCase() + chapter.noun.slice(1);
    return `| [${chapter.number} ${title}](${chapterFile(chapter)}) | ${[schemas.join(', ') || '–', ...links].join(' | ')} |`;
  });
  return ['| chapter | schemas | reference runtime | properties |', '|---|---|---|---|', ...rows].join('\n');
}

/** Gives a table of Markdown without the spaces that only align its columns. */
export function withoutPadding(markdown: string): string {
  return markdown.replace(/[ \t]*\|[ \t]*/g, '|').replace(/-{3,}/g, '---');
}

const IGNORED = new Set(['.git', '.ars', 'node_modules', 'dist', 'out', 'coverage']);

/** The paths of all files of the project, relative to it, without what is installed or built. */
export function projectFiles(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(entry => !IGNORED.has(entry.name))
    .flatMap(entry => (entry.isDirectory() ? projectFiles(`${folder}${entry.name}/`) : [`${folder}${entry.name}`]))
    .sort();
}

/** The text of a file, by its path relative to the project. */
export function readProjectFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The TypeScript sources of the project, without generated ones. */
export function sources(): string[] {
  return projectFiles().filter(path => path.endsWith('.ts') && !path.endsWith('.d.ts') && path !== 'schemas/types.ts');
}
