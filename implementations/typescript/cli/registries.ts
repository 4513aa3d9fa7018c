import { validate } from '../../../schemas/index.js';
import type { Registry } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { visible } from './code-frame.js';
import { readSource } from './sources.js';
import type { VerifyStreams } from './verify.js';

/**
 * Returns one registry of all documents in the files, undefined where none is named; says on the error stream what
 * cannot be used.
 */
export async function readRegistries(
  files: readonly string[] | undefined,
  { err, stdin }: Pick<VerifyStreams, 'err' | 'stdin'>,
): Promise<Registry | undefined | 'unreadable'> {
  if (files === undefined || files.length === 0) return undefined;
  const actions: NonNullable<Registry['actions']> = [];
  const workflows: NonNullable<Registry['workflows']> = [];
  let unreadable = false;
  const refuse = (message: string): void => {
    unreadable = true;
    err(`ars verify: ${visible(message)}\n`);
  };
  for (const file of new Set(files)) {
    try {
      for (const { value, defects } of await readSource(file, stdin)) {
        const wrong = defects[0] ?? validate('registry', value)[0];
        if (wrong !== undefined) refuse(`${file} is no registry: ${wrong.message}`);
        else {
          const registry = value as Registry;
          for (const action of registry.actions ?? []) actions.push(action);
          for (const workflow of registry.workflows ?? []) workflows.push(workflow);
        }
      }
    } catch (error) {
      if (!(error instanceof ArsError && error.code === 'usage')) throw error;
      refuse(error.message);
    }
  }
  return unreadable ? 'unreadable' : { schema_version: '1.0', actions, workflows };
}
