import { readProjectFile, shapeTable, sources } from './shape.js';

/** Longer than this, a source probably has a second noun in it. */
const LONG = 250;

const lengths = sources()
  .map(path => ({ path, lines: readProjectFile(path).split('\n').length - 1 }))
  .filter(({ path, lines }) => lines > LONG && !path.endsWith('.test.ts'))
  .sort((a, b) => b.lines - a.lines);

process.stdout.write(
  `The table for the README:\n\n${shapeTable()}\n\nSources of more than ${LONG} lines: ${lengths.length}\n`,
);
for (const { path, lines } of lengths) process.stdout.write(`${String(lines).padStart(6)} ${path}\n`);
