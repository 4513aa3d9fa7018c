import { nearest } from '../../schemas/index.js';
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
import { RECOVERING_MUTANTS } from './recovering.js';
import { SAFETY_MUTANTS } from './safety.js';
import { SCHEDULING_MUTANTS } from './scheduling.js';
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
  ...RECOVERING_MUTANTS,
  ...SCHEDULING_MUTANTS,
];

/** Gives the mutant of an id; throws `usage` with the nearest id, or all of them where none is near, where there is none. */
export function findMutant(id: string): Mutant {
  const mutant = MUTANTS.find(candidate => candidate.id === id);
  if (mutant !== undefined) return mutant;
  const known = MUTANTS.map(one => one.id);
  const near = nearest(id, known);
  const hint = near === undefined ? `there are: ${known.join(', ')}` : `did you mean '${near}'?`;
  throw new SuiteError('usage', `no mutant '${id}'; ${hint}`, { details: { id } });
}
