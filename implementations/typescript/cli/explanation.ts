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
import { documentFields } from './fields.js';
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

/** Prints what ids mean, or without any a list of the rules; returns the exit code: 0, or 2 where nothing has an id. */
export function explainAtTerminal(words: readonly string[], color?: boolean): 0 | 2 {
  const colors = outputColors(color);
  if (words.length === 0) {
    process.stdout.write(`${listText(colors)}\n`);
    return 0;
  }
  const asked = askedFor(words, colors);
  const texts = asked.flatMap(({ text }) => text ?? []);
  if (texts.length > 0) process.stdout.write(`${texts.join('\n\n\n')}\n`);
  const unknown = asked.filter(({ text }) => text === undefined);
  for (const { id } of unknown) {
    const meant = nearest(id, [...allIds()]);
    const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
    process.stderr.write(`ars explain: there is no rule, requirement, code or term "${visible(id)}"${suggestion}\n`);
  }
  if (unknown.length === 0) return 0;
  process.stderr.write(
    'The rules are S1 to S17; "ars explain" lists them, and reference/ has requirements, codes and terms.\n',
  );
  return 2;
}

/** What is asked for: an id or a term, and what it means; undefined where nothing has the id. */
export interface Asked {
  readonly id: string;
  readonly text: string | undefined;
}

/** What is an id, and no word of a term. */
const IS_ID = /[0-9_/]/;
/** How many words a term has at most. */
const MOST_WORDS = 6;

/** Returns what words ask for: as many of them as are one term are that, and words that nothing is known of are one id. */
export function askedFor(words: readonly string[], colors: Colors): Asked[] {
  const asked: Asked[] = [];
  let unknown: string[] = [];
  const endUnknown = (): void => {
    if (unknown.length > 0) asked.push({ id: unknown.join(' '), text: undefined });
    unknown = [];
  };
  for (let at = 0; at < words.length; ) {
    const found = longestTerm(words.slice(at, at + MOST_WORDS), colors);
    if (found !== undefined) {
      endUnknown();
      asked.push(found);
      at += found.count;
      continue;
    }
    const word = words[at++] as string;
    if (IS_ID.test(word)) endUnknown();
    unknown.push(word);
    if (IS_ID.test(word)) endUnknown();
  }
  endUnknown();
  return asked;
}

/** The longest beginning of words that is known. */
function longestTerm(words: readonly string[], colors: Colors): (Asked & { readonly count: number }) | undefined {
  for (let count = words.length; count > 0; count--) {
    const id = words.slice(0, count).join(' ');
    const text = explain(id, colors);
    if (text !== undefined) return { id, text, count };
  }
  return undefined;
}

/** How many characters of what a rule asks for its line in the list has. */
const SHOWN = 100;

function shortened(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN).replace(/[\s,;]+\S*$/, '')} …`;
}

/** Returns a list of the rules, a line each, and what else can be explained. */
export function listText(colors: Colors): string {
  const rules = [SCHEMA_FACTS, ...RULES].map(rule => {
    const severity = 'severity' in rule ? rule.severity : 'blocking';
    return `  ${colors.bold(rule.id.padEnd(6))}  ${severity.padEnd(8)}  ${shortened(rule.requirement)}`;
  });
  return [
    `${colors.cyan('Rules:')} (ars explain S1 tells one in full, with examples)`,
    ...rules,
    '',
    `${colors.cyan('And:')}`,
    `  ${requirements().length} requirements, such as AII3 and VF4: reference/requirements.md`,
    `  ${Object.keys(ERROR_MEANINGS).length} codes of errors, such as version_conflict, and ${Object.keys(REASONS).length} reasons of a denial, such as SECURITY_BREACH: reference/error-codes.md`,
    '  terms, such as E3, IRREVERSIBLE, in_doubt and AND join: reference/glossary.md',
    '  fields and their values, such as side_effects, rollbackable and handling',
  ].join('\n');
}

/** Returns what a rule, a requirement or a code means, for a reader; undefined where there is none of that id. */
export function explain(id: string, colors: Colors): string | undefined {
  if (Object.hasOwn(REASONS, id)) return reasonText(id, colors);
  return (
    ruleText(id, colors) ??
    requirementText(id, colors) ??
    errorText(id, colors) ??
    reasonText(id, colors) ??
    termText(id, colors) ??
    kindText(id, colors)
  );
}

/** What a part of a workflow that is shown for a rule does without. */
const LEFT_OUT =
  'schema_version, the name and version in workflow, inputs of any type, edges for failures, and the registry';

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
      Examples: `parts of a workflow; ${LEFT_OUT} are left out. "ars explain ${rule.id}/${rule.kinds[0]?.id}" shows a whole one.`,
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
  const [rule, kind] = kindOf(id) ?? [];
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

/** A way in which a rule can be broken, by rule and name, or by a name that one rule alone has, as the list of a rule shows it. */
function kindOf(id: string): [Rule, Rule['kinds'][number]] | undefined {
  const [name = '', ruleId] = id.split('/').reverse();
  const rules = ruleId === undefined ? RULES : RULES.filter(candidate => candidate.id === ruleId.toUpperCase());
  const found = rules.flatMap(rule =>
    rule.kinds.filter(kind => kind.id === name.toLowerCase()).map((kind): [Rule, typeof kind] => [rule, kind]),
  );
  return found.length === 1 ? found[0] : undefined;
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
  const term =
    found === undefined
      ? undefined
      : sections(colors, `${colors.bold(found.term)} (term)  ${found.meaning}`, { Chapter: found.place });
  const texts = [term, wordText(id, colors), fieldText(id, colors)].filter(text => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/** A field that an author of workflows and actions writes, as its schema describes it. */
function fieldText(id: string, colors: Colors): string | undefined {
  const field = documentFields().get(id.toLowerCase().replaceAll(/[ -]/g, '_'));
  if (field === undefined) return undefined;
  const { name, meanings, values, place } = field;
  return sections(colors, `${colors.bold(name)} (field)  ${meanings.join('\n  ')}`, {
    Values: values.length === 0 ? undefined : values.join(', '),
    Chapter: place,
  });
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
  yield* documentFields().keys();
}
