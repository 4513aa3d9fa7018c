import { SuiteError, textOf } from '../error.js';
import type { CaseProperty } from './case-property.js';
import type { Counterexample, Result, Role } from './property.js';
import type { Check, Contribution, Failure, InconclusiveReason, Verdict } from './verdict.js';

/** Why a runtime may not refuse a control or a twin. */
const NOT_LEFT_OUT =
  'Every runtime that claims this profile has to take this workflow, to start it or to deny it by a gate; what a ' +
  'runtime may leave out, and how its adapter says so, is in "What may be left out" of spec/README.md';

/** How many texts of one property are kept. */
const MOST_NOTES = 20;

/** A case, where it came from, and what was seen of it. */
export interface Seen<T, E> {
  readonly value: T;
  readonly role: Role;
  readonly path?: string;
  readonly evidence?: E;
}

/** A violation together with its case. */
export interface Violation<T, E> extends Seen<T, E> {
  readonly failure: Failure;
}

interface Count {
  planned: number;
  reached: number;
  passed: number;
}

/** What the run of one property has found so far. */
export class Findings<T, E> {
  /** The first violation of each requirement; those that the property is about come first. */
  readonly violations = new Map<string, Violation<T, E>>();
  readonly counterexamples = new Map<string, Counterexample>();
  /** Cases that failed, ran out of time or broke off. */
  bad = 0;
  /** Whether planned cases were left out. */
  stopped = false;
  readonly #definition: CaseProperty<T, E>;
  readonly #seed: number;
  readonly #counts = new Map<string, Count>();
  /** Violated requirements that the property is not about, with the number of cases. */
  readonly #strays = new Map<string, number>();
  readonly #unserved = new Set<string>();
  readonly #unshown = new Set<string>();
  readonly #suiteErrors = new Map<string, string>();
  readonly #notes = new Set<string>();
  #open: InconclusiveReason | undefined;
  #cases = 0;
  #kills = 0;
  #refused = 0;

  constructor(definition: CaseProperty<T, E>, seed: number) {
    this.#definition = definition;
    this.#seed = seed;
    for (const requirement of definition.requirements) {
      this.#counts.set(requirement, { planned: 0, reached: 0, passed: 0 });
    }
  }

  get seed(): number {
    return this.#seed;
  }

