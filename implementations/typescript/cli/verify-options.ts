import { InvalidArgumentError } from 'commander';
import { nearest } from '../../../schemas/nearest.js';
import { FORMAT_NAMES, type FormatName } from './format/index.js';

/** The rules that an option can name. */
const RULE_IDS: readonly string[] = Array.from({ length: 17 }, (_, index) => `S${index + 1}`);

/** A format that is asked for, and the file that it goes to; without one, standard output. */
export interface FormatRequest {
  readonly name: FormatName;
  readonly file?: string;
}

/** What `ars verify` is asked for besides files. */
export interface VerifyOptions {
  /** Absent means text. */
  readonly format?: readonly FormatRequest[];
  readonly registry?: readonly string[];
  readonly rule?: readonly string[];
  readonly skipRule?: readonly string[];
  readonly preset?: 'recommended' | 'strict' | 'minimal';
  /** A file; true means the nearest above each document, false none. Absent means true. */
  readonly config?: string | boolean;
  readonly maxWarnings?: number;
  readonly maxUnevaluated?: number;
  readonly skipForeign?: boolean;
  readonly all?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/** Parses `format` or `format=file`, after those that were given before. Throws InvalidArgumentError. */
export function formatRequest(text: string, before: readonly FormatRequest[] = []): readonly FormatRequest[] {
  const [name = '', ...rest] = text.split('=');
  const file = rest.length === 0 ? undefined : rest.join('=');
  if (!isFormat(name)) {
    const meant = nearest(name, FORMAT_NAMES);
    const suggestion = meant === undefined ? '' : ` Did you mean ${meant}?`;
    throw new InvalidArgumentError(`There is no format "${name}".${suggestion} There are ${FORMAT_NAMES.join(', ')}.`);
  }
  if (file === '') throw new InvalidArgumentError('After = comes the name of a file.');
  if (before.some(request => request.file === file))
    throw new InvalidArgumentError(`Two formats cannot both go to ${file ?? 'standard output'}.`);
  return [...before, file === undefined ? { name } : { name, file }];
}

function isFormat(name: string): name is FormatName {
  return (FORMAT_NAMES as readonly string[]).includes(name);
}

/** Parses ids of rules with commas between them, after those that were given before. Throws InvalidArgumentError. */
export function parseRules(text: string, before: readonly string[] = []): readonly string[] {
  const ids = text
    .split(',')
    .map(id => id.trim().toUpperCase())
    .filter(id => id !== '');
  if (ids.length === 0) throw new InvalidArgumentError('It names no rule.');
  for (const id of ids) {
    if (id === 'SCHEMA') throw new InvalidArgumentError('SCHEMA is no rule: defects of form always count.');
    if (RULE_IDS.includes(id)) continue;
    const meant = nearest(id, RULE_IDS);
    throw new InvalidArgumentError(
      `There is no rule "${id}".${meant === undefined ? '' : ` Did you mean ${meant}?`} There are S1 to S17.`,
    );
  }
  return [...before, ...ids];
}
