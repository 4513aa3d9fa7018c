import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../schemas/index.js';
import type { Workspace } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { demandInside } from './canonical-path.js';
import { makeFolder, syncFolder } from './folder.js';

/** The manifest's path below the root of a workspace. */
export const MANIFEST_PATH = 'workspace.json';

/** What to do where the manifest is none; the log does not depend on it. */
const MENDED =
  'restore it from a copy, or move it away, and whoever writes to the workspace next makes a new one; ars audit reads the log all the same';

/**
 * Gives the manifest of the workspace at `root`, or undefined where the folder has none.
 *
 * Throws `workspace_foreign` where the file is there but is no manifest of this version.
 *
 * @requirement FS1
 */
export function readManifest(root: string): Workspace | undefined {
  const path = join(root, MANIFEST_PATH);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ArsError('workspace_foreign', `"${path}" cannot be read; check that "${root}" is a workspace folder`, {
      details: { path },
      cause,
    });
  }
  return parseManifest(text, path);
}

function parseManifest(text: string, path: string): Workspace {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ArsError('workspace_foreign', `"${path}" is not JSON; ${MENDED}`, {
      details: { path },
      cause,
    });
  }
  const defect = validate('workspace', value)[0];
  if (defect) {
    throw new ArsError(
      'workspace_foreign',
      `"${path}" is no workspace manifest of version 1.0: ${defect.message} (at "${defect.pointer}"); ${MENDED}`,
      { details: { path, pointer: defect.pointer } },
    );
  }
  return value as Workspace;
}

/**
 * Gives the manifest of the workspace at `root` and creates folder and manifest where they do not exist.
 *
 * The file appears whole or not at all, and is durable when the call returns. Nothing that exists is moved or removed, but
 * for a draft that a killed process left: whoever holds the workspace writes it anew.
 *
 * @requirement FS3
 * @requirement FS4
 */
export function ensureManifest(root: string, fresh: { workspace_id: string; created_at: string }): Workspace {
  const present = readManifest(root);
  if (present) return present;
  const manifest: Workspace = { schema_version: '1.0', ...fresh };
  const path = join(root, MANIFEST_PATH);
  const draft = `${path}.new`;
  demandInside(root, MANIFEST_PATH);
  try {
    makeFolder(root);
    const file = openSync(draft, 'w');
    try {
      writeSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
    syncFolder(root);
  } catch (cause) {
    throw new ArsError('storage_failed', `the workspace "${root}" cannot be created: ${(cause as Error).message}`, {
      details: { root },
      cause,
    });
  }
  return manifest;
}
