import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { nearest } from '../../../schemas/nearest.js';
import { ERROR_MEANINGS } from '../error.js';
import { REASONS, type ReasonMeaning } from '../governance/reasons.js';
import type { Rule } from '../verification/rule.js';
import { RULES } from '../verification/rules/index.js';
import { type Colors, visible } from './code-frame.js';
import { outputColors } from './color.js';
import { SCHEMA_FACTS } from './format/rule-facts.js';
import { WORDS } from './words.js';

/** What the index of requirements says of one. */
interface Requirement {
  readonly id: string;
  readonly kind: string;
  readonly level: string;
  readonly sentence: string;
  readonly note?: string;
  readonly how: readonly string[];
  readonly untestable?: string;
  readonly link: string;
}

const HOW: Readonly<Record<string, string>> = {
  P: 'a property over generated programs',
  K: 'a sweep of kills',
  T: 'a check of an exported log',
  M: 'messages of the protocol',
  I: 'inspection only',
};

/** Prints what an id means; returns the exit code: 0, or 2 where nothing has the id. */
export function explainAtTerminal(id: string, color?: boolean): 0 | 2 {
  const text = explain(id, outputColors(color));
  if (text !== undefined) {
    process.stdout.write(`${text}\n`);
    return 0;
  }
  const meant = nearest(id, [...allIds()]);
  const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
  process.stderr.write(
    `ars explain: there is no rule, requirement, code or term "${visible(id)}"${suggestion}\nThe rules are S1 to S17; reference/ lists requirements, codes and terms.\n`,
  );
  return 2;
}

/** Returns what a rule, a requirement or a code means, for a reader; undefined where there is none of that id. */
export function explain(id: string, colors: Colors): string | undefined {
  if (Object.hasOwn(REASONS, id)) return reasonText(id, colors);
  return (
    ruleText(id, colors) ??
    kindText(id, colors) ??
    requirementText(id, colors) ??
    errorText(id, colors) ??
    reasonText(id, colors) ??
    termText(id, colors)
  );
}

function ruleText(id: string, colors: Colors): string | undefined {
  const wanted = id.toUpperCase();
  if (wanted === 'SCHEMA') {
    const { requirement, why, help, chapter } = SCHEMA_FACTS;
    const more =
      'The fields of a workflow are listed in spec/v1.0/07-workflow.md, in full in schemas/v1.0/workflow.schema.json.';
    return sections(colors, `${colors.bold('SCHEMA')} (blocking)  ${requirement}`, {
      Why: why,
      Help: `${help} ${more}`,
      Chapter: chapter,
    });
  }
  const rule = RULES.find(candidate => candidate.id === wanted);
  if (rule === undefined) return undefined;
  return [
    sections(colors, `${colors.bold(rule.id)} (${rule.severity})  ${rule.requirement}`, {
      Why: rule.why,
      Help: rule.help,
      Chapter: `spec/v1.0/08-verification.md#${rule.id.toLowerCase()}`,
    }),
    '',
    colors.red('Fails:'),
    indent(rule.failing),
    '',
    colors.green('Passes:'),
    indent(rule.passing),
    '',
    `${colors.cyan('Finds:')} (ars explain ${rule.id}/${rule.kinds[0]?.id} shows an example)`,
    ...rule.kinds.map(({ id: kind, summary }) => `    ${kind.padEnd(widest(rule))}  ${summary}`),
  ].join('\n');
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '    ');
}

function widest({ kinds }: Rule): number {
  return Math.max(...kinds.map(({ id }) => id.length));
}

/** Returns one way in which a rule can be broken, named as in S5/repeated-edge, with the example of it. */
function kindText(id: string, colors: Colors): string | undefined {
  const [ruleId = '', kindId = ''] = id.split('/');
  const rule = RULES.find(candidate => candidate.id === ruleId.toUpperCase());
  const kind = rule?.kinds.find(candidate => candidate.id === kindId.toLowerCase());
  if (rule === undefined || kind === undefined) return undefined;
  const file = `${rule.id.toLowerCase()}-${kind.id}.yaml`;
  const example = (folder: string): string => indent(readPackaged(`examples/${folder}/${file}`));
  return [
    `${colors.bold(`${rule.id}/${kind.id}`)} (${rule.severity})  ${kind.summary}`,
    '',
    `${colors.red('Fails:')} examples/invalid/${file}`,
    example('invalid'),
    '',
    `${colors.green('Passes:')} examples/valid/${file}`,
    example('valid'),
  ].join('\n');
}

