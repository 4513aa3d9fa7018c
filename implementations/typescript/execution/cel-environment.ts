import { Environment, evaluate } from '@marcbachmann/cel-js';

/**
 * The functions and operators of expressions, and the limits of their syntax.
 *
 * The library leaves out some of what the execution and the verification chapter take from CEL: comparisons of numbers of
 * different types and with null where both types are known from the text, and conversions from and to times.
 */
export const ENVIRONMENT = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxDepth: 64, maxAstNodes: 2048, maxListElements: 256, maxMapEntries: 256, maxCallArguments: 8 },
});

/** What the library's values of these types can do, as far as it is used here. */
interface Valued {
  valueOf(): bigint | number;
}
interface Seconds {
  readonly seconds: bigint;
}

const TIMESTAMP = 'google.protobuf.Timestamp';
const DURATION = 'google.protobuf.Duration';
const NEVER_NULL = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'type', TIMESTAMP, DURATION];

// JavaScript orders a bigint and a number by value, and finds them equal only where both are of one type.
const sameNumber = (a: Valued, b: Valued): boolean => a.valueOf() <= b.valueOf() && a.valueOf() >= b.valueOf();
for (const pair of ['int == uint', 'int == double', 'uint == double']) ENVIRONMENT.registerOperator(pair, sameNumber);
for (const type of NEVER_NULL) ENVIRONMENT.registerOperator(`null == ${type}`, () => false);

ENVIRONMENT.registerFunction(`string(${TIMESTAMP}): string`, (time: Date) => time.toISOString().replace('.000Z', 'Z'));
ENVIRONMENT.registerFunction(`string(${DURATION}): string`, (duration: object) => String(duration));
ENVIRONMENT.registerFunction('string(type): string', ({ name }: { readonly name: string }) => name);
ENVIRONMENT.registerFunction(`int(${TIMESTAMP}): int`, (time: Date) => BigInt(Math.floor(time.getTime() / 1000)));
ENVIRONMENT.registerFunction(`int(${DURATION}): int`, ({ seconds }: Seconds) => seconds);
ENVIRONMENT.registerFunction(`timestamp(${TIMESTAMP}): ${TIMESTAMP}`, (time: Date) => time);
ENVIRONMENT.registerFunction(`duration(${DURATION}): ${DURATION}`, (duration: object) => duration);
ENVIRONMENT.registerFunction(`duration(int): ${DURATION}`, (seconds: bigint) =>
  evaluate('duration(text)', { text: `${seconds}s` }),
);
