import type { VerificationContext } from '../context.js';
import { pointerSegment } from '../rule.js';
import type { Note } from './unlisted-names.js';

/** A text that is nothing but a path, bare or as other languages mark one. */
const PATH = /^(?:\{[{%]? *)?\$?\.?((?:inputs|nodes)(?:\.[^\s.{}$"'()[\]]+)+)(?: *[}%]?\})?$/;
/** The same from the root of what comes in. */
const FROM_ROOT = /^\$\.([A-Za-z_][A-Za-z0-9_]*)$/;
/** How long a text may be that is looked at, how many values one document may have looked at, and how many notes it gets. */
const MOST_TEXT = 200;
const EFFORT = 200_000;
const MOST_NOTES = 100;

/** Returns the reference that a text of a mapping is likely to mean, which it hands on as it is; undefined for other texts. */
export function referenceMeant({ input, graph }: VerificationContext, text: string): string | undefined {
  if (text.length > MOST_TEXT || text.includes('${')) return undefined;
  const path = PATH.exec(text)?.[1] ?? FROM_ROOT.exec(text)?.[1]?.replace(/^/, 'inputs.');
  if (path === undefined) return undefined;
  const [root, name = '', outputs] = path.split('.');
  const isThere =
    root === 'inputs' ? Object.hasOwn(input.inputs ?? {}, name) : outputs === 'outputs' && graph.indexOf(name) >= 0;
  return isThere ? `\${${path}}` : undefined;
}

/** The mappings of a node, which some types of nodes have. */
interface Mapped {
  readonly input_mapping?: unknown;
  readonly output_mapping?: unknown;
}

/** Returns a note for each text of a mapping that is handed on as it is although it reads as a path to what there is. */
export function noteLiteralPaths(context: VerificationContext): Note[] {
  const notes: Note[] = [];
  const work: [pointer: string, value: unknown][] = [];
  let effort = 0;
  const look = (from: string, mapping: unknown): void => {
    work.push([from, mapping]);
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      if (notes.length >= MOST_NOTES || ++effort > EFFORT) return;
      const [pointer, value] = next;
      const meant = typeof value === 'string' ? referenceMeant(context, value) : undefined;
      if (meant !== undefined)
        notes.push({ pointer, message: `"${value}" is handed on as a text; did you mean ${meant}?` });
      if (typeof value !== 'object' || value === null) continue;
      for (const [key, member] of Object.entries(value)) work.push([`${pointer}/${pointerSegment(key)}`, member]);
    }
  };
  for (let node = 0; node < context.graph.nodeCount && effort <= EFFORT; node++) {
    const { input_mapping, output_mapping } = context.node(node) as Mapped;
    if (input_mapping !== undefined) look(`${context.nodePointer(node)}/input_mapping`, input_mapping);
    if (output_mapping !== undefined) look(`${context.nodePointer(node)}/output_mapping`, output_mapping);
  }
  look('/outputs', context.input.outputs);
  return notes;
}
