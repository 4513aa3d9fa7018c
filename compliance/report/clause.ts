import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SuiteError } from '../error.js';
import { packageRoot } from '../runner/package.js';

/** What the specification says under an identifier. */
export interface Clause {
  readonly id: string;
  readonly text: string;
  readonly chapter?: number;
  /** The key word. */
  readonly level?: string;
  /** How it is shown: P, K, T, M, I. */
  readonly how?: readonly string[];
  /** Why no test from outside can show it; absent where one can. */
  readonly untestable?: string;
  /** Where it stands, relative to the package. */
  readonly link?: string;
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
  const { requirements } = JSON.parse(text) as { requirements?: unknown };
  if (!Array.isArray(requirements)) throw new SuiteError('suite_bug', 'reference/requirements.json holds no list');
  return new Map((requirements as Entry[]).map(entry => [entry.id, toClause(entry)]));
}

interface Entry extends Omit<Clause, 'text'> {
  readonly sentence: string;
}

function toClause({ id, sentence, chapter, level, how, untestable, link }: Entry): Clause {
  const more = { chapter, level, how, untestable, link };
  return { id, text: sentence, ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)) };
}
