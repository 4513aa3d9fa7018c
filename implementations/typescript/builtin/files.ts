import { createHash } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ActionInvokeParams, ActionInvokeResult, ActionProbeParams, ProbeAnswer } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { type BuiltinActions, failure, reasonOf } from './builtin.js';
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
export function fileActions({ root, max_bytes = MOST_BYTES }: FileOptions): BuiltinActions {
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
  /** The last work under each key that has not ended. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(root: string, most: number) {
    this.#root = root;
    this.#most = most;
  }

  async inTurn(key: string, work: () => Promise<ActionInvokeResult>): Promise<ActionInvokeResult> {
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => undefined);
    this.#turns.set(key, ended);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(key) === ended) this.#turns.delete(key);
    }
  }

  async read({ inputs }: ActionInvokeParams): Promise<ActionInvokeResult> {
    const place = await placeBelow(this.#root, String(inputs.path));
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
    const place = await placeBelow(this.#root, path);
    if ('refused' in place) return failure('E4', place.refused);
    const outputs = { digest: digestOf(bytes), bytes: bytes.length };
    const before = await this.#intention(idempotency_key);
    const now = await digestAt(place.path);
    if (before !== undefined) {
      if (before.undone === true) return failure('E4', `writing "${path}" was undone`);
      if (now === before.digest) return { outputs };
      if (now !== before.previous) return failure('E4', `the file "${path}" was changed meanwhile`, 'unknown');
    } else {
      if (exclusive && now !== null) return failure('E4', `the file "${path}" exists already`);
      await this.#keep(idempotency_key, { path, digest: outputs.digest, previous: now }, place.path);
    }
    const draft = await this.#draft(place.path, bytes);
    if (!exclusive) await rename(draft, place.path);
    else {
      try {
        await link(draft, place.path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        return failure('E4', `the file "${path}" exists already`);
      } finally {
        await rm(draft, { force: true });
      }
    }
    await flushFolder(dirname(place.path));
    return { outputs };
  }

  async probe({ inputs, idempotency_key }: ActionProbeParams): Promise<ProbeAnswer> {
    if (this.#turns.has(idempotency_key)) return { verdict: 'unknown' };
    const place = await placeBelow(this.#root, String(inputs.path));
    const intention = await this.#intention(idempotency_key);
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
    const { path, digest, previous } = intention;
    const place = await placeBelow(this.#root, path);
    if ('refused' in place) return failure('E4', place.refused);
    const now = await digestAt(place.path);
    if (now !== previous && now !== digest)
      return failure('E4', `the file "${path}" was changed since; what it was before is kept in ${this.#before(key)}`);
    if (now !== previous) {
      if (previous === null) await rm(place.path);
      else await rename(await this.#draft(place.path, await readFile(this.#before(key))), place.path);
      await flushFolder(dirname(place.path));
    }
    await this.#record(key, { ...intention, undone: true });
    return { outputs: {} };
  }

  async probeUndo(call: ActionProbeParams): Promise<ProbeAnswer> {
    const intention = await this.#intention(originalOf(call));
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
      const bytes = await readFile(path);
      if (bytes.length > this.#most) throw new Error(`the file has ${bytes.length} bytes, over ${this.#most}`);
      await rename(await this.#draft(this.#before(key), bytes), this.#before(key));
    }
    await this.#record(key, intention);
  }

  async #record(key: string, intention: Intention): Promise<void> {
    const text = Buffer.from(`${JSON.stringify(intention)}\n`);
    await rename(await this.#draft(this.#file(key), text), this.#file(key));
    await flushFolder(join(this.#root, KEPT));
  }

  /** Writes a file that nobody else writes, beside the one that it is for, and flushes it. */
  async #draft(path: string, bytes: Uint8Array): Promise<string> {
    const draft = `${path}.${process.pid}.${nextDraft()}.new`;
    const file = await open(draft, 'w');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    return draft;
  }

  #file(key: string): string {
    return join(this.#root, KEPT, `${digestOf(key).slice(7, 39)}.json`);
  }

  #before(key: string): string {
    return join(this.#root, KEPT, `${digestOf(key).slice(7, 39)}.before`);
  }
}

let drafts = 0;

function nextDraft(): number {
  drafts += 1;
  return drafts;
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
