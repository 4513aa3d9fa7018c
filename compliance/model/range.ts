/** A version of SemVer 2 without its build metadata. */
interface Version {
  readonly numbers: readonly [number, number, number];
  /** Identifiers of the pre-release; none for a release. */
  readonly pre: readonly string[];
}

/** A version of which the last parts can be open; `numbers` are those before. */
interface Partial {
  readonly numbers: readonly number[];
  readonly pre: readonly string[];
}

type Bound = readonly ['<' | '<=' | '>' | '>=' | '=', Version];

/** A set of comparators: the comparisons that they mean, and the versions that they are written with. */
interface ComparatorSet {
  readonly bounds: readonly Bound[];
  readonly written: readonly Partial[];
}

const NUMBER = '(?:0|[1-9][0-9]*)';
const IDENTIFIER = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const QUALIFIERS = `(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?`;
const PART = `(${NUMBER}|[xX*])`;
const VERSION = new RegExp(`^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})${QUALIFIERS}$`);
const PARTIAL = new RegExp(`^v?${PART}(?:\\.${PART}(?:\\.${PART}${QUALIFIERS})?)?$`);
const NOTHING: Bound = ['<', version([0, 0, 0], ['0'])];

/** Whether a version satisfies a range, by the table of Ch5, references; never where the range has another form. */
export function satisfiesRange(text: string, range: string): boolean {
  const wanted = readVersion(text);
  const sets = range.split('||').map(set => readSet(set.replace(/^ +| +$/g, '')));
  if (wanted === undefined || sets.includes(undefined)) return false;
  if (sets.some(set => set?.bounds.length === 0)) return wanted.pre.length === 0;
  return sets.some(set => set !== undefined && fitsSet(wanted, set));
}

/** The order of versions: their precedence, and where that leaves two equal their text. */
export function compareVersionTexts(a: string, b: string): number {
  const [left, right] = [readVersion(a), readVersion(b)];
  const order = left === undefined || right === undefined ? 0 : compare(left, right);
  return order || (a < b ? -1 : a > b ? 1 : 0);
}

function fitsSet(wanted: Version, { bounds, written }: ComparatorSet): boolean {
  if (!bounds.every(([sign, bound]) => holds(compare(wanted, bound), sign))) return false;
  if (wanted.pre.length === 0) return true;
  return written.some(({ numbers, pre }) => pre.length > 0 && String(numbers) === String(wanted.numbers));
}

function readSet(text: string): ComparatorSet | undefined {
  const [from, to, ...more] = text.split(/ +- +/);
  if (to !== undefined) {
    const [low, high] = [readPartial(from ?? ''), readPartial(to)];
    if (low === undefined || high === undefined || more.length > 0) return undefined;
    return { bounds: [...meaning('>=', low), ...meaning('<=', high)].filter(excludes), written: [low, high] };
  }
  const bounds: Bound[] = [];
  const written: Partial[] = [];
  for (const [, sign = '', rest = ''] of text.matchAll(/([<>]=?|[=~^])? *([^ ]*)(?: +|$)/g)) {
    if (sign === '' && rest === '') continue;
    const partial = readPartial(rest);
    if (partial === undefined) return undefined;
    written.push(partial);
    bounds.push(...meaning(sign, partial));
  }
  return { bounds: bounds.filter(excludes), written };
}

/** Whether a comparison is another than ≥ 0.0.0, which is left out wherever it comes up. */
function excludes([sign, { numbers, pre }]: Bound): boolean {
  return sign !== '>=' || pre.length > 0 || numbers.some(number => number > 0);
}

/** What a comparator means as comparisons. */
function meaning(sign: string, partial: Partial): readonly Bound[] {
  const { numbers, pre } = partial;
  const [major = 0, minor = 0, patch = 0] = numbers;
  const lowest = version([major, minor, patch], pre);
  const isWhole = numbers.length === 3;
  if (numbers.length === 0) return sign === '<' || sign === '>' ? [NOTHING] : [];
  switch (sign) {
    case '<':
      return [['<', isWhole ? lowest : before(lowest)]];
    case '>=':
      return [['>=', lowest]];
    case '<=':
      return [isWhole ? ['<=', lowest] : ['<', before(after(numbers, numbers.length))]];
    case '>':
      return [isWhole ? ['>', lowest] : ['>=', after(numbers, numbers.length)]];
    case '~':
      return between(lowest, after(numbers, Math.min(2, numbers.length)));
    case '^': {
      const first = numbers.findIndex(number => number > 0);
      return between(lowest, after(numbers, first === -1 ? numbers.length : first + 1));
    }
    default:
      return isWhole ? [['=', lowest]] : between(lowest, after(numbers, numbers.length));
  }
}

function between(low: Version, end: Version): readonly Bound[] {
  return [
    ['>=', low],
    ['<', before(end)],
  ];
}

/** The first version behind all that begin with so many of the numbers. */
function after(numbers: readonly number[], count: number): Version {
  const [a = 0, b = 0, c = 0] = numbers.slice(0, count).map((number, at) => (at === count - 1 ? number + 1 : number));
  return version([a, b, c]);
}

/** The lowest pre-release of a version. */
function before({ numbers }: Version): Version {
  return version(numbers, ['0']);
}

function version(numbers: Version['numbers'], pre: readonly string[] = []): Version {
  return { numbers, pre };
}

function readVersion(text: string): Version | undefined {
  const [whole, a, b, c, pre] = VERSION.exec(text) ?? [];
  const numbers = [Number(a), Number(b), Number(c)] as const;
  if (whole === undefined || numbers.some(number => number > Number.MAX_SAFE_INTEGER)) return undefined;
  return version([...numbers], pre === undefined ? [] : pre.split('.'));
}

function readPartial(text: string): Partial | undefined {
  const [whole, a, b, c, pre] = PARTIAL.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const parts = [a, b, c].filter(part => part !== undefined);
  const open = parts.findIndex(part => /[xX*]/.test(part));
  const numbers = (open === -1 ? parts : parts.slice(0, open)).map(Number);
  const isOpenToEnd = open === -1 || parts.slice(open).every(part => /[xX*]/.test(part));
  if (!isOpenToEnd || (open !== -1 && pre !== undefined)) return undefined;
  if (numbers.some(number => number > Number.MAX_SAFE_INTEGER)) return undefined;
  return { numbers, pre: pre === undefined ? [] : pre.split('.') };
}

function holds(order: number, sign: Bound[0]): boolean {
  if (sign === '=') return order === 0;
  return sign.startsWith('<')
    ? order < 0 || (order === 0 && sign === '<=')
    : order > 0 || (order === 0 && sign === '>=');
}

/** The precedence of SemVer 2. */
function compare(a: Version, b: Version): number {
  for (const at of [0, 1, 2] as const) if (a.numbers[at] !== b.numbers[at]) return a.numbers[at] - b.numbers[at];
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let at = 0; at < Math.max(a.pre.length, b.pre.length); at += 1) {
    const [left, right] = [a.pre[at], b.pre[at]];
    if (left === right) continue;
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    const [isNumber, other] = [/^[0-9]+$/.test(left), /^[0-9]+$/.test(right)];
    if (isNumber && other) return Number(left) - Number(right);
    if (isNumber !== other) return isNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}