  plan(cases: number): void {
    for (const count of this.#counts.values()) count.planned += cases;
  }

  /** Counts the checks of one case: a requirement is reached or passed once a case, however many checks it has. */
  add(checks: readonly Check[], kills: number, seen: Seen<T, E>): void {
    this.#cases += 1;
    this.#kills += kills;
    const failed = new Map<string, Failure>();
    const reached = new Set<string>();
    for (const check of checks) {
      if (check.reached || check.failure !== undefined) reached.add(check.requirement);
      if (check.failure !== undefined && !failed.has(check.requirement)) failed.set(check.requirement, check.failure);
    }
    for (const requirement of reached) {
      const count = this.#counts.get(requirement);
      const failure = failed.get(requirement);
      if (count !== undefined) count.reached += 1;
      if (failure !== undefined) this.fail(requirement, { ...seen, failure });
      else if (count !== undefined) count.passed += 1;
    }
    if ([...failed.keys()].some(requirement => this.#counts.has(requirement))) this.bad += 1;
  }

  /**
   * Tells whether more cases would add nothing: each requirement was exercised by so many cases or by none at all, or
   * something is wrong already.
   */
  suffices(wanted: number): boolean {
    if (this.bad > 0 || this.stopped || this.#open !== undefined || this.violations.size > 0) return true;
    return [...this.#counts.values()].every(({ reached }) => reached === 0 || reached >= wanted);
  }

  /** Keeps the first violation of each requirement. */
  fail(requirement: string, violation: Violation<T, E>): void {
    if (!this.violations.has(requirement)) this.violations.set(requirement, violation);
    if (!this.#counts.has(requirement)) this.#strays.set(requirement, (this.#strays.get(requirement) ?? 0) + 1);
  }

  /** Keeps that a twin did not come out the other way: its case counts as reached and not passed, whatever its checks say. */
  contrast(requirement: string, violation: Violation<T, E>, checks: readonly Check[]): void {
    const count = this.#counts.get(requirement);
    const own = checks.filter(check => check.requirement === requirement);
    const failed = own.some(({ failure }) => failure !== undefined);
    const reached = failed || own.some(check => check.reached);
    if (count !== undefined && !reached) count.reached += 1;
    else if (count !== undefined && !failed) count.passed -= 1;
    this.fail(requirement, violation);
  }

  /** Counts a case that the runtime does not start; a case that has to be served fails the given requirements. */
  refuse(requirements: readonly string[], seen: Seen<T, E>, said?: string): void {
    this.#cases += 1;
    this.#refused += 1;
    const words = said === undefined || said === '' ? '' : `: ${JSON.stringify(said)}`;
    const observed = `unsupported${words}`;
    const message = `the adapter answered workflow/start of the ${seen.role} with ${observed}. ${NOT_LEFT_OUT}`;
    for (const requirement of requirements) {
      const count = this.#counts.get(requirement);
      if (count !== undefined) count.reached += 1;
      this.fail(requirement, { ...seen, failure: { message, expected: 'a start, or a denial by a gate', observed } });
    }
  }

  /** Keeps a text that decides nothing; of very many, the first. */
  note(text: string): void {
    if (this.#notes.size < MOST_NOTES) this.#notes.add(text);
  }

  suiteError(requirement: string, reason: string): void {
    this.#suiteErrors.set(requirement, reason);
    this.#notes.add(reason);
  }

  /** The control did not show what its twin changes: no case is a proof of the requirement. */
  unshown(requirement: string, reason: string): void {
    this.#unshown.add(requirement);
    this.#notes.add(reason);
  }

  /** What a runtime says against the protocol can be misread: it leaves the property open. */
  brokeProtocol(violation: string): void {
    this.#open ??= 'protocol';
    this.note(`protocol: ${violation}`);
  }

  /** Sorts an error into: a failure of the runtime, a reason for being inconclusive, or an error of the suite. */
  caught(error: unknown, seen: Seen<T, E>): void {
    this.#cases += 1;
    const code = error instanceof SuiteError ? error.code : 'suite_bug';
    const details = error instanceof SuiteError ? error.details : {};
    if (code === 'request_failed' && details.kind === 'unsupported') {
      this.#refused += 1;
      this.#unserved.add(String(details.method));
      return;
    }
    this.bad += 1;
    const text = textOf(error);
    this.#notes.add(`${code}: ${text}`);
    if (code === 'request_failed' || code === 'log_invalid') {
      const failure = { message: `the runtime does not serve what it declares: ${text}`, observed: details };
      for (const [requirement, count] of this.#counts) {
        count.reached += 1;
        this.fail(requirement, { ...seen, failure });
      }
      return;
    }
    if (code === 'timeout' || code === 'adapter_exit') this.#open ??= code;
    else if (code === 'protocol' || code === 'adapter_start') this.#open ??= 'protocol';
    else for (const requirement of this.#counts.keys()) this.#suiteErrors.set(requirement, text);
  }

  /** The result of a property that says nothing about a runtime without something. */
  inapplicable(capability: string): Result {
    const tally = { planned: 0, reached: 0, passed: 0 };
    const contributions = [...this.#counts.keys()].map((requirement): Contribution => {
      return { requirement, tally, verdict: { verdict: 'NOT_APPLICABLE', capability } };
    });
    return { ...this.#facts(), contributions, counterexamples: [], notes: [] };
  }

  result(): Result {
    const contributions: Contribution[] = [];
    for (const [requirement, tally] of this.#counts) {
      contributions.push({ requirement, tally: { ...tally }, verdict: this.#verdict(requirement, tally) });
    }
    for (const [requirement, cases] of this.#strays) {
      const tally = { planned: cases, reached: cases, passed: 0 };
      contributions.push({ requirement, tally, verdict: { verdict: 'FAIL' } });
    }
    const counterexamples = this.ordered().map(([requirement, violation]) =>
      this.#counterexample(requirement, violation),
    );
    return { ...this.#facts(), contributions, counterexamples, notes: [...this.#notes] };
  }

  /** The violations, those of the property's own requirements first. */
  ordered(): readonly (readonly [string, Violation<T, E>])[] {
    const all = [...this.violations];
    const own = (entry: readonly [string, unknown]) => this.#counts.has(entry[0]);
    return [...all.filter(own), ...all.filter(entry => !own(entry))];
  }

  #facts(): Pick<Result, 'property' | 'cases' | 'kills' | 'refused' | 'unserved'> {
    return {
      property: this.#definition.id,
      cases: this.#cases,
      kills: this.#kills,
      refused: this.#refused,
      unserved: [...this.#unserved],
    };
  }

  #counterexample(requirement: string, violation: Violation<T, E>): Counterexample {
    return (
      this.counterexamples.get(requirement) ?? {
        property: this.#definition.id,
        requirement,
        role: violation.role,
        case: violation.value,
        failure: violation.failure,
        evidence: violation.evidence,
        seed: this.#seed,
        ...(violation.path === undefined ? {} : { path: violation.path }),
        shrinks: 0,
        reproduced: true,
      }
    );
  }

  #verdict(requirement: string, count: Count): Verdict {
    if (this.violations.has(requirement)) return { verdict: 'FAIL' };
    const reason = this.#suiteErrors.get(requirement);
    if (reason !== undefined && this.#open !== 'protocol') return { verdict: 'HARNESS_ERROR', reason };
    if (this.#open !== undefined) return { verdict: 'INCONCLUSIVE', reason: this.#open };
    if (this.stopped) return { verdict: 'INCONCLUSIVE', reason: 'stopped' };
    if (count.reached > 0 && !this.#unshown.has(requirement)) return { verdict: 'PASS' };
    return { verdict: 'INCONCLUSIVE', reason: this.#unserved.size > 0 ? 'unserved' : 'not_reached' };
  }
}
