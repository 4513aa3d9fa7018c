import * as fc from 'fast-check';

/** Values of JSON that runtimes tend to mistreat; the simplest comes first, since values shrink towards it. */
const ODD: readonly unknown[] = [
  0,
  null,
  '',
  false,
  [],
  {},
  -1.5,
  1e-7,
  9007199254740991,
  -9007199254740991,
  '\u0000\u001f\u2028',
  'é😀',
  '${inputs.n}',
  '$${',
  '__proto__',
  [[], [null, [0]]],
  { '': 0, ' ': 1 },
  JSON.parse('{"__proto__":{"x":1},"constructor":null,"toString":[]}'),
  { b: 1, a: 2, ä: 3, '😀': 4, '\ufb33': 5 },
  JSON.parse(`${'['.repeat(30)}${']'.repeat(30)}`),
];

/** JSON values, odd ones among them; no number beyond what a double holds exactly as an integer. */
export const oddValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...ODD),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map(value => (value === 0 ? 0 : value)),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
);

/** A mapping whose value is the given one: what looks like a reference is escaped. */
export function literalMapping(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${');
  if (Array.isArray(value)) return value.map(literalMapping);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, literalMapping(item)]));
}

const ODD_IDS: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'é😀',
  '节点',
  'a-b',
  'a/b',
  'x'.repeat(128),
  'null',
  'outputs',
  '0',
  '"q"',
  'back\\slash',
  'a:b',
  '#',
  'a?b',
  '%00',
  '<b>',
  'ﬁ',
];

/** Names nodes in the order in which they are made; 0 gives plain names, other numbers mix odd ones in. */
export function nodeNames(variant: number): () => string {
  let made = 0;
  return () => {
    made += 1;
    if (variant === 0) return `n${made}`;
    const at = made * variant;
    const odd = ODD_IDS[at % ODD_IDS.length] ?? '';
    const first = made <= ODD_IDS.length && variant % 2 === 1 && variant % 5 !== 0;
    return first ? odd : `n${made}`;
  };
}
