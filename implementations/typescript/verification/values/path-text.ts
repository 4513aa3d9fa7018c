import type { Path } from '../../workflow/mapping.js';
import type { ReadPlace } from './reads.js';

/** What can stand behind a dot in an expression. */
export const IDENTIFIER = /^(?!(?:true|false|null|in)$)[A-Za-z_][A-Za-z0-9_]*$/;

const MAPPINGS: readonly ReadPlace[] = ['input_mapping', 'output_mapping', 'outputs'];

/** Returns a path as it is written at a place: an expression has what is no identifier in brackets, a mapping knows none. */
export function pathText(path: Path, place: ReadPlace): string {
  if (MAPPINGS.includes(place)) return path.join('.');
  const [root = '', ...names] = path;
  return root + names.map(name => (IDENTIFIER.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)).join('');
}
