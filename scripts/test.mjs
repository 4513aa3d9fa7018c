import { runSteps } from './steps.mjs';

/** Everything that has to hold, what is fast and often broken first. */
process.exitCode = runSteps([
  { name: 'generated files are up to date', command: ['npm', 'run', '--silent', 'generate', '--', '--check'] },
  { name: 'format and lint', command: ['npm', 'run', '--silent', 'lint'] },
  { name: 'types', command: ['npm', 'run', '--silent', 'types'] },
  { name: 'build', command: ['npm', 'run', '--silent', 'build'] },
  { name: 'documents', command: ['npm', 'run', '--silent', 'docs'] },
  { name: 'unit tests', command: ['npm', 'run', '--silent', 'unit'] },
  {
    name: 'doctor of the reference adapter',
    command: ['node', 'dist/compliance/cli.js', 'doctor', '--', 'node', 'dist/implementations/typescript/adapter.js'],
  },
  { name: 'compliance of the reference runtime', command: ['npm', 'run', '--silent', 'compliance'] },
]);
