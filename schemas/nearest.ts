/**
 * Gives the candidate that `name` was probably meant to be, or undefined where none is close; of several that
 * are equally close the first by name, whatever their order.
 *
 * @example
 * ```ts
 * const meant = nearest('succes', ['success', 'failure', 'always']); // 'success'
 * ```
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > 128) return undefined;
  const folded = fold(name);
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const other = fold(candidate);
    const distance = opposite(folded, other) || opposite(other, folded) ? undefined : likeness(folded, other);
    if (distance === undefined || (best !== undefined && distance > best.distance)) continue;
    if (best === undefined || distance < best.distance || candidate < best.candidate) best = { candidate, distance };
  }
  return best?.candidate;
}

/**
 * The distance of two names, smaller where they are more alike, undefined where they are not. Names with dots are compared
 * part by part, since one family of names makes no two of them alike.
 */
function likeness(name: string, candidate: string): number | undefined {
  const parts = name.split('.');
  const others = candidate.split('.');
  if (parts.length !== others.length) return likenessOfWords(name, candidate);
  let sum = 0;
  for (const [index, part] of parts.entries()) {
    const other = others[index] as string;
    const distance = part === other ? 0 : likenessOfWords(part, other);
    if (distance === undefined) return undefined;
    sum += distance;
  }
  return sum;
}

function likenessOfWords(name: string, candidate: string): number | undefined {
  const shorter = Math.min(name.length, candidate.length);
  const most = shorter < 3 ? 0 : Math.max(1, Math.floor(shorter / 3));
  const shares = sharesWords(name, candidate);
  if (!shares && Math.abs(name.length - candidate.length) > most) return undefined;
  const distance = editDistance(name, candidate);
  return shares || distance <= most ? distance : undefined;
}

/** Whether the one word denies the other, as `irreversible` does `reversible`. */
function opposite(word: string, denial: string): boolean {
  return ['un', 'in', 'ir', 'im', 'il', 'non', 'non_', 'not_', 'no_', 'dis'].some(prefix => denial === prefix + word);
}

/** Whether all words of the one are words of the other, as in `from` and `from_node`. */
function sharesWords(a: string, b: string): boolean {
  const [few, many] = [a.split('_'), b.split('_')].sort((x, y) => x.length - y.length) as [string[], string[]];
  return few.every(word => word !== '' && many.includes(word));
}

function fold(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-\s]/g, '_')
    .toLowerCase();
}

/** The number of insertions, deletions, replacements and swaps of neighbours that lead from the one to the other. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
