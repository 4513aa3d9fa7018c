// Imported before the reference runtime's adapter: `ARS_MUTANT=<id> node --import dist/compliance/mutants/loader.js …`.
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { findMutant } from './index.js';
import { MUTANT_VARIABLE, mutantFile, plant } from './mutant.js';

const mutant = findMutant(process.env[MUTANT_VARIABLE] ?? '');
const path = mutantFile(mutant);
plant(mutant, readFileSync(path, 'utf8'));
register('./hooks.js', import.meta.url, { data: { mutant, url: pathToFileURL(path).href } });
