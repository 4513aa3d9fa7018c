import type { LoadHook } from 'node:module';
import { type Mutant, plant } from './mutant.js';

let mutant: Mutant | undefined;
let files: ReadonlyMap<string, string> = new Map();

/** Receives the mutant, and the names of the files that it changes by their URLs. */
export function initialize(data: { readonly mutant: Mutant; readonly files: ReadonlyMap<string, string> }): void {
  mutant = data.mutant;
  files = data.files;
}

/** Loads a module, with the fault planted where it is a file of the mutant. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const file = files.get(url);
  if (mutant === undefined || file === undefined) return loaded;
  const { source } = loaded;
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source as Uint8Array);
  return { ...loaded, source: plant(mutant, file, text) };
};
