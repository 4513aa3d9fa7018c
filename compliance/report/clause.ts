import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SuiteError } from '../error.js';
import { packageRoot } from '../runner/package.js';

/** What the specification says under an identifier. */
export interface Clause {
  readonly id: string;
  readonly text: string;
  readonly chapter?: string;
}

/** Gives the clauses of `reference/requirements.json` by identifier; none where the package has no such file. */
export function readClauses(root: string = packageRoot()): ReadonlyMap<string, Clause> {
  let text: string;
  try {
    text = readFileSync(join(root, 'reference', 'requirements.json'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  const document: unknown = JSON.parse(text);
  const entries = Array.isArray(document) ? document : (document as { requirements?: unknown }).requirements;
  if (!Array.isArray(entries)) throw new SuiteError('suite_bug', 'reference/requirements.json holds no list');
  const clauses = new Map<string, Clause>();
  for (const entry of entries as Record<string, unknown>[]) {
    const sentence = entry.text ?? entry.statement ?? entry.sentence;
    if (typeof entry.id !== 'string' || typeof sentence !== 'string') continue;
    clauses.set(entry.id, {
      id: entry.id,
      text: sentence,
      ...(typeof entry.chapter === 'string' ? { chapter: entry.chapter } : {}),
    });
  }
  return clauses;
}
