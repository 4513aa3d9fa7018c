import type { Location } from '../../../schemas/types.js';
import { WORKFLOW_FORM } from '../../../schemas/words.js';
import { readJson } from './json-text.js';
import { SourceText } from './source-text.js';
import type { TextDefect, TreeBuilder } from './source-tree.js';
import { readYaml } from './yaml-text.js';

/** Why a text is not a document of ARS. */
export interface DocumentDefect {
  readonly message: string;
  readonly help: string;
  readonly location: Location;
  /** Another place that helps to see it. */
  readonly related?: { readonly message: string; readonly location: Location };
}

/** One document of a file, with the places of everything in it. */
export interface SourceDocument {
  readonly file: string;
  /** Which document of the file it is, from 0. */
  readonly index: number;
  readonly source: SourceText;
  /** The value; undefined where there are defects, since nothing is altered to make a text fit. */
  readonly value: unknown;
  readonly defects: readonly DocumentDefect[];
  /**
   * Returns where the value at an RFC 6901 pointer stands, or its key; where the pointer leads to nothing, the place of
   * the innermost object or array on its way.
   */
  locate(pointer: string, part?: 'key' | 'value'): Location;
}

/** How a text is to be read; without a format the name of the file decides, and then the text. */
export interface ReadOptions {
  readonly file: string;
  readonly format?: 'json' | 'yaml';
}

/**
 * Returns the documents of a text or of the bytes of a file: one for JSON, one or more for YAML.
 *
 * What cannot be read is a document with defects, never an exception. JSON is strict; YAML is 1.2 in its core schema,
 * without custom tags and merge keys. Repeated keys, numbers that a double cannot hold, lone surrogates and text that is
 * not UTF-8 are refused.
 */
export function readDocuments(input: string | Uint8Array, options: ReadOptions): SourceDocument[] {
  const { text, invalidAt } = decode(input);
  const source = new SourceText(options.file, text);
  const refuse = (message: string, help: string, start = 0): SourceDocument[] => [
    documentOf(source, 0, undefined, [{ message, help, start, end: start + 1 }]),
  ];
  const wide = wideEncoding(input);
  if (wide !== undefined) return refuse(`The file is ${wide} and not UTF-8`, 'Save it as UTF-8.');
  const nul = text.indexOf('\0');
  if (nul >= 0) return refuse('The file holds a NUL character, so it is no text in UTF-8', 'Save it as UTF-8.', nul);
  if (invalidAt >= 0) return refuse('The file is not UTF-8 from here on', 'Save it as UTF-8.', invalidAt);
  if (text.trim() === '') return refuse('The file is empty', WORKFLOW_FORM);
  const trees = treesOf(text, options);
  if (trees.length === 0) return refuse('The file holds nothing but comments', WORKFLOW_FORM);
  return trees.map((tree, index) => documentOf(source, index, tree, tree.defects));
}

function treesOf(text: string, { file, format }: ReadOptions): TreeBuilder[] {
  const kind = format ?? (/\.json$/i.test(file) ? 'json' : /\.ya?ml$/i.test(file) ? 'yaml' : undefined);
  if (kind === 'yaml') return readYaml(text);
  if (kind === 'json') return [readJson(text)];
  if (/^\s*[[{]/.test(text)) {
    const tree = readJson(text);
    if (tree.defects.length === 0) return [tree];
    const trees = readYaml(text);
    return trees.every(other => other.defects.length === 0) ? trees : [tree];
  }
  return readYaml(text);
}

function documentOf(
  source: SourceText,
  index: number,
  tree: TreeBuilder | undefined,
  defects: readonly TextDefect[],
): SourceDocument {
  const places = tree?.places();
  return {
    file: source.file,
    index,
    source,
    value: defects.length === 0 ? tree?.value : undefined,
    defects: defects.map(({ message, help, start, end, related }) => ({
      message,
      help,
      location: source.location(start, end),
      ...(related === undefined
        ? {}
        : { related: { message: related.message, location: source.location(related.start, related.end) } }),
    })),
    locate(pointer, part = 'value') {
      const { start, end } = places?.find(pointer, part) ?? { start: 0, end: 0 };
      return source.location(start, end);
    },
  };
}

/** The encoding that the first bytes announce, where it is another one than UTF-8. */
function wideEncoding(input: string | Uint8Array): string | undefined {
  if (typeof input === 'string' || input.length < 2) return undefined;
  const [first, second, third, fourth] = input;
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'UTF-32' : 'UTF-16';
  return first === 0xfe && second === 0xff ? 'UTF-16' : undefined;
}

function decode(input: string | Uint8Array): { text: string; invalidAt: number } {
  if (typeof input === 'string') return { text: input.replace(/^\ufeff/, ''), invalidAt: -1 };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(input), invalidAt: -1 };
  } catch {
    const text = new TextDecoder('utf-8').decode(input);
    return { text, invalidAt: Math.max(0, text.indexOf('\ufffd')) };
  }
}
