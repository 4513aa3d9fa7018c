import { misfits } from '../wire/check.js';

/**
 * Where the evidence of a case has a log with a record that does not fit its schema, the first such record in words. What
 * judges records may rely on their schema; those that do not fit it are the adapter's doing.
 */
export function malformedRecord(evidence: unknown): string | undefined {
  for (const one of Array.isArray(evidence) ? evidence : [evidence]) {
    const log: unknown = (one as { readonly log?: unknown } | undefined)?.log;
    if (!Array.isArray(log)) continue;
    for (const [index, record] of log.entries()) {
      const [first] = misfits('audit-record', record);
      if (first === undefined) continue;
      return `audit/export gave a record ${index + 1} that does not fit its schema: ${first.pointer || 'the whole'}: ${first.message}`;
    }
  }
  return undefined;
}
