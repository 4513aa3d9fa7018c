import type { RefusedStart } from '../program.js';

/** Gives how a start was refused, in the adapter's own words where there are some. */
export function refusalText({ kind, gate, said, stderr }: RefusedStart): string {
  const by = gate === undefined ? '' : ` by ${gate}`;
  const words = said === undefined || said === '' ? '' : `: ${JSON.stringify(said)}`;
  const written = stderr === undefined ? '' : `; its process wrote to stderr: ${stderr.split('\n').join(' | ')}`;
  return `${kind}${by}${words}${written}`;
}
