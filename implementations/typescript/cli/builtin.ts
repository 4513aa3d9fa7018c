import { Command } from 'commander';
import type { Registry } from '../../../schemas/types.js';
import { fileActions } from '../builtin/files.js';
import { httpActions } from '../builtin/http.js';
import { processActions } from '../builtin/process.js';
import { writeLine } from './output.js';

const EXAMPLES = `
Examples:
  $ ars builtin > builtin.json
  $ ars verify workflow.yaml --registry builtin.json
  $ ars run workflow.yaml --registry builtin.json

Their code is given where a workflow runs, with its limits; in actions.mjs, as much of it as is wanted:
  import { fileActions, httpActions, processActions } from 'agent-runtime-spec';
  export default {
    ...fileActions({ root: 'data' }).functions,                // file.read, file.create, file.write and what undoes them
    ...httpActions({ hosts: ['api.example.org'] }).functions,  // http.get, http.send, of these hosts only
    ...processActions({ readers: ['git'] }).functions,         // process.run; process.read of these programs only
  };`;

/** Returns the sub-command `ars builtin`. */
export function builtinCommand(): Command {
  return new Command('builtin')
    .description('print the contracts of the actions that come with ars, as a registry')
    .addHelpText('after', EXAMPLES)
    .action(async () => {
      const families = [fileActions({ root: '.' }), httpActions(), processActions()];
      const registry: Registry = { schema_version: '1.0', actions: families.flatMap(({ definitions }) => definitions) };
      await writeLine(JSON.stringify(registry, undefined, 2));
    });
}
