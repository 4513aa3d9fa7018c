import type { Violation } from './violation.js';

/** The violations of AII6 in exports of one log, oldest first: each is a byte prefix of the next. */
export function checkPrefixes(exports: readonly string[]): Violation[] {
  const found: Violation[] = [];
  for (let at = 1; at < exports.length; at += 1) {
    const earlier = exports[at - 1] ?? '';
    const later = exports[at] ?? '';
    if (later.startsWith(earlier)) continue;
    const place = firstDifference(earlier, later);
    const observed = `export ${at + 1}: ${JSON.stringify(later.slice(place, place + 80))}`;
    const expected = `export ${at} to stay, from character ${place} on: ${JSON.stringify(earlier.slice(place, place + 80))}`;
    found.push({ requirement: 'AII6', expected, observed });
  }
  return found;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
