import type { ValueRule } from '../../generators/pairs/pair.js';
import { pairsOf } from '../../generators/pairs/setting.js';
import { UNKNOWN_PAIRS } from '../../generators/pairs/unknown.js';
import type { Property } from '../../runner/property.js';
import { pairProperty } from './pair-property.js';

const TITLES: Readonly<Record<ValueRule, string>> = {
  S7: 'a reference to an action that leads to nothing is found',
  S8: 'a mapping or an expression that leads to nothing, does not fit or is not certain is found',
  S9: 'more retries than a contract bears are found',
  S10: 'a contract that contradicts itself is found',
  S11: 'a contract that does not tell its side effects is warned of',
  S12: 'a skill that no registry has is found',
  S13: 'a skill without a version that fits, or with another interface, is found',
  S14: 'a workflow that contains itself is found',
  S15: 'a failure that nothing takes up is warned of',
  S16: 'what an error node could not compensate is found',
  S17: 'what cannot be undone is warned of, where nobody says so or something comes behind it',
};

/** For each rule over values, skills, contracts and failures: every kind of its defects, beside the same without it. */
export const PAIR_PROPERTIES: readonly Property[] = Object.entries(TITLES).map(([rule, title]) =>
  pairProperty({
    id: `verification/${rule.toLowerCase()}`,
    title,
    requirement: rule,
    pairs: pairsOf(rule as ValueRule),
  }),
);

/** What nothing is known of is taken to be in order. */
export const assumed = pairProperty({
  id: 'verification/assumed',
  title: 'what no schema tells is no defect, and the same is one where a schema tells',
  requirement: 'VF6',
  pairs: UNKNOWN_PAIRS,
});
