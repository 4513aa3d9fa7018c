import { DEFAULT_WORKSPACE } from './workspace-option.js';

/** A command for a person to type next, with --workspace where it is not the one that is meant without it. */
export function nextCommand(words: string, workspace: string): string {
  return workspace === DEFAULT_WORKSPACE ? words : `${words} --workspace ${quoted(workspace)}`;
}

/** A word as a shell takes it for one. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
