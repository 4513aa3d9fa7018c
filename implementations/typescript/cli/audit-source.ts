import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { ArsError } from '../error.js';
import { openReader, type StoreReader } from '../store/store.js';
import { readManifest } from '../workspace/manifest.js';
import { visible } from './code-frame.js';
import { DEFAULT_WORKSPACE } from './workspace-option.js';

/** The option that names the workspace whose log is read. */
export function workspaceOption(): Option {
  return new Option('--workspace <dir>', 'the folder of the workspace').default(DEFAULT_WORKSPACE);
}

/**
 * Opens a workspace for reading, and closes it when the use of it has ended. Throws `workspace_foreign` where its manifest
 * is none of this version.
 */
export async function withReader(workspace: string, use: (reader: StoreReader) => Promise<void>): Promise<void> {
  readManifest(workspace);
  await withLog(workspace, use);
}

/** As {@link withReader}, of the log alone, whatever the manifest is. */
export async function withLog(workspace: string, use: (reader: StoreReader) => Promise<void>): Promise<void> {
  const reader = openReader(workspace);
  try {
    await use(reader);
  } finally {
    reader.close();
  }
}

/** A reader of the log of a workspace; undefined where there is none yet. */
export function openReaderIfAny(workspace: string): StoreReader | undefined {
  try {
    return openReader(workspace);
  } catch (error) {
    if (error instanceof ArsError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/**
 * The files that arguments mean: folders stand for the daily files below them, oldest first, `-` for standard input. Throws
 * `usage` for what is not there, and for standard input a second time.
 */
export function filesOf(paths: readonly string[]): string[] {
  if (paths.indexOf('-') !== paths.lastIndexOf('-'))
    throw new ArsError('usage', 'standard input is read once; name - once');
  return paths.flatMap(path => {
    if (path === '-') return [path];
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry === undefined) throw new ArsError('usage', `"${path}" does not exist`);
    if (!entry.isDirectory()) return [path];
    const found = readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.jsonl'))
      .sort()
      .map(name => join(path, name))
      .filter(file => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
    if (found.length === 0) throw new ArsError('usage', `"${path}" holds no .jsonl file`);
    return found;
  });
}

/** The name of a file as it is printed. */
export function shownFile(file: string): string {
  return file === '-' ? '<stdin>' : visible(file);
}
