import type { LoadHook } from 'node:module';
import { type Mutant, plant } from './mutant.js';

let mutant: Mutant | undefined;
let target: string | undefined;

/** Receives the mutant and the URL of the file that it changes. */
export function initialize(data: { readonly mutant: Mutant; readonly url: string }): void {
  mutant = data.mutant;
  target = data.url;
}

/** Loads a module, with the fault planted where it is the mutant's file. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (mutant === undefined || url !== target) return loaded;
  const { source } = loaded;
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source as Uint8Array);
  return { ...loaded, source: plant(mutant, text) };
};
