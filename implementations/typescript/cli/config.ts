import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type SchemaDefect, validate } from '../../../schemas/index.js';
import { nearest } from '../../../schemas/nearest.js';
import type { VerifierConfig } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { RULE_IDS } from '../verification/rules/index.js';
import { readDocuments, type SourceDocument } from '../workspace/document.js';
import { visible } from './code-frame.js';
import { sourcePath } from './format/source-uri.js';
import { sentences } from './format/summary.js';
import type { Level, LevelSettings } from './levels.js';
import { readBytes } from './sources.js';

/** The names under which a configuration is looked for, in this order. */
export const CONFIG_NAMES: readonly string[] = ['ars.config.yaml', 'ars.config.yml', 'ars.config.json'];

/** A configuration, and the file that it is in. */
export interface LoadedConfig {
  readonly file: string;
  readonly config: VerifierConfig;
}

/** Which configuration holds: one file, none, or the nearest above each document. */
export type ConfigChoice = string | false | undefined;

/** Gives the settings of files by the configuration that is nearest above each; every configuration is read once. */
export class ConfigFinder {
  readonly #choice: ConfigChoice;
  readonly #cwd: string;
  readonly #byFolder = new Map<string, Promise<LoadedConfig | undefined>>();
  readonly #byFile = new Map<string, Promise<LoadedConfig>>();

  constructor(choice: ConfigChoice, cwd = process.cwd()) {
    this.#choice = choice;
    this.#cwd = cwd;
  }

