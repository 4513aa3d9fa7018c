import { type Dialogue, resultOf, type Said, type Spoken } from '../dialogue.js';
import { refusalText, troubleIn, withoutWords } from '../model/refusal.js';
import { type CaseProperty, caseProperty } from '../runner/case-property.js';
import type { Property } from '../runner/property.js';
import type { Check, Failure } from '../runner/verdict.js';

/** What is particular to a property whose cases are dialogues, or data that each stand for one. */
export interface DialogueProperty<T> extends Omit<CaseProperty<T, Spoken>, 'kind' | 'examine'> {
  readonly kind?: Property['kind'];
  /** The requests of which an error of the runtime is judged, since some cases ask for it; nothing is noted of it. */
  readonly refusable?: readonly string[];
  /** The dialogue that a case stands for. */
  dialogue(value: T): Dialogue;
}

/** Gives the property that holds dialogues with a runtime and judges what was said. */
export function dialogueProperty<T>(definition: DialogueProperty<T>): Property {
  return caseProperty<T, Spoken>({
    ...definition,
    kind: definition.kind ?? 'message',
    examine: async (subject, value) => {
      const spoken = await subject.converse(definition.dialogue(value));
      const isStray = (text: string) => text.startsWith('a line that is no JSON-RPC');
      return {
        evidence: spoken,
        kills: spoken.kills,
        violations: spoken.violations.filter(text => !isStray(text)),
        notes: [...spoken.violations.filter(isStray), ...troubleIn(namedAnswers(spoken, definition.refusable))],
      };
    },
  });
}

function namedAnswers({ answers }: Spoken, without: readonly string[] = []): (readonly [string, Said])[] {
  return Object.entries(answers).flatMap(([name, said]) =>
    without.includes(name) ? [] : said.map(one => [`the request '${name}'`, one] as const),
  );
}

/** Gives a check that was reached; with a failure where something is wrong. */
export function check(requirement: string, failure: Failure | false | undefined): Check {
  return { requirement, reached: true, ...(failure ? { failure } : {}) };
}

/**
 * Gives what is wrong with something, in words what it is, unless two values are equal as JSON; members that are undefined
 * count as absent.
 */
export function unlessSame(what: string, expected: unknown, observed: unknown): Failure | undefined {
  return sortedText(expected) === sortedText(observed)
    ? undefined
    : {
        message: `${what}: ${textOf(observed)}; expected: ${textOf(expected)}`,
        expected: toldValue(expected),
        observed: toldValue(observed),
      };
}

/** How much of a value is in a message, in characters; the failure has all of it beside. */
const MOST_TOLD = 120;

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > MOST_TOLD ? `${text.slice(0, MOST_TOLD - 1)}…` : text;
}

function toldValue(value: unknown): unknown {
  return value === undefined ? 'nothing' : value;
}

/** Gives what is wrong where a named turn was refused. */
export function unlessServed(spoken: Spoken, name: string): Failure | undefined {
  const [said] = spoken.answers[name] ?? [];
  if (said === undefined || 'result' in said) return undefined;
  const observed = refusalText(said.error);
  const message =
    said.error.kind === 'unasked'
      ? `the request '${name}' was not sent, since one that it refers to was not answered`
      : `the request '${name}' was answered with ${observed}`;
  return { message, expected: 'an answer', observed };
}

/** Gives what is wrong unless a named turn was refused with one of these kinds. */
export function unlessRefused(spoken: Spoken, name: string, ...kinds: readonly string[]): Failure | undefined {
  const [said] = spoken.answers[name] ?? [];
  const refused = said !== undefined && 'error' in said ? said.error : undefined;
  if (refused !== undefined && kinds.includes(refused.kind)) return undefined;
  return {
    message: `'${name}' was not refused as it has to be`,
    expected: kinds,
    observed: refused === undefined ? resultOf(spoken, name) : refusalText(refused),
  };
}

/** Gives what is wrong, in words what it is, unless two turns were answered alike, but for the adapter's own words. */
export function unlessAnsweredAlike(what: string, spoken: Spoken, one: string, other: string): Failure | undefined {
  const [expected, observed] = [spoken.answers[one], spoken.answers[other]];
  const alike = sortedText(expected?.map(withoutWords)) === sortedText(observed?.map(withoutWords));
  return alike ? undefined : unlessSame(what, expected, observed);
}

/** Gives what was seen, with another first answer under a name. */
export function withResult<R>(spoken: Spoken, name: string, change: (result: R) => unknown): Spoken {
  const [said, ...others] = spoken.answers[name] ?? [];
  const result = said !== undefined && 'result' in said ? (structuredClone(said.result) as R) : undefined;
  return withAnswer(spoken, name, { result: change(result as R) }, others);
}

/** Gives what was seen, with another answer under a name. */
export function withAnswer(spoken: Spoken, name: string, said: Said, others: readonly Said[] = []): Spoken {
  return { ...spoken, answers: { ...spoken.answers, [name]: [said, ...others] } };
}

function sortedText(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
