import { basename, resolve } from 'node:path';
import { validate } from '../../../schemas/index.js';
import type { Registry } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { readDocuments, type SourceDocument } from '../workspace/document.js';
import { visible } from './code-frame.js';
import { CONFIG_NAMES } from './config.js';
import { readBytes } from './sources.js';
import type { Target } from './targets.js';

/** A file, or a document of it, that is no ARS workflow and was not named. */
export interface SkippedFile {
  readonly file: string;
  readonly reason: string;
}

/** What files hold. */
export interface Collection {
  /** The documents that are verified. */
  readonly documents: readonly SourceDocument[];
  readonly skipped: readonly SkippedFile[];
  /** The actions and workflows of all registries among the files; undefined where there is none. */
  readonly registry: Registry | undefined;
  readonly registries: number;
  /** What could not be read or used, a sentence each. */
  readonly problems: readonly string[];
}

/** How files are read. */
export interface CollectOptions {
  readonly stdin?: NodeJS.ReadableStream;
  /** Whether a file that was named may be something else than a workflow. */
  readonly skipForeign?: boolean;
  /** Files that hold registries, and nothing else. */
  readonly registries?: readonly string[];
  /** The folder that names of files are relative to. */
  readonly cwd?: string;
  /** Told before each file is read. */
  readonly onFile?: (index: number) => void;
}

const FOREIGN = 'having neither schema_version nor workflow';
const OTHER_FORMAT = 'having a workflow of another format, without schema_version';

/**
 * Returns what files hold: workflows to verify, registries to look things up in, and what is neither.
 *
 * What is no ARS workflow is skipped where a folder or a pattern led to it; where the file was named it is a document
 * like the others, and verification says what it is not.
 */
export async function collect(targets: readonly Target[], options: CollectOptions = {}): Promise<Collection> {
  const documents: SourceDocument[] = [];
  const skipped: SkippedFile[] = [];
  const problems: string[] = [];
  const registries = new RegistryCollector();
  const read = async (file: string, use: (bytes: Buffer) => void): Promise<void> => {
    try {
      use(await readBytes(file, options.stdin, options.cwd));
    } catch (error) {
      if (!(error instanceof ArsError && error.code === 'usage')) throw error;
      problems.push(error.message);
    }
  };
  const key = (file: string): string => (file === '-' ? file : resolve(options.cwd ?? process.cwd(), file));
  const apart = new Map((options.registries ?? []).map(file => [key(file), file]));
  for (const file of apart.values()) {
    await read(file, bytes => {
      for (const document of documentsOf(file, bytes)) problems.push(...registries.take(document));
    });
  }
  for (const [index, { file, named }] of targets.entries()) {
    options.onFile?.(index);
    if (apart.has(key(file)) || (!named && CONFIG_NAMES.includes(basename(file)))) continue;
    const strict = named && options.skipForeign !== true;
    await read(file, bytes => {
      if (!strict && !mentionsArs(bytes)) {
        skipped.push({ file, reason: FOREIGN });
        return;
      }
      for (const document of documentsOf(file, bytes)) {
        if (isRegistry(document.value)) problems.push(...registries.take(document));
        else if (strict || isWorkflow(document)) documents.push(document);
        else skipped.push({ file: document.file, reason: whyForeign(document) });
      }
    });
  }
  return { documents, skipped, registry: registries.registry, registries: registries.count, problems };
}

function documentsOf(file: string, bytes: Buffer): SourceDocument[] {
  return readDocuments(bytes, { file: file === '-' ? '<stdin>' : file });
}

/** A quick look that spares reading every large file of a folder as a document. */
function mentionsArs(bytes: Buffer): boolean {
  return ['schema_version', 'workflow', 'from_node'].some(name => bytes.includes(name));
}

/** Whether a document means to be a workflow; of what cannot be read, whether its text says so. */
function isWorkflow({ value, defects, source }: SourceDocument): boolean {
  if (defects.length > 0) return /\bschema_version["']?\s*:/.test(source.text);
  if (!isObject(value)) return false;
  const { workflow, nodes, edges } = value;
  if (isObject(workflow)) return Object.hasOwn(value, 'schema_version') || nodes !== undefined || edges !== undefined;
  if (Array.isArray(nodes) && Array.isArray(edges) && edges.some(isEdge)) return true;
  return Object.hasOwn(value, 'schema_version') && Array.isArray(nodes) && Array.isArray(edges);
}

/** Whether something has the ends of an edge, by names that other formats do not use. */
function isEdge(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, 'from_node') && Object.hasOwn(value, 'to_node');
}

function whyForeign({ value, defects }: SourceDocument): string {
  if (defects[0] !== undefined) return 'being neither YAML nor JSON that can be read';
  if (!isObject(value)) return FOREIGN;
  if (Object.hasOwn(value, 'schema_version')) return 'being neither workflow nor registry';
  return Object.hasOwn(value, 'workflow') ? OTHER_FORMAT : FOREIGN;
}

function isRegistry(value: unknown): boolean {
  if (!isObject(value) || !Object.hasOwn(value, 'schema_version')) return false;
  if (['workflow', 'nodes', 'edges'].some(key => Object.hasOwn(value, key))) return false;
  const lists = [value.actions, value.workflows].filter(list => list !== undefined);
  return lists.length > 0 && lists.every(list => Array.isArray(list) && list.every(isObject));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One registry of the contents of several. */
class RegistryCollector {
  count = 0;
  readonly #actions: NonNullable<Registry['actions']> = [];
  readonly #workflows: NonNullable<Registry['workflows']> = [];

  get registry(): Registry | undefined {
    if (this.count === 0) return undefined;
    return { schema_version: '1.0', actions: this.#actions, workflows: this.#workflows };
  }

  /** Takes the contents of a document; returns why it is no registry. */
  take({ file, value, defects, locate }: SourceDocument): string[] {
    const defect = defects[0];
    const wrong = defect === undefined ? validate('registry', value)[0] : undefined;
    const place = defect?.location ?? (wrong === undefined ? undefined : locate(wrong.pointer));
    const message = defect?.message ?? wrong?.message;
    if (message !== undefined)
      return [`${visible(file)}:${place?.line ?? 1}:${place?.column ?? 1} is no registry: ${visible(message)}`];
    this.count++;
    const { actions, workflows } = value as Registry;
    for (const action of actions ?? []) this.#actions.push(action);
    for (const workflow of workflows ?? []) this.#workflows.push(workflow);
    return [];
  }
}
