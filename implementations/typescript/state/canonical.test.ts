import canonicalizeOracle from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArsError } from '../error.js';
import { canonicalize, digest, digestText } from './canonical.js';

function refusal(value: unknown): { code: string; pointer: unknown } {
  try {
    canonicalize(value);
  } catch (error) {
    if (error instanceof ArsError) {
      return { code: error.code, pointer: error.details.pointer };
    }
    throw error;
  }
  throw new Error('was accepted');
}

function double(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE(0);
}

const unsafe = (n: unknown) =>
  typeof n === 'number' && Number.isInteger(n) && !Number.isSafeInteger(n) && Math.abs(n) < 1e21;

describe('canonicalize', () => {
  it('prints the numbers of RFC 8785, appendix B', () => {
    const table: [string, string][] = [
      ['0000000000000000', '0'],
      ['8000000000000000', '0'],
      ['0000000000000001', '5e-324'],
      ['8000000000000001', '-5e-324'],
      ['7fefffffffffffff', '1.7976931348623157e+308'],
      ['ffefffffffffffff', '-1.7976931348623157e+308'],
      ['44b52d02c7e14af5', '9.999999999999997e+22'],
      ['44b52d02c7e14af6', '1e+23'],
      ['44b52d02c7e14af7', '1.0000000000000001e+23'],
      ['444b1ae4d6e2ef50', '1e+21'],
      ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
      ['3eb0c6f7a0b5ed8d', '0.000001'],
      ['41b3de4355555553', '333333333.3333332'],
      ['41b3de4355555554', '333333333.33333325'],
      ['41b3de4355555555', '333333333.3333333'],
      ['41b3de4355555556', '333333333.3333334'],
      ['41b3de4355555557', '333333333.33333343'],
      ['becbf647612f3696', '-0.0000033333333333333333'],
      ['43143ff3c1cb0959', '1424953923781206.2'],
    ];
    expect(table.map(([hex]) => [hex, canonicalize(double(hex))])).toEqual(table);
  });

  it('refuses the numbers of the same table that are no JSON numbers, and those that print as inexact integers', () => {
    const table = [
      '7fffffffffffffff',
      '7ff0000000000000',
      '4340000000000000',
      'c340000000000000',
      '4430000000000000',
      '444b1ae4d6e2ef4e',
      '444b1ae4d6e2ef4f',
    ];
    for (const hex of table) {
      expect(refusal([double(hex)])).toEqual({ code: 'not_canonical', pointer: '/0' });
    }
    expect(canonicalize([2 ** 53 - 1, 1 - 2 ** 53])).toBe('[9007199254740991,-9007199254740991]');
  });

  it('orders keys by UTF-16 code units, also beyond the BMP (RFC 8785, 3.2.3)', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\u{1f600}': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      ö: 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonicalize(Object.entries(JSON.parse(canonicalize(value))))))).toEqual([
      ['1', 'One'],
      ['\r', 'Carriage Return'],
      ['\u0080', 'Control'],
      ['ö', 'Latin Small Letter O With Diaeresis'],
      ['\u20ac', 'Euro Sign'],
      ['\u{1f600}', 'Emoji: Grinning Face'],
      ['\ufb33', 'Hebrew Letter Dalet With Dagesh'],
    ]);
  });

  it('prints the example of RFC 8785, 3.2.2', () => {
    const value = {
      // biome-ignore lint/correctness/noPrecisionLoss: the RFC's own number
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalize(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('agrees with another implementation on every JSON value, and its form is a fixed point', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), value => {
        const form = canonicalizeOracle(value);
        fc.pre(!JSON.stringify(value).match(/[0-9]{16}/));
        expect(canonicalize(value)).toBe(form);
        expect(canonicalize(JSON.parse(canonicalize(value)))).toBe(form);
      }),
      { numRuns: 1000 },
    );
  });

  it('agrees with another implementation on every double and string', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ unit: 'binary' })),
        value => {
          if (unsafe(value)) {
            expect(refusal(value).code).toBe('not_canonical');
          } else {
            expect(canonicalize(value)).toBe(canonicalizeOracle(value));
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('does not depend on the order in which keys were set', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.integer()), object => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(digest(reversed)).toBe(digest(object));
      }),
    );
  });

  it('says what to give in place of an object that JSON has nothing for, whatever its class is called', () => {
    class Point {}
    const odd = Object.assign(new Point(), { constructor: { name: Object.create(null) } });
    const messageOf = (value: unknown): string => {
      try {
        return canonicalize({ when: value });
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect([new Date(0), new Map(), new URL('http://a/'), Buffer.of(1), new Point(), odd].map(messageOf)).toEqual([
      'an object of class Date is not a JSON value; give its toISOString() (at "/when")',
      'an object of class Map is not a JSON value; give Object.fromEntries() of it (at "/when")',
      'an object of class URL is not a JSON value; give its href (at "/when")',
      `an object of class Buffer is not a JSON value; give its toString('base64') (at "/when")`,
      'an object of class Point is not a JSON value (at "/when")',
      'an object of class unknown is not a JSON value (at "/when")',
    ]);
  });

  it('names the place of what it refuses', () => {
    class Point {}
    const hole: unknown[] = [1];
    hole[2] = 3;
    const cases: [unknown, string][] = [
      [undefined, ''],
      [{ a: [1, { 'b/~c': Number.NaN }] }, '/a/1/b~1~0c'],
      [{ a: Number.NEGATIVE_INFINITY }, '/a'],
      [{ a: undefined }, '/a'],
      [[() => 1], '/0'],
      [[Symbol('x')], '/0'],
      [[10n], '/0'],
      [{ when: new Date(0) }, '/when'],
      [[new Map()], '/0'],
      [[new Point()], '/0'],
      [[new Uint8Array(2)], '/0'],
      [[Object(1)], '/0'],
      [hole, '/1'],
      [{ a: 'x\ud800' }, '/a'],
      [{ a: '\udc00x' }, '/a'],
      [{ a: { '\ud83d': 1 } }, '/a'],
      [{ toJSON: () => 1 }, '/toJSON'],
      [new Date(0), ''],
    ];
    expect(cases.map(([value]) => refusal(value))).toEqual(
      cases.map(([, pointer]) => ({ code: 'not_canonical', pointer })),
    );
  });

  it('refuses cycles and accepts a value that occurs twice', () => {
    const loop: Record<string, unknown> = {};
    loop.self = [loop];
    expect(refusal(loop).code).toBe('not_canonical');
    const shared = { x: 1 };
    expect(canonicalize([shared, shared])).toBe('[{"x":1},{"x":1}]');
  });

  it('writes own keys only, __proto__ among them', () => {
    const text = '{"__proto__":{"a":1},"constructor":2}';
    expect(canonicalize(JSON.parse(text))).toBe(text);
    const bare: Record<string, unknown> = Object.create(null);
    bare.k = 1;
    expect(canonicalize(bare)).toBe('{"k":1}');
    expect(canonicalize({ [Symbol('s')]: 1, a: 1 })).toBe('{"a":1}');
  });

  it('agrees with another implementation on long values, of which the digest is that of the whole text', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 30 });
    const repeated = fc.tuple(texts, fc.integer({ min: 1, max: 4000 }), fc.string({ maxLength: 40_000 }));
    fc.assert(
      fc.property(repeated, ([parts, times, long]) => {
        const value = Array.from({ length: times }, () => ({ parts, '\u{1f600}': long.slice(0, times), n: times }));
        const text = canonicalizeOracle(value) as string;
        expect(canonicalize(value) === text).toBe(true);
        expect(digest(value)).toBe(digestText(text));
      }),
      { numRuns: 20 },
    );
  });

  it('refuses what is wrong behind a long text with its place', () => {
    const value = [...Array.from({ length: 50_000 }, (_, at) => ({ at })), { at: Number.NaN }];
    for (const write of [canonicalize, digest])
      expect(() => write(value)).toThrow(
        expect.objectContaining({ code: 'not_canonical', details: { pointer: '/50000/at' } }),
      );
  });

  it('writes values 100,000 deep, and shared ones there too, in linear time', () => {
    const deep = (levels: readonly string[]) => `${levels.join('')}[{},{}]${'}]'.repeat(levels.length)}`;
    const others = Array.from({ length: 3000 }, (_, level) => `[true,{"é${level}":`);
    const text = deep([...Array<string>(50_000).fill('[{"a":'), ...others]);
    const value: unknown = JSON.parse(text);
    expect(canonicalize(value) === text).toBe(true);
  });
});

describe('digest', () => {
  it('is SHA-256 over the UTF-8 bytes of the form', () => {
    expect(digestText('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(digest({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
    expect(digest('€')).toBe(digestText('"€"'));
  });
});
