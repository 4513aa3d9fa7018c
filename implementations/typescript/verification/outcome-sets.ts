import { grown, int32s } from '../workflow/number-arrays.js';

/** How many outcomes are bits of one number. */
const WORD = 30;
/** The set that excludes no outcome: nothing is demanded. */
const ANY = -1;

/**
 * Sets of the outcomes of a choice, each a number, however many outcomes there are.
 *
 * Those of a choice with few outcomes are bits. Others are negative and name a vertex of a Patricia tree over words of such
 * bits (Okasaki and Gill 1998), which shares with other sets what it has in common with them. 0 is empty, -1 excludes nothing.
 * All sets of one choice are of one kind. An intersection that equals its first operand is that number.
 *
 * Room and steps are bounded, for sets of many outcomes only; what is beyond that is forgotten, which makes sets greater.
 */
export class OutcomeSets {
  /** Of a leaf the place of its word; of a branch the bits that all places below share, and the bit in which they differ. */
  #key = int32s(0);
  /** Of a leaf its word. */
  #left = int32s(0);
  /** Of a leaf 0. */
  #right = int32s(0);
  /** How many outcomes there are below. */
  #size = int32s(0);
  #used = 0;
  readonly #room: number;
  #steps: number;

  constructor(room: number, steps: number) {
    this.#room = room;
    this.#steps = steps;
  }

