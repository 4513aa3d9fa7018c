import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives all tests one folder for what they write, and takes it away at the end, whatever they have left in it. */
export default function ownTemporaryFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'ars-tests-'));
  // Tests that give up the rights of root have to get through it.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
