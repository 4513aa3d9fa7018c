import { SuiteError } from '../error.js';
import { AUDIT_MUTANTS } from './audit.js';
import { AUTHORITY_MUTANTS } from './authority.js';
import { CONTRACT_MUTANTS } from './contract.js';
import { GATE_MUTANTS } from './gates.js';
import { GOVERNANCE_MUTANTS } from './governance.js';
import { HANDLING_MUTANTS } from './handling.js';
import { INSTANCE_MUTANTS } from './instances.js';
import { KEEPING_MUTANTS } from './keeping.js';
import { LOG_READING_MUTANTS } from './log-reading.js';
import type { Mutant } from './mutant.js';
import { OUTCOME_MUTANTS } from './outcome.js';
import { READING_MUTANTS } from './reading.js';
import { SAFETY_MUTANTS } from './safety.js';
import { STANDING_MUTANTS } from './standing.js';
import { VERIFICATION_MUTANTS } from './verification.js';
import { WORKFLOW_MUTANTS } from './workflow.js';

/** The faulty runtimes, in the order of the kill matrix. */
export const MUTANTS: readonly Mutant[] = [
  ...AUDIT_MUTANTS,
  ...WORKFLOW_MUTANTS,
  ...OUTCOME_MUTANTS,
  ...HANDLING_MUTANTS,
  ...INSTANCE_MUTANTS,
  ...LOG_READING_MUTANTS,
  ...VERIFICATION_MUTANTS,
  ...GOVERNANCE_MUTANTS,
  ...AUTHORITY_MUTANTS,
  ...GATE_MUTANTS,
  ...SAFETY_MUTANTS,
  ...READING_MUTANTS,
  ...CONTRACT_MUTANTS,
  ...STANDING_MUTANTS,
  ...KEEPING_MUTANTS,
];

/** Gives the mutant of an id; throws `usage` with the known ids where there is none. */
export function findMutant(id: string): Mutant {
  const mutant = MUTANTS.find(candidate => candidate.id === id);
  if (mutant !== undefined) return mutant;
  throw new SuiteError('usage', `no mutant '${id}'; there are: ${MUTANTS.map(known => known.id).join(', ')}`, {
    details: { id },
  });
}
