import { nearest } from '../../../../schemas/index.js';
import type { Action } from '../../../../schemas/types.js';
import type { Path } from '../../workflow/mapping.js';
import type { VerificationContext } from '../context.js';
import { listedNames } from '../listed-names.js';
import { isOpenByOmission, listedMembers, memberSchema, type SchemaPart } from './json-schema-shape.js';
import { follow } from './known-values.js';
import { type Read, tellReads } from './reads.js';

/** What is no defect and yet likely to be a slip of the pen. */
export interface Note {
  readonly pointer: string;
  readonly message: string;
}

/** How many names one document may have compared with others; beyond that nothing is noted. */
const EFFORT = 200_000;
/** How many names of a path are looked at. */
const MOST_NAMES = 16;
/** How many notes one document gets. */
const MOST_NOTES = 100;

/**
 * Returns a note for each name that is read of a value whose schema lists one that is like it, and not that name itself.
 * Such a schema excludes no other names, so it is no finding.
 */
export function noteUnlistedNames(context: VerificationContext): Note[] {
  const notes: Note[] = [];
  const told = new Set<string>();
  let effort = 0;
  const look = (read: Read, path: Path): void => {
    for (let length = 1; length < Math.min(path.length, MOST_NAMES); length++) {
      if (notes.length >= MOST_NOTES || effort > EFFORT) return;
      const part = partAt(context, read, path.slice(0, length));
      if (part === undefined || !isOpenByOmission(part)) continue;
      const names = listedNames(context, listedMembers(part));
      const name = path[length] as string;
      if (names.length === 0 || names.includes(name)) continue;
      effort += names.length;
      const meant = nearest(name, names);
      const key = JSON.stringify([read.pointer, path.slice(0, length + 1)]);
      if (meant === undefined || told.has(key)) return;
      told.add(key);
      const { pointer } = read;
      notes.push({
        pointer,
        message: `${ownerOf(path.slice(0, length))} does not name "${name}"; did you mean "${meant}"?`,
      });
      return;
    }
  };
  tellReads(context, read => {
    look(read, read.path);
    if (read.fallback !== undefined) look(read, read.fallback);
  });
  return notes;
}

/** The schema of what the beginning of a path leads to. */
function partAt(context: VerificationContext, read: Read, path: Path): SchemaPart | undefined {
  if (read.action !== undefined) return ownPart(read.action, path);
  const destination = follow(context, read.reader, path);
  return 'known' in destination && destination.known.kind === 'schema' ? destination.known.part : undefined;
}

/** The same where a definition reads its own inputs and result. */
function ownPart({ input_schema, output_schema }: Action, [root, ...names]: Path): SchemaPart | undefined {
  const schema = root === 'inputs' ? input_schema : root === 'result' ? output_schema : undefined;
  let part: SchemaPart | undefined = schema === undefined ? undefined : { schema, root: schema };
  for (const name of names) {
    const next = part === undefined ? undefined : memberSchema(part, name);
    if (next === 'none') return undefined;
    part = next;
  }
  return part;
}

/** What has the schema, in words. */
function ownerOf(path: Path): string {
  const [root, node] = path;
  if (root === 'nodes' && path.length === 3) return `the output_schema of the action of "${node}"`;
  if (root === 'result' && path.length === 1) return 'the output_schema of the action';
  return `the schema of "${path.join('.')}"`;
}
