import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Generated, ROOT } from './project.js';

const SOURCE = 'compliance/adapter/python/ars_adapter.py';
const COPY = 'implementations/python-core/ars_adapter.py';

/** Gives the adapter of the runtime in Python as a module beside it, so that a copy of the folder lacks nothing. */
export function generatePython(): Generated {
  const text = readFileSync(join(ROOT, SOURCE), 'utf8');
  return {
    files: { [COPY]: `# Generated from ${SOURCE} by \`npm run generate\`. Do not edit.\n${text}` },
    problems: [],
  };
}