  /** The set of all of so many outcomes. */
  all(count: number): number {
    if (count <= WORD) return (1 << count) - 1;
    const words: number[] = [];
    for (let from = 0; from < count; from += WORD)
      words.push(this.#add(words.length, 2 ** Math.min(WORD, count - from) - 1, 0));
    return this.unionOf(words);
  }

  /** The set of one outcome of so many. */
  only(place: number, count: number): number {
    return count <= WORD ? 1 << place : this.#add(Math.floor(place / WORD), 1 << (place % WORD), 0);
  }

  union(one: number, other: number): number {
    if (one >= 0 && other >= 0) return one | other;
    if (one === ANY || other === ANY) return ANY;
    if (one === 0 || other === 0) return one === 0 ? other : one;
    const union = this.#merge(one, other);
    return this.#isSpent ? ANY : union;
  }

  /** The union of several, neighbours first, so that few sets on the way are kept. */
  unionOf(sets: readonly number[]): number {
    let level = sets;
    while (level.length > 1) {
      const next: number[] = [];
      for (let at = 0; at < level.length; at += 2)
        next.push(
          at + 1 < level.length ? this.union(level[at] as number, level[at + 1] as number) : (level[at] as number),
        );
      level = next;
    }
    return level[0] ?? 0;
  }

  intersection(one: number, other: number): number {
    if (one >= 0 && other >= 0) return one & other;
    if (one === ANY || other === ANY) return one === ANY ? other : one;
    if (one === 0 || other === 0) return 0;
    const intersection = this.#cut(one, other);
    return this.#isSpent ? one : intersection;
  }

  areDisjoint(one: number, other: number): boolean {
    if (one >= 0 && other >= 0) return (one & other) === 0;
    if (one === ANY || other === ANY) return one === 0 || other === 0;
    return one === 0 || other === 0 || this.#areApart(one, other);
  }

  /** Whether a set that is a part of another is all of it. */
  isAllOf(part: number, whole: number): boolean {
    return part === whole || (part < ANY && whole < ANY && this.#sizeOf(part) === this.#sizeOf(whole));
  }

  get #isSpent(): boolean {
    return this.#steps < 0 || this.#used >= this.#room;
  }

  #merge(one: number, other: number): number {
    if (one === other || this.#isSpent) return one;
    this.#steps--;
    const [bit, another] = [this.#bitOf(one), this.#bitOf(other)];
    const [place, elsewhere] = [this.#prefixOf(one), this.#prefixOf(other)];
    if (bit === another && place === elsewhere) {
      const [left, right] = [this.#leftOf(one), this.#rightOf(one)];
      const [leftToo, rightToo] = [this.#leftOf(other), this.#rightOf(other)];
      return bit === 0
        ? this.#oneOf(one, other, left | leftToo, 0)
        : this.#oneOf(one, other, this.#merge(left, leftToo), this.#merge(right, rightToo));
    }
    if (bit > another && isWithin(elsewhere, place, bit)) return this.#mergeBelow(one, other, (elsewhere & bit) === 0);
    if (another > bit && isWithin(place, elsewhere, another))
      return this.#mergeBelow(other, one, (place & another) === 0);
    const fork = 1 << (31 - Math.clz32(place ^ elsewhere));
    const key = (place & (-2 * fork)) | fork;
    return (place & fork) === 0 ? this.#add(key, one, other) : this.#add(key, other, one);
  }

  #mergeBelow(upper: number, lower: number, isLeft: boolean): number {
    const [left, right] = [this.#leftOf(upper), this.#rightOf(upper)];
    return isLeft
      ? this.#oneOf(upper, upper, this.#merge(left, lower), right)
      : this.#oneOf(upper, upper, left, this.#merge(right, lower));
  }

  #cut(one: number, other: number): number {
    if (one === other || this.#isSpent) return one;
    this.#steps--;
    const [bit, another] = [this.#bitOf(one), this.#bitOf(other)];
    const [place, elsewhere] = [this.#prefixOf(one), this.#prefixOf(other)];
    if (bit > another) return isWithin(elsewhere, place, bit) ? this.#cut(this.#below(one, elsewhere), other) : 0;
    if (another > bit) return isWithin(place, elsewhere, another) ? this.#cut(one, this.#below(other, place)) : 0;
    if (place !== elsewhere) return 0;
    if (bit === 0) {
      const word = this.#leftOf(one) & this.#leftOf(other);
      return word === 0 ? 0 : this.#oneOf(one, other, word, 0);
    }
    const left = this.#cut(this.#leftOf(one), this.#leftOf(other));
    const right = this.#cut(this.#rightOf(one), this.#rightOf(other));
    return left === 0 || right === 0 ? left + right : this.#oneOf(one, other, left, right);
  }

  #areApart(one: number, other: number): boolean {
    if (one === other || --this.#steps < 0) return false;
    const [bit, another] = [this.#bitOf(one), this.#bitOf(other)];
    const [place, elsewhere] = [this.#prefixOf(one), this.#prefixOf(other)];
    if (bit > another) return !isWithin(elsewhere, place, bit) || this.#areApart(this.#below(one, elsewhere), other);
    if (another > bit) return !isWithin(place, elsewhere, another) || this.#areApart(one, this.#below(other, place));
    if (place !== elsewhere) return true;
    if (bit === 0) return (this.#leftOf(one) & this.#leftOf(other)) === 0;
    return (
      this.#areApart(this.#leftOf(one), this.#leftOf(other)) && this.#areApart(this.#rightOf(one), this.#rightOf(other))
    );
  }

  /** The side of a branch on which a place is. */
  #below(branch: number, place: number): number {
    return (place & this.#bitOf(branch)) === 0 ? this.#leftOf(branch) : this.#rightOf(branch);
  }

  /** The one of two vertices with the same key that has these parts, or a new one. */
  #oneOf(one: number, other: number, left: number, right: number): number {
    if (this.#leftOf(one) === left && this.#rightOf(one) === right) return one;
    if (this.#leftOf(other) === left && this.#rightOf(other) === right) return other;
    return this.#add(this.#key[-2 - one] as number, left, right);
  }

  #add(key: number, left: number, right: number): number {
    if (this.#used === this.#key.length) {
      const size = Math.max(256, 2 * this.#used);
      this.#key = grown(this.#key, size);
      this.#left = grown(this.#left, size);
      this.#right = grown(this.#right, size);
      this.#size = grown(this.#size, size);
    }
    this.#key[this.#used] = key;
    this.#left[this.#used] = left;
    this.#right[this.#used] = right;
    this.#size[this.#used] = right === 0 ? countBits(left) : this.#sizeOf(left) + this.#sizeOf(right);
    return -2 - this.#used++;
  }

  #leftOf(set: number): number {
    return this.#left[-2 - set] as number;
  }

  #rightOf(set: number): number {
    return this.#right[-2 - set] as number;
  }

  #sizeOf(set: number): number {
    return this.#size[-2 - set] as number;
  }

  /** The bit in which the places below a branch differ first; 0 of a leaf. */
  #bitOf(set: number): number {
    const key = this.#key[-2 - set] as number;
    return this.#right[-2 - set] === 0 ? 0 : key & -key;
  }

  #prefixOf(set: number): number {
    const key = this.#key[-2 - set] as number;
    return this.#right[-2 - set] === 0 ? key : key & (key - 1);
  }
}

/** Whether a place has the prefix of a branch. */
function isWithin(place: number, prefix: number, bit: number): boolean {
  return (place & (-2 * bit)) === prefix;
}

function countBits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}
