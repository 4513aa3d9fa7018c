#!/usr/bin/env node
import type { Command } from 'commander';
import { ArsError } from '../error.js';
import { tellEndsByCode } from './code-end.js';
import { endCode, endNow, endWithReader, leave, reportError } from './output.js';
import { createShell } from './shell.js';

/** The commands that need little, each loaded alone where it is called. */
const SMALL: Readonly<Record<string, () => Promise<Command>>> = {
  verify: async () => (await import('./verify.js')).verifyCommand(),
  explain: async () => (await import('./explain.js')).explainCommand(),
  graph: async () => (await import('./graph.js')).graphCommand(),
};

async function programFor(name: string | undefined): Promise<Command> {
  const small = name !== undefined && Object.hasOwn(SMALL, name) ? SMALL[name] : undefined;
  return small === undefined ? (await import('./program.js')).createProgram() : createShell([await small()]);
}

/** What no event will ever continue: the code of actions awaits something that cannot come. */
function reportStandstill(): void {
  process.exitCode = reportError(
    new ArsError('usage', 'the module of actions never finishes loading: it awaits what does not come'),
  );
  endNow();
}

endWithReader();
tellEndsByCode();
process.once('beforeExit', reportStandstill);
try {
  await (await programFor(process.argv[2])).parseAsync();
} catch (error) {
  process.exitCode = endCode(error);
}
await leave();
