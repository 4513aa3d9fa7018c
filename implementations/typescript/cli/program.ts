import type { Command } from 'commander';
import { agentCommand } from './agent.js';
import { auditCommand } from './audit.js';
import { builtinCommand } from './builtin.js';
import { checkStartCommand } from './check.js';
import { explainCommand } from './explain.js';
import { graphCommand } from './graph.js';
import { indexCommand } from './index-entries.js';
import { jobCommand } from './job.js';
import { permissionCommand } from './permission.js';
import { policyCommand } from './policy.js';
import { recoverCommand } from './recover.js';
import { registryCommand } from './registry.js';
import { replayCommand } from './replay.js';
import { resolveCommand } from './resolve.js';
import { rollbackCommand } from './rollback.js';
import { runCommand } from './run.js';
import { runsCommand } from './runs.js';
import { createShell } from './shell.js';
import { showCommand } from './show.js';
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
    runsCommand(),
    showCommand(),
    recoverCommand(),
    resolveCommand(),
    rollbackCommand(),
    snapshotCommand(),
    auditCommand(),
    builtinCommand(),
    checkStartCommand(),
    agentCommand(),
    permissionCommand(),
    policyCommand(),
    registryCommand(),
    jobCommand(),
    indexCommand(),
  ]);
}
