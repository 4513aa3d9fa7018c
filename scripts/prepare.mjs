import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runSteps } from './steps.mjs';

/**
 * After an installation from a clone or from a git address the package is built, so that its programs are there; where it
 * is built already, or the compiler is not installed, nothing happens.
 */
const isBuilt = existsSync(join(ROOT, 'dist/implementations/typescript/cli/main.js'));
const canBuild = existsSync(join(ROOT, 'node_modules/typescript'));
if (!isBuilt && canBuild)
  process.exitCode = runSteps([{ name: 'build', command: ['npm', 'run', '--silent', 'build'] }]);
