import type { Path } from '../../workflow/mapping.js';
import type { ReadPlace } from './reads.js';

/** What can stand behind a dot in an expression. */
export const IDENTIFIER = /^(?!(?:true|false|null|in)$)[A-Za-z_][A-Za-z0-9_]*$/;

/** An element of a list; a member of that name, which a path cannot be told from, is the rarer one. */
const INDEX = /^(?:0|[1-9][0-9]*)$/;

const MAPPINGS: readonly ReadPlace[] = ['input_mapping', 'output_mapping', 'outputs'];

/** Returns a path as it is written at a place: an expression has what is no identifier in brackets, a mapping knows none. */
export function pathText(path: Path, place: ReadPlace): string {
  if (MAPPINGS.includes(place)) return path.join('.');
  const [root = '', ...names] = path;
  return root + names.map(written).join('');
}

function written(name: string): string {
  if (IDENTIFIER.test(name)) return `.${name}`;
  return INDEX.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`;
}
