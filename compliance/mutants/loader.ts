// Imported before the reference runtime's adapter: `ARS_MUTANT=<id> node --import dist/compliance/mutants/loader.js …`.
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findMutant } from './index.js';
import { MUTANT_VARIABLE, mutantFiles, plant } from './mutant.js';

const mutant = findMutant(process.env[MUTANT_VARIABLE] ?? '');
const files = new Map<string, string>();
for (const [file, path] of mutantFiles(mutant, fileURLToPath(new URL('../..', import.meta.url)))) {
  plant(mutant, file, readFileSync(path, 'utf8'));
  files.set(pathToFileURL(path).href, file);
}
register('./hooks.js', import.meta.url, { data: { mutant, files } });