function requirementText(id: string, colors: Colors): string | undefined {
  const found = requirements().find(candidate => candidate.id === id.toUpperCase());
  if (found === undefined) return undefined;
  const { kind, level, sentence, note, how, untestable, link } = found;
  return sections(colors, `${colors.bold(found.id)} (${kind}, ${level})  ${sentence}`, {
    Note: note,
    Shown: `by ${how.map(letter => HOW[letter] ?? letter).join(', ')}${untestable === undefined ? '' : `: ${untestable}`}`,
    Chapter: link,
  });
}

function errorText(id: string, colors: Colors): string | undefined {
  const code = id.toLowerCase();
  if (!Object.hasOwn(ERROR_MEANINGS, code)) return undefined;
  const { meaning, remedy } = ERROR_MEANINGS[code as keyof typeof ERROR_MEANINGS];
  return sections(colors, `${colors.bold(code)} (code of an error)  ${meaning}`, {
    Help: remedy,
    Codes: 'reference/error-codes.md',
  });
}

function reasonText(id: string, colors: Colors): string | undefined {
  const code = id.toUpperCase();
  if (!Object.hasOwn(REASONS, code)) return undefined;
  const { source, requirement, meaning, remedy }: ReasonMeaning = REASONS[code as keyof typeof REASONS];
  return sections(colors, `${colors.bold(code)} (reason of a denial, ${source})  ${meaning}`, {
    Help: remedy,
    Requirement: requirement,
    Codes: 'reference/error-codes.md',
  });
}

/** A term of the specification, as the generated glossary has it. */
function termText(id: string, colors: Colors): string | undefined {
  const found = glossary().get(plainTerm(id));
  if (found === undefined) return wordText(id, colors);
  return sections(colors, `${colors.bold(found.term)} (term)  ${found.meaning}`, { Chapter: found.place });
}

/** A word that the chapters explain outside their tables of terms. */
function wordText(id: string, colors: Colors): string | undefined {
  const [term, { meaning, place } = { meaning: '', place: '' }] =
    Object.entries(WORDS).find(([word]) => plainTerm(word) === plainTerm(id)) ?? [];
  return term === undefined
    ? undefined
    : sections(colors, `${colors.bold(term)} (word)  ${meaning}`, { Chapter: place });
}

interface GlossaryTerm {
  readonly term: string;
  readonly meaning: string;
  readonly place: string;
}

let terms: ReadonlyMap<string, GlossaryTerm> | undefined;

function glossary(): ReadonlyMap<string, GlossaryTerm> {
  terms ??= new Map(
    [
      ...readPackaged('reference/glossary.md').matchAll(/^\| (.+?) \| (.+) \| \[[^\]]+\]\(\.\.\/([^)]+)\) \|$/gm),
    ].flatMap(([, term = '', meaning = '', place = '']) => {
      const text = meaning.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
      return namesOf(term).map((name): [string, GlossaryTerm] => [name, { term, meaning: text, place }]);
    }),
  );
  return terms;
}

/** What a term of the glossary is looked for by: "taken, dead" are two, and "to dominate" is one without its "to". */
function namesOf(term: string): string[] {
  const plain = plainTerm(term);
  return [...new Set([plain, ...plain.split(', '), plain.replace(/^to /, '')])];
}

/** A term as it is looked for: in_doubt is "in doubt". */
function plainTerm(term: string): string {
  return term.toLowerCase().replaceAll('_', ' ').replaceAll(/[`*]/g, '');
}

function sections(colors: Colors, head: string, parts: Readonly<Record<string, string | undefined>>): string {
  const told = Object.entries(parts).filter((part): part is [string, string] => part[1] !== undefined);
  return [head, '', ...told.map(([name, text]) => `${colors.cyan(`${name}:`)} ${text}`)].join('\n');
}

/** The text of a file that comes with the package. */
function readPackaged(path: string): string {
  const root = dirname(createRequire(import.meta.url).resolve('agent-runtime-spec/package.json'));
  return readFileSync(join(root, path), 'utf8');
}

let known: readonly Requirement[] | undefined;

/** The index that is generated from the chapters and comes with the package. */
function requirements(): readonly Requirement[] {
  if (known === undefined) {
    const text = readPackaged('reference/requirements.json');
    known = (JSON.parse(text) as { requirements: readonly Requirement[] }).requirements;
  }
  return known;
}

/** Every id that can be explained. */
export function* allIds(): Generator<string> {
  for (const { id, kinds } of RULES) {
    yield id;
    for (const kind of kinds) yield `${id}/${kind.id}`;
  }
  yield 'SCHEMA';
  for (const { id } of requirements()) yield id;
  yield* Object.keys(ERROR_MEANINGS);
  yield* Object.keys(REASONS);
  for (const { term } of glossary().values()) yield term;
  yield* Object.keys(WORDS);
}
