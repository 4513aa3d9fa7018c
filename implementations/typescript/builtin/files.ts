import { createHash } from 'node:crypto';
import { link, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { ActionInvokeParams, ActionInvokeResult, ActionProbeParams, ProbeAnswer } from '../../../schemas/types.js';
import { Turns } from '../audit/turns.js';
import { ArsError } from '../error.js';
import { type BuiltinActions, checkOptions, failure, reasonOf } from './builtin.js';
import { removeDrafts, withDraft } from './drafts.js';
import { CONTRACTS } from './file-contracts.js';
import { placeBelow } from './place.js';

/** Where files are read and written. */
export interface FileOptions {
  /** The folder that no path leads out of; it exists. */
  readonly root: string;
  /** The largest file that is read or replaced, in bytes; absent: 10 MiB. */
  readonly max_bytes?: number;
}

/** What is kept of a write until it can no longer be undone: durable before the file changes. */
interface Intention {
  readonly path: string;
  /** The content that is written. */
  readonly digest: string;
  /** The content that was there before; null where there was no file. */
  readonly previous: string | null;
  /** Whether it was undone, after which no late request changes the file again. */
  readonly undone?: boolean;
}

const MOST_BYTES = 10 * 1024 * 1024;
/** The folder below the root that holds intentions and what files held before. */
const KEPT = '.ars-files';
/** Work on each file that has not ended, by its path. */
const FILE_TURNS = new Turns();
/** Work under each key that has not ended, by root and key. */
const KEY_TURNS = new Turns();
/** The mode of what nobody else may read. */
const OWN = 0o600;

/**
 * Returns `file.read`, `file.create` with its revert `file.remove`, and `file.write` with its compensation `file.restore`,
 * for text files below a folder.
 *
 * Writing is atomic and durable: what is to be written, and what was there, is kept under the idempotency key first, so
 * that a probe can tell after a crash what became of it, a repeated request changes nothing, and an undo gives back exactly
 * what was there. An undo refuses to touch a file that somebody else has changed since.
 *
 * @example
 * ```ts
 * const files = fileActions({ root: 'data' });
 * const runtime = await Runtime.open({ workspace: 'demo', actions: files.functions });
 * await runtime.putRegistry({ actions: [...files.definitions] });
 * ```
 */
export function fileActions(options: FileOptions): BuiltinActions {
  checkOptions('fileActions', options, ['root', 'max_bytes']);
  const { root, max_bytes = MOST_BYTES } = options;
  if (typeof root !== 'string' || root === '') throw new ArsError('usage', 'file actions need the folder `root`');
  const files = new Files(root, max_bytes);
  const writer = (exclusive: boolean) => ({
    invoke: (call: ActionInvokeParams) => files.inTurn(call.idempotency_key, () => files.write(call, exclusive)),
    probe: (call: ActionProbeParams) => files.probe(call),
  });
  const undo = {
    invoke: (call: ActionInvokeParams) => files.inTurn(originalOf(call), () => files.undo(call)),
    probe: (call: ActionProbeParams) => files.probeUndo(call),
  };
  return {
    definitions: CONTRACTS,
    functions: {
      'file.read@1.0.0': call => files.read(call),
      'file.create@1.0.0': writer(true),
      'file.write@1.0.0': writer(false),
      'file.remove@1.0.0': undo,
      'file.restore@1.0.0': undo,
    },
  };
}

class Files {
  readonly #root: string;
  readonly #most: number;

  constructor(root: string, most: number) {
    this.#root = root;
    this.#most = most;
  }

  inTurn(key: string, work: () => Promise<ActionInvokeResult>): Promise<ActionInvokeResult> {
    return KEY_TURNS.take(this.#turnOf(key), work);
  }

  async read({ inputs }: ActionInvokeParams): Promise<ActionInvokeResult> {
    const place = await this.#place(String(inputs.path));
    if ('refused' in place) return failure('E4', place.refused);
    const found = await stat(place.path).catch(() => undefined);
    if (found === undefined) return failure('E4', `the file "${inputs.path}" does not exist`);
    if (found.size > this.#most)
      return failure('E4', `the file "${inputs.path}" has ${found.size} bytes, over ${this.#most}`);
    const bytes = await readFile(place.path);
    return { outputs: { text: bytes.toString('utf8'), digest: digestOf(bytes), bytes: bytes.length } };
  }

  async write({ inputs, idempotency_key }: ActionInvokeParams, exclusive: boolean): Promise<ActionInvokeResult> {
    const path = String(inputs.path);
    const bytes = Buffer.from(String(inputs.text), 'utf8');
    if (bytes.length > this.#most) return failure('E4', `the text has ${bytes.length} bytes, over ${this.#most}`);
    const place = await this.#place(path);
    if ('refused' in place) return failure('E4', place.refused);
    return FILE_TURNS.take(place.path, () => this.#write(idempotency_key, path, place.path, bytes, exclusive));
  }

  async #write(
    key: string,
    path: string,
    target: string,
    bytes: Buffer,
    exclusive: boolean,
  ): Promise<ActionInvokeResult> {
    const outputs = { digest: digestOf(bytes), bytes: bytes.length };
    const before = await this.#intention(key);
    const { size = 0, mode } = (await stat(target).catch(() => undefined)) ?? {};
    if (before === undefined && size > this.#most)
      return failure('E4', `the file "${path}" has ${size} bytes, over ${this.#most}`);
    const now = await digestAt(target);
    if (before !== undefined) {
      if (before.undone === true) return failure('E4', `writing "${path}" was undone`);
      if (now === before.digest) return { outputs };
      if (now !== before.previous) return failure('E4', `the file "${path}" was changed meanwhile`, 'unknown');
    } else {
      if (exclusive && now !== null) return failure('E4', `the file "${path}" exists already`);
      await this.#keep(key, { path, digest: outputs.digest, previous: now }, target);
    }
    try {
      const draft = { folder: dirname(target), owner: nameOf(key), bytes, mode };
      await withDraft(draft, made => (exclusive ? link(made, target) : rename(made, target)));
    } catch (error) {
      if (!exclusive || (error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return failure('E4', `the file "${path}" exists already`);
    }
    await flushFolder(dirname(target));
    return { outputs };
  }

  async probe({ inputs, idempotency_key }: ActionProbeParams): Promise<ProbeAnswer> {
    if (KEY_TURNS.isTaken(this.#turnOf(idempotency_key))) return { verdict: 'unknown' };
    const place = await this.#place(String(inputs.path));
    const intention = await this.#intention(idempotency_key);
    await this.#sweep(idempotency_key, intention);
    if (intention === undefined) return { verdict: 'absent' };
    if ('refused' in place) return { verdict: 'unknown' };
    const now = await digestAt(place.path);
    const { digest, previous, undone } = intention;
    if (undone !== true && now === digest) {
      const bytes = Buffer.byteLength(String(inputs.text), 'utf8');
      return { verdict: 'applied', outputs: { digest, bytes } };
    }
    return { verdict: now === previous ? 'absent' : 'unknown' };
  }

  /** Gives back what was there before the original, whose key says what that is. */
  async undo(call: ActionInvokeParams): Promise<ActionInvokeResult> {
    const key = originalOf(call);
    const intention = await this.#intention(key);
    if (intention === undefined) {
      await mkdir(join(this.#root, KEPT), { recursive: true });
      await this.#record(key, { path: '', digest: '', previous: null, undone: true });
      return { outputs: {} };
    }
    if (intention.undone === true) return { outputs: {} };
    const place = await this.#place(intention.path);
    if ('refused' in place) return failure('E4', place.refused);
    return FILE_TURNS.take(place.path, () => this.#giveBack(key, intention, place.path));
  }

  async #giveBack(key: string, intention: Intention, target: string): Promise<ActionInvokeResult> {
    const { path, digest, previous } = intention;
    const now = await digestAt(target);
    if (now !== previous && now !== digest)
      return failure('E4', `the file "${path}" was changed since; what it was before is kept in ${this.#before(key)}`);
    if (now !== previous) {
      if (previous === null) await rm(target);
      else {
        const { mode } = await stat(target);
        const bytes = await readFile(this.#before(key));
        await withDraft({ folder: dirname(target), owner: nameOf(key), bytes, mode }, made => rename(made, target));
      }
      await flushFolder(dirname(target));
    }
    await this.#record(key, { ...intention, undone: true });
    return { outputs: {} };
  }

  async probeUndo(call: ActionProbeParams): Promise<ProbeAnswer> {
    const key = originalOf(call);
    if (KEY_TURNS.isTaken(this.#turnOf(key))) return { verdict: 'unknown' };
    const intention = await this.#intention(key);
    await this.#sweep(key, intention);
    return intention?.undone === true ? { verdict: 'applied', outputs: {} } : { verdict: 'unknown' };
  }

  async #intention(key: string): Promise<Intention | undefined> {
    try {
      return JSON.parse(await readFile(this.#file(key), 'utf8')) as Intention;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new Error(`what is kept of a write cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }

  async #keep(key: string, intention: Intention, path: string): Promise<void> {
    await mkdir(join(this.#root, KEPT), { recursive: true });
    if (intention.previous !== null) {
      const kept = { folder: join(this.#root, KEPT), owner: nameOf(key), bytes: await readFile(path), mode: OWN };
      await withDraft(kept, made => rename(made, this.#before(key)));
    }
    await this.#record(key, intention);
  }

  async #record(key: string, intention: Intention): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(intention)}\n`);
    const draft = { folder: join(this.#root, KEPT), owner: nameOf(key), bytes, mode: OWN };
    await withDraft(draft, made => rename(made, this.#file(key)));
    await flushFolder(join(this.#root, KEPT));
  }

  /** Where a file is, or why it is none that a workflow may touch: what is kept of writes is not. */
  async #place(path: string): Promise<{ path: string } | { refused: string }> {
    const place = await placeBelow(this.#root, path);
    if ('refused' in place) return place;
    const [first = ''] = relative(await realpath(this.#root), place.path).split(sep);
    return first.toLowerCase() === KEPT ? { refused: `"${path}" is where the file actions keep what they did` } : place;
  }

  /** Takes away what a process that was killed at work under a key left half done beside its files. */
  async #sweep(key: string, intention: Intention | undefined): Promise<void> {
    await removeDrafts(join(this.#root, KEPT), nameOf(key));
    if (intention === undefined) await rm(this.#before(key), { force: true }).catch(() => undefined);
    if (intention === undefined || intention.path === '') return;
    const place = await this.#place(intention.path);
    if ('path' in place) await removeDrafts(dirname(place.path), nameOf(key));
  }

  #turnOf(key: string): string {
    return `${resolve(this.#root)}\0${key}`;
  }

  #file(key: string): string {
    return join(this.#root, KEPT, `${nameOf(key)}.json`);
  }

  #before(key: string): string {
    return join(this.#root, KEPT, `${nameOf(key)}.before`);
  }
}

/** The name of everything that is kept under a key. */
function nameOf(key: string): string {
  return digestOf(key).slice(7, 39);
}

/** The key of what an undo undoes. */
function originalOf({ inputs }: { readonly inputs: Readonly<Record<string, unknown>> }): string {
  return String(inputs.idempotency_key);
}

function digestOf(content: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** The digest of a file; null where there is none. */
async function digestAt(path: string): Promise<string | null> {
  try {
    return digestOf(await readFile(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Makes what was renamed in a folder durable. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
