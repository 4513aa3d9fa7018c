import type { Finding } from '../../../../schemas/types.js';
import type { FindingKind, Rule } from '../rule.js';
import { s1 } from './s1.js';
import { s2 } from './s2.js';
import { s3 } from './s3.js';
import { s4 } from './s4.js';
import { s5 } from './s5.js';
import { s6 } from './s6.js';
import { s7 } from './s7.js';
import { s8 } from './s8.js';
import { s9 } from './s9.js';
import { s10 } from './s10.js';
import { s11 } from './s11.js';
import { s12 } from './s12.js';
import { s13 } from './s13.js';
import { s14 } from './s14.js';
import { s15 } from './s15.js';
import { s16 } from './s16.js';
import { s17 } from './s17.js';

/** The rules that this verifier evaluates, in the order of the chapter. */
export const RULES: readonly Rule[] = [s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17];

/** Every rule of the specification, in the order of the chapter. */
export const RULE_IDS: readonly string[] = Array.from({ length: 17 }, (_, index) => `S${index + 1}`);

/** Returns the kinds that a finding of a rule is of: exactly one, where the rule lists them all. */
export function kindsOf({ rule, message }: Pick<Finding, 'rule' | 'message'>): readonly FindingKind[] {
  return RULES.find(({ id }) => id === rule)?.kinds.filter(kind => kind.message.test(message)) ?? [];
}
