#!/usr/bin/env node
import { CommanderError } from 'commander';
import { ArsError } from '../error.js';
import { endWithReader, leave, reportError } from './output.js';
import { createProgram } from './program.js';

/** What no event will ever continue: the code of actions awaits something that cannot come. */
function reportStandstill(): void {
  process.exitCode = reportError(
    new ArsError('usage', 'the module of actions never finishes loading: it awaits what does not come'),
  );
  process.exit();
}

endWithReader();
process.once('beforeExit', reportStandstill);
try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else process.exitCode = reportError(error);
}
await leave();
