import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { playDocument } from './consoles/documents.js';
import { ROOT } from './project.js';
import { projectFiles, readProjectFile } from './shape.js';

const write = process.argv.includes('--write');
let stale = 0;
for (const path of projectFiles().filter(name => name.endsWith('.md') && !name.startsWith('reference/'))) {
  const { text, differing } = await playDocument(path, readProjectFile(path));
  if (differing.length === 0) continue;
  stale += differing.length;
  if (write) writeFileSync(join(ROOT, path), text);
  process.stdout.write(differing.map(place => `${place}: ${write ? 'written' : 'prints something else'}\n`).join(''));
}
if (stale > 0 && !write) process.stderr.write('Run: npm run docs:outputs -- --write\n');
process.exitCode = stale > 0 && !write ? 1 : 0;
