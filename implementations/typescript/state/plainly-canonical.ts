/** A number of so many characters or fewer, sign and point included, is told from every other one by its digits. */
const TELLING = 16;
/** From here on a whole number has more than that. */
const TOO_LONG = 1e15;

/**
 * Whether it is easily seen that a JSON text is the canonical form of its value; false says nothing.
 *
 * Where nothing is escaped and no number has another spelling that is as short, no text of the value is shorter than its
 * canonical form. A text of that length, with members in order, is it then: there is no room for white space, for a member
 * that is written twice, or for another spelling.
 */
export function isPlainlyCanonical(text: string, value: unknown): boolean {
  if (text.includes('\\') || !isWellFormed(text)) return false;
  let length = 0;
  const open: object[] = [];
  for (let next: unknown = value; ; ) {
    if (typeof next !== 'object' || next === null) {
      const own = lengthOf(next);
      if (own < 0) return false;
      length += own;
    } else if (Array.isArray(next)) {
      length += 1 + Math.max(next.length, 1);
      for (let at = 0; at < next.length; at++) {
        const item: unknown = next[at];
        if (typeof item === 'object' && item !== null) open.push(item);
        else {
          const own = lengthOf(item);
          if (own < 0) return false;
          length += own;
        }
      }
    } else {
      const own = membersOf(next, open);
      if (own < 0) return false;
      length += own;
    }
    if (length > text.length) return false;
    next = open.pop();
    if (next === undefined) return length === text.length;
  }
}

function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** The length of an object but for the containers in it, which are put with those to be looked at; -1 where nothing is said. */
function membersOf(object: object, open: object[]): number {
  const keys = Object.keys(object);
  const members = Object.values(object);
  let length = 1 + Math.max(keys.length, 1);
  let before: string | undefined;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string;
    if ((before !== undefined && before >= key) || isIndex(key)) return -1;
    before = key;
    length += key.length + 3;
    const member: unknown = members[at];
    if (typeof member === 'string') length += member.length + 2;
    else if (typeof member === 'object' && member !== null) open.push(member);
    else {
      const own = lengthOf(member);
      if (own < 0) return -1;
      length += own;
    }
  }
  return length;
}

/** Whether an object may have the key elsewhere than its text: members that are whole numbers come first. */
function isIndex(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
}

/** The length of a scalar, -1 where nothing is said of it. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (value === true || value === null) return 4;
  if (value === false) return 5;
  return typeof value === 'number' ? lengthOfNumber(value) : -1;
}

/** The length of a number of which no other spelling is as short: none of 100, which is 1e2, or 0.01, which is 1e-2. */
function lengthOfNumber(value: number): number {
  const size = Math.abs(value);
  if (size >= TOO_LONG) return -1;
  if (Number.isInteger(value) ? value % 100 === 0 && !Object.is(value, 0) : size < 0.1) return -1;
  const { length } = String(value);
  return length <= TELLING ? length : -1;
}
