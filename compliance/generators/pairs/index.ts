import { CONTRACT_PAIRS } from './contracts.js';
import { FAILURE_PAIRS } from './failures.js';
import { GRAPH_PAIRS } from './graphs.js';
import type { Pair } from './pair.js';
import { REFERENCE_PAIRS } from './references.js';
import { SKILL_PAIRS } from './skills.js';
import { UNKNOWN_PAIRS } from './unknown.js';
import { VALUE_PAIRS } from './values.js';

/** Every kind of defect that comes as a pair, in the order of the chapter. */
export const PAIRS: readonly Pair[] = [
  ...GRAPH_PAIRS,
  ...REFERENCE_PAIRS,
  ...VALUE_PAIRS,
  ...UNKNOWN_PAIRS,
  ...SKILL_PAIRS,
  ...CONTRACT_PAIRS,
  ...FAILURE_PAIRS,
];
