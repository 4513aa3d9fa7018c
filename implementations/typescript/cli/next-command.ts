import { visible } from './code-frame.js';
import { DEFAULT_WORKSPACE } from './workspace-option.js';

/** Options of a call that a command after it needs as well. */
interface Call {
  readonly workspace: string;
  /** The module with the code of the actions. */
  readonly actions?: string;
}

/** The commands that take a module with the code of actions; of the others --actions, if any, means something else. */
export const CODE_COMMANDS: ReadonlySet<string> = new Set(['run', 'recover', 'resolve', 'rollback', 'job run']);

/** The commands that work on no workspace. */
export const FILE_COMMANDS: ReadonlySet<string> = new Set(['verify', 'explain', 'graph', 'builtin']);

/** How this command was called: by npx, where the shell need not know it by itself, or by its name. */
function ownWords(env: NodeJS.ProcessEnv): readonly string[] {
  const byNpx = env.npm_lifecycle_event === 'npx' && /^['"]?ars['"]?(?:\s|$)/.test(env.npm_lifecycle_script ?? '');
  return byNpx ? ['npx', 'ars'] : ['ars'];
}

let call: Call = { workspace: DEFAULT_WORKSPACE };

/** Notes what a command, by its words after `ars`, was called with. */
export function noteCall(command: string, { workspace, actions }: Readonly<Record<string, unknown>>): void {
  call = {
    workspace: typeof workspace === 'string' ? workspace : DEFAULT_WORKSPACE,
    ...(typeof actions === 'string' && CODE_COMMANDS.has(command) ? { actions } : {}),
  };
}

/** Notes the module that later commands have to name, because the workspace knows of several; one that was named stays. */
export function noteCode(actions: string): void {
  call = { actions, ...call };
}

/**
 * A command for a person to type next, given by its words after `ars`: as a shell takes it, and with the workspace and the
 * module of actions of this call where it takes them. Words in capitals are for the person to fill in.
 */
export function nextCommand(...words: readonly string[]): string {
  return commandAfter(call, words);
}

/** As {@link nextCommand}, with the modules of actions that the workspace knows, and not that of this call. */
export function nextCommandWithoutCode(...words: readonly string[]): string {
  return commandAfter({ workspace: call.workspace }, words);
}

function commandAfter({ workspace, actions }: Call, words: readonly string[]): string {
  const command = words[0] === 'job' ? words.slice(0, 2).join(' ') : (words[0] ?? '');
  const named = [
    ...(actions !== undefined && CODE_COMMANDS.has(command) && !words.includes('--actions')
      ? ['--actions', actions]
      : []),
    ...(workspace === DEFAULT_WORKSPACE || FILE_COMMANDS.has(command) ? [] : ['--workspace', workspace]),
  ];
  return visible([...ownWords(process.env), ...words, ...named].map(quoted).join(' '));
}

/** The message with the commands that it names as they are to be typed after this call. */
export function withCommands(message: string): string {
  return message.replace(/\bars audit verify\b/g, () => nextCommand('audit', 'verify'));
}

/** A word as a shell takes it for one. */
function quoted(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