  /** Returns the settings for a file, a path or `<stdin>`. Throws `usage` where its configuration has a defect. */
  async settingsOf(file: string): Promise<LevelSettings> {
    const path = resolve(this.#cwd, file);
    const loaded = await this.#configOf(path);
    if (loaded === undefined) return {};
    const { matchesAny } = await import('./file-pattern.js');
    const within = relative(dirname(loaded.file), path).split(sep).join('/');
    let { preset } = loaded.config;
    let rules: Readonly<Record<string, Level>> = { ...loaded.config.rules };
    for (const override of loaded.config.overrides ?? []) {
      if (!matchesAny(override.files, within)) continue;
      if (override.preset !== undefined) {
        preset = override.preset;
        rules = {};
      }
      rules = { ...rules, ...override.rules };
    }
    return { preset, rules, origin: sourcePath(loaded.file, { cwd: this.#cwd, root: this.#cwd }) };
  }

  /** Returns the configuration that wants a file passed over; undefined where none does. Throws as {@link settingsOf}. */
  async ignoredBy(file: string): Promise<string | undefined> {
    const path = resolve(this.#cwd, file);
    const loaded = await this.#configOf(path);
    if (loaded?.config.ignore === undefined) return undefined;
    const { matchesAny } = await import('./file-pattern.js');
    const within = relative(dirname(loaded.file), path).split(sep).join('/');
    if (!matchesAny(loaded.config.ignore, within)) return undefined;
    return sourcePath(loaded.file, { cwd: this.#cwd, root: this.#cwd });
  }

  /** Throws `usage` where configurations of these files have defects, which are told of all of them (details as of {@link loadConfig}). */
  async demandSound(files: Iterable<string>): Promise<void> {
    const faults = new Set<ArsError>();
    for (const file of files)
      try {
        await this.#configOf(resolve(this.#cwd, file));
      } catch (error) {
        if (!(error instanceof ArsError)) throw error;
        faults.add(error);
      }
    const [first, ...others] = faults;
    if (first === undefined) return;
    const also = [...alsoOf(first), ...others.flatMap(fault => [fault.message, ...alsoOf(fault)])];
    throw new ArsError(first.code, first.message, { details: { ...first.details, also }, cause: first });
  }

  #configOf(path: string): Promise<LoadedConfig | undefined> {
    if (this.#choice === false) return Promise.resolve(undefined);
    if (this.#choice !== undefined) return this.#load(resolve(this.#cwd, this.#choice));
    const folder = dirname(path);
    let found = this.#byFolder.get(folder);
    if (found === undefined) {
      const file = nearestConfig(folder);
      found = file === undefined ? Promise.resolve(undefined) : this.#load(file);
      this.#byFolder.set(folder, found);
    }
    return found;
  }

  #load(file: string): Promise<LoadedConfig> {
    let loaded = this.#byFile.get(file);
    if (loaded === undefined) {
      loaded = loadConfig(file);
      this.#byFile.set(file, loaded);
    }
    return loaded;
  }
}

function alsoOf({ details }: ArsError): readonly string[] {
  return Array.isArray(details.also) ? details.also.map(String) : [];
}

function nearestConfig(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const name = CONFIG_NAMES.find(candidate => existsSync(join(folder, candidate)));
    if (name !== undefined) return join(folder, name);
    if (folder === dirname(folder)) return undefined;
  }
}

/** Whether a text in YAML says nothing. */
function isBlank(text: string): boolean {
  return text.split('\n').every(line => /^\s*(?:#|$)/.test(line));
}

/** What is wrong at a place of a configuration, and what to do. */
interface Mistake {
  readonly line: number;
  readonly column: number;
  readonly told: string;
}

/**
 * Returns the configuration in a file, without any setting where it holds nothing but comments.
 *
 * Throws `usage` where it cannot be read or does not fit its schema (details {file, line, column, also}): the message tells
 * the first mistake, `also` the others, a line each.
 */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  const [document, second] = readDocuments(await readBytes(file), { file });
  if (document !== undefined && isBlank(document.source.text)) return { file, config: {} };
  if (document === undefined || second !== undefined)
    throw new ArsError('usage', `${visible(file)} holds several documents; a configuration is one`, {
      details: { file },
    });
  const [first, ...others] = mistakesOf(document);
  if (first === undefined) return { file, config: document.value as VerifierConfig };
  const { line, column } = first;
  const lineOf = (mistake: Mistake): string => `${visible(file)}:${mistake.line}:${mistake.column}: ${mistake.told}`;
  throw new ArsError('usage', lineOf(first), { details: { file, line, column, also: others.map(lineOf) } });
}

/** Returns what is wrong in a configuration, in the order of the text. */
function mistakesOf(document: SourceDocument): Mistake[] {
  const unreadable = document.defects.map(
    ({ message, help, location }): Mistake => ({ ...location, told: sentences(message, help) }),
  );
  if (unreadable.length > 0) return unreadable.toSorted(byPlace);
  const mistakeOf = (defect: SchemaDefect): Mistake => ({
    ...document.locate(defect.pointer, 'key'),
    told: unknownRule(defect) ?? sentences(defect.message, defect.help),
  });
  const defects = validate('verifier-config', document.value);
  const isCount = ({ keyword }: SchemaDefect): boolean => keyword === 'more';
  const mistakes = defects.filter(defect => !isCount(defect)).map(mistakeOf);
  return [...mistakes.toSorted(byPlace), ...defects.filter(isCount).map(mistakeOf)];
}

function byPlace(a: Mistake, b: Mistake): number {
  return a.line - b.line || a.column - b.column;
}

/** Returns that there is no rule of a name, and which there are; undefined where the defect is another. */
function unknownRule({ pointer, keyword }: SchemaDefect): string | undefined {
  const id = /\/rules\/([^/]+)$/.exec(pointer)?.[1];
  if (id === undefined || keyword !== 'additionalProperties') return undefined;
  if (id === 'SCHEMA') return 'SCHEMA is no rule: defects of form always count.';
  const meant = nearest(id.toUpperCase(), RULE_IDS);
  const which = meant === undefined || meant === 'SCHEMA' ? '; the' : `; did you mean ${meant}? The`;
  return `There is no rule "${visible(id)}"${which} rules are S1 to S17.`;
}
