import { RULES } from '../../verification/rules/index.js';

/** What reports tell of a rule besides its findings. */
export interface RuleFacts {
  readonly id: string;
  readonly requirement: string;
  readonly why: string;
  readonly help: string;
  readonly level: 'error' | 'warning';
  /** Where the specification has it, relative to the project. */
  readonly chapter: string;
}

/** What a finding under the id SCHEMA means, which is no rule of chapter 8. */
export const SCHEMA_FACTS: RuleFacts = {
  id: 'SCHEMA',
  requirement: 'The document can be read and has the form that its schema describes.',
  why: 'What cannot be read or does not have the form has no meaning that a rule could be applied to.',
  help: 'Mend these findings first; rules that need the parts in question are evaluated after that.',
  level: 'error',
  chapter: 'spec/v1.0/08-verification.md#verdicts-and-findings',
};

/** Every rule in the order of the chapter, after SCHEMA. */
export const RULE_FACTS: readonly RuleFacts[] = [
  SCHEMA_FACTS,
  ...RULES.map(
    ({ id, requirement, why, help, severity }): RuleFacts => ({
      id,
      requirement,
      why,
      help,
      level: severity === 'blocking' ? 'error' : 'warning',
      chapter: `spec/v1.0/08-verification.md#${id.toLowerCase()}`,
    }),
  ),
];
