import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Where a run tells what happens while it happens, one JSON object a line. */
export interface EventFile {
  /** Adds one event with its moment in milliseconds since the file was opened; it is in the file when this returns. */
  write(event: { readonly event: string } & Readonly<Record<string, unknown>>): void;
  close(): void;
}

/** Begins `events.ndjson` in a folder; what an earlier run wrote is gone. */
export function openEvents(out: string): EventFile {
  const file = openSync(join(out, 'events.ndjson'), 'w');
  const began = performance.now();
  return {
    write(event) {
      writeSync(file, `${JSON.stringify({ at_ms: Math.round(performance.now() - began), ...event })}\n`);
    },
    close: () => closeSync(file),
  };
}
