import type { Command } from 'commander';
import { auditCommand } from './audit.js';
import { builtinCommand } from './builtin.js';
import { explainCommand } from './explain.js';
import { graphCommand } from './graph.js';
import { replayCommand } from './replay.js';
import { resolveCommand } from './resolve.js';
import { runCommand } from './run.js';
import { createShell } from './shell.js';
import { snapshotCommand } from './snapshot.js';
import { verifyCommand } from './verify.js';

/** Returns the command line `ars`; usage errors of its parser are thrown, not exited with. */
export function createProgram(): Command {
  return createShell([
    verifyCommand(),
    explainCommand(),
    graphCommand(),
    runCommand(),
    replayCommand(),
    resolveCommand(),
    snapshotCommand(),
    auditCommand(),
    builtinCommand(),
  ]);
}
