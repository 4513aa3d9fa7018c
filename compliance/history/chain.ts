import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Check } from './check.js';

/** The digest of a text, as the log writes digests. */
export function digest(text: string): string {
  return `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}

/** The hash that a record has to carry: that of its canonical form without `hash`. */
export function hashOf(record: Readonly<Record<string, unknown>>): string {
  const { hash: _, ...content } = record;
  return digest(canonicalize(content) ?? '');
}

/** Each record carries the hash of its content and that of its predecessor; a stub only its links (AW6). */
export const chain: Check = {
  requirements: ['AW6'],
  begin: report => {
    let previous: unknown = digest('');
    return {
      line: ({ number, value }) => {
        if (typeof value !== 'object' || value === null) {
          previous = undefined;
          return;
        }
        const link = value as Readonly<Record<string, unknown>>;
        if (link.prev_hash !== previous) {
          const expected = `prev_hash ${String(previous)} in line ${number}`;
          report({ requirement: 'AW6', expected, observed: String(link.prev_hash) });
        }
        const hash = link.redacted === true ? link.hash : safeHash(link);
        if (link.hash !== hash) {
          report({ requirement: 'AW6', expected: `hash ${hash} in line ${number}`, observed: String(link.hash) });
        }
        previous = link.hash;
      },
    };
  },
};

function safeHash(record: Readonly<Record<string, unknown>>): string {
  try {
    return hashOf(record);
  } catch {
    return 'of a value that has a canonical form';
  }
}
