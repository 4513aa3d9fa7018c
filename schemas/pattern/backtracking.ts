import type { AST } from '@eslint-community/regexpp';

/** How a backtracking engine can go through a part: in `ways` × text^`degree` ways, each of them `length` steps long. */
interface Effort {
  readonly ways: number;
  readonly degree: number;
  readonly length: number;
}

/** What a backtracking engine may take a character of the text. */
const MOST_EFFORT = 200;
const NOTHING: Effort = { ways: 1, degree: 0, length: 0 };
const ONE: Effort = { ways: 1, degree: 0, length: 1 };

/**
 * Gives a bound of the steps that a backtracking engine takes for each character of a text; undefined where none is proven.
 *
 * Such an engine tries each way through a regular expression at most once from each place where a match can begin. With
 * one choice of how often a character is repeated, or with one place to begin but not with both, these are linear.
 * Of what looks around itself nothing is proven, also because V8 finds `\B` between the halves of a surrogate pair.
 */
export function backtrackingEffort(pattern: AST.Pattern): number | undefined {
  const effort = anyOf(pattern.alternatives);
  if (effort === undefined) return undefined;
  const most = effort.ways * Math.max(1, effort.length);
  return effort.degree + (isAnchored(pattern) ? 0 : 1) <= 1 && most <= MOST_EFFORT ? most : undefined;
}

/** Whether a match can begin at the first place of a text only. */
export function isAnchored({ alternatives }: AST.Pattern): boolean {
  return alternatives.every(({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start');
}

function anyOf(alternatives: readonly AST.Alternative[]): Effort | undefined {
  let sum: Effort = { ...NOTHING, ways: 0 };
  for (const { elements } of alternatives) {
    const effort = inSequence(elements);
    if (effort === undefined) return undefined;
    const { ways, degree, length } = effort;
    sum = { ways: sum.ways + ways, degree: Math.max(sum.degree, degree), length: Math.max(sum.length, length) };
  }
  return sum;
}

function inSequence(elements: readonly AST.Element[]): Effort | undefined {
  let product = NOTHING;
  for (const element of elements) {
    const effort = effortOf(element);
    if (effort === undefined) return undefined;
    const { ways, degree, length } = effort;
    product = { ways: product.ways * ways, degree: product.degree + degree, length: product.length + length };
  }
  return product;
}

function effortOf(node: AST.Element): Effort | undefined {
  switch (node.type) {
    case 'Character':
    case 'CharacterClass':
    case 'CharacterSet':
      return ONE;
    case 'Assertion':
      return node.kind === 'start' || node.kind === 'end' ? ONE : undefined;
    case 'Group':
    case 'CapturingGroup':
      return anyOf(node.alternatives);
    case 'Quantifier':
      return repeated(node);
    default:
      return undefined;
  }
}

function repeated({ element, min, max }: AST.Quantifier): Effort | undefined {
  const once = effortOf(element);
  if (once === undefined || once.degree > 0) return undefined;
  if (min === max) return { ways: once.ways ** min, degree: 0, length: once.length * min };
  if (max === 1) return { ...once, ways: once.ways + 1 };
  const isCharacter = element.type.startsWith('Character');
  return isCharacter ? { ways: 1, degree: 1, length: 1 } : undefined;
}
