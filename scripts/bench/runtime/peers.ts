import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { drive, STEPS, type Subject } from './subject.js';

/** The peers, each a module of the bench's own package. */
export const PEERS = ['dbos', 'restate', 'langgraph'] as const;

/** Opens a peer over the folder. Rejects where what it needs is not installed. */
export async function openPeer(home: string, name: string, folder: string): Promise<Subject> {
  const module = await import(pathToFileURL(join(home, `${name}.mjs`)).href);
  return module.openPeer({ folder, steps: STEPS, drive });
}

/** Whether the packages of the peers are installed. */
export function hasPeers(home: string): boolean {
  return existsSync(join(home, 'node_modules'));
}
