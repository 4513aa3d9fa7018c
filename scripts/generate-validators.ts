import { posix } from 'node:path';
import standalone from 'ajv/dist/standalone/index.js';
import { type JsonSchema, schemaFiles } from '../schemas/load.js';
import type { Generated } from './project.js';
import { type Checks, compiledChecks, type FreeName, freeNames, functionBehind } from './validators/checks.js';
import { boundErrors, metaCompiler } from './validators/compiler.js';
import { alternativesIn, type Place, type Places, placeIn, placesOf } from './validators/places.js';
import { quickText } from './validators/quick.js';

const FOLDER = 'schemas/validators';
const BASE = 'ars:/v1.0/';
/** The identifier of the dialect of JSON Schema. */
export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const SUFFIX = '.schema.json';

/**
 * Gives `schemas/validators`: for each schema file the compiled checks of it and of its entries, so that no process has to
 * compile them.
 *
 * Each is a CommonJS module, which can be loaded in the middle of a call, when it is first needed. It has `schema`, and
 * `validators` by the pointer to what they check. `alternatives.cjs` has those of the alternatives of `anyOf` and `oneOf`,
 * `json-schema.cjs` that of JSON Schema itself, `quick.cjs` those that tell of a value only whether it fits.
 */
export function generateValidators(): Generated {
  const places = placesOf();
  const alternatives = alternativesIn(places);
  const checks = compiledChecks(places, alternatives);
  const files = [...checks.byPlace.keys()].map(id => [`${FOLDER}/${nounOf(id)}.cjs`, moduleText(id, checks, places)]);
  const shared = {
    [`${FOLDER}/alternatives.cjs`]: alternativesText(alternatives, places),
    [`${FOLDER}/json-schema.cjs`]: metaText(),
    [`${FOLDER}/quick.cjs`]: banner('schemas/v1.0') + quickText(),
  };
  return { files: { ...Object.fromEntries(files), ...shared }, problems: [] };
}

/** What a module exports is there before it requires others: files refer to each other in circles. */
function moduleText(id: string, checks: Checks, places: Places): string {
  const own = [...(checks.byPlace.get(id) ?? [])];
  const declared = new Set(own.map(([, { source }]) => String(source.validateName)));
  const constants = new Map<string, string>();
  for (const [, { source }] of own)
    for (const name of freeNames(source))
      if (!declared.has(String(name))) constants.set(String(name), meaning(name, id, checks, places));
  const validators = own.map(([pointer, { source }]) => `  ${JSON.stringify(pointer)}: ${source.validateName},\n`);
  const functions = own.map(([, { source }]) => {
    const { validateName, validateCode, evaluated } = source;
    return `${boundErrors(String(validateCode))}\n${evaluated === undefined ? '' : `${validateName}.evaluated = ${evaluated};\n`}`;
  });
  const aliases = [...(checks.aliases.get(id) ?? [])].map(
    ([pointer, place]) =>
      `module.exports.validators[${JSON.stringify(pointer)}] = ${validatorOf(place, id, checks)};\n`,
  );
  return [
    banner(`schemas/v1.0/${nounOf(id)}${SUFFIX}`),
    `const FILE = ${JSON.stringify(schemaFiles().get(id))};\n`,
    `module.exports = { schema: FILE, validators: {\n${validators.join('')}} };\n`,
    ...[...constants].map(([name, value]) => `const ${name} = ${value};\n`),
    ...functions,
    ...aliases,
  ].join('');
}

/** Gives an expression for what a name stands for in the module of a file. */
function meaning(name: FreeName, id: string, checks: Checks, places: Places): string {
  if (name.prefix === 'schema') return schemaAt(placeIn(places, name.value?.ref), id);
  const validator = functionBehind(name);
  if (validator === undefined) return String(name.value?.code);
  const check = validatorOf(placeIn(places, validator.schema), id, checks);
  return name.prefix === 'validate' ? check : `{ validate: ${check} }`;
}

function validatorOf(place: Place, from: string, checks: Checks): string {
  const here = place.id === from ? checks.byPlace.get(from)?.get(place.pointer) : undefined;
  return here === undefined ? validatorAt(place, from) : String(here.source.validateName);
}

function alternativesText(alternatives: readonly JsonSchema[], places: Places): string {
  const entries = alternatives.map(schema => {
    const place = placeIn(places, schema);
    return `  [${schemaAt(place, BASE)}, ${validatorAt(place, BASE)}],\n`;
  });
  return `${banner('schemas/v1.0')}module.exports = new Map([\n${entries.join('')}]);\n`;
}

function metaText(): string {
  const ajv = metaCompiler();
  const text = standalone.default(ajv, ajv.getSchema(DIALECT));
  return `${banner('the meta-schema of JSON Schema 2020-12')}${text.replace(/^"use strict";/, '')}\n`;
}

function banner(source: string): string {
  return `// Generated from ${source} by \`npm run generate\`. Do not edit.\n'use strict';\n`;
}

function schemaAt({ id, steps }: Place, from: string): string {
  const root = id === from ? 'FILE' : `${requiring(id, from)}.schema`;
  return root + steps.map(step => (/^[a-zA-Z_$][\w$]*$/.test(step) ? `.${step}` : `[${indexText(step)}]`)).join('');
}

function indexText(step: string): string {
  return /^\d+$/.test(step) ? step : JSON.stringify(step);
}

function validatorAt({ id, pointer }: Place, from: string): string {
  return `${requiring(id, from)}.validators[${JSON.stringify(pointer)}]`;
}

function requiring(id: string, from: string): string {
  const path = posix.relative(posix.dirname(`${FOLDER}/${nounOf(from)}.cjs`), `${FOLDER}/${nounOf(id)}.cjs`);
  return `require(${JSON.stringify(path.startsWith('.') ? path : `./${path}`)})`;
}

/** `ars:/v1.0/adapter/audit.schema.json` is `adapter/audit`. */
function nounOf(id: string): string {
  return id.slice(BASE.length).replace(SUFFIX, '');
}
