import { grown, int32s } from '../workflow/number-arrays.js';
import type { OutcomeSets } from './outcome-sets.js';
import { PathTree } from './values/path-tree.js';

/** Where demands contradict each other: the choice, and places of two of the lists given; the first may be -1. */
export interface Contradiction {
  readonly choice: number;
  readonly first: number;
  readonly second: number;
}

/** How many vertices there is room for before the first is added. */
const FIRST_ROOM = 512;

/**
 * Lists of what must have happened, each a set of outcomes for some choices. A list is the end of a chain that
 * shares its beginning with others, so that adding to it takes constant time and two are compared where they part.
 *
 * Steps and room are bounded in proportion to the graph; what is beyond that is forgotten, which only loses demands. Room is
 * taken as it is needed, since most graphs need little of what they may take.
 */
export class DemandChains {
  readonly none = 0;
  readonly #tree = new PathTree(FIRST_ROOM, 0);
  readonly #room: number;
  /** Of each vertex its choice and the outcomes that it leaves; the root, which is 0, has none. */
  #choice = int32s(FIRST_ROOM).fill(-1, 0, 1);
  #outcomes = int32s(FIRST_ROOM);
  /**
   * Of each vertex that is the first about its choice below another one, the one before that is so too, and of each choice the
   * last: a choice with many outcomes has many vertices below one.
   */
  #older = int32s(FIRST_ROOM);
  readonly #newest: Int32Array;
  /** Where a choice has several of these, what they are below. */
  readonly #below = new Set<number>();
  readonly #sets: OutcomeSets;
  /** All outcomes of each choice; a set with all of them demands nothing. */
  readonly #every: Int32Array;
  #used = 0;
  #steps: number;

  constructor(sets: OutcomeSets, every: Int32Array, room: number, steps: number) {
    this.#sets = sets;
    this.#every = every;
    this.#room = room;
    this.#steps = steps;
    this.#newest = int32s(every.length).fill(-1);
  }

  /** The list with a narrower demand of one choice. */
  add(list: number, choice: number, outcomes: number): number {
    const newest = this.#newest[choice] as number;
    const isBeside = newest !== -1 && this.#tree.parent(newest) === list;
    if (isBeside && this.#outcomes[newest] === outcomes) return newest;
    if (this.#used === this.#room) return list;
    const vertex = ++this.#used;
    if (vertex === this.#choice.length) this.#grow(2 * vertex);
    this.#tree.add(vertex, list);
    this.#choice[vertex] = choice;
    this.#outcomes[vertex] = outcomes;
    if (isBeside || (newest !== -1 && this.#isKnownBelow(list, choice, newest))) return vertex;
    this.#older[vertex] = newest;
    this.#newest[choice] = vertex;
    return vertex;
  }

  #grow(size: number): void {
    this.#choice = grown(this.#choice, size);
    this.#outcomes = grown(this.#outcomes, size);
    this.#older = grown(this.#older, size);
  }

  /** Whether something about a choice was added to a list before; from now on it was. */
  #isKnownBelow(list: number, choice: number, newest: number): boolean {
    const keyOf = (above: number): number => above * this.#every.length + choice;
    if (this.#older[newest] === -1) this.#below.add(keyOf(this.#tree.parent(newest)));
    const key = keyOf(list);
    if (this.#below.has(key)) return true;
    this.#below.add(key);
    return false;
  }

  /** What is demanded where all of several hold, or the first choice of which they leave no outcome. */
  unite(lists: readonly number[]): number | Contradiction {
    let united = lists[0] ?? this.none;
    for (let second = 1; second < lists.length; second++) {
      const list = lists[second] as number;
      const end = this.#tree.meet(united, list);
      if (end === united) united = list;
      if (end === list || united === list) continue;
      for (const vertex of this.#between(list, end)) {
        const choice = this.#choice[vertex] as number;
        const outcomes = this.#outcomes[vertex] as number;
        const known = this.#outcomesOf(united, choice);
        const left = this.#sets.intersection(known, outcomes);
        if (left === 0)
          return { choice, first: lists.findIndex(other => this.#conflicts(other, choice, outcomes)), second };
        if (left !== known) united = this.add(united, choice, left);
      }
    }
    return united;
  }

  /** What is demanded where at least one of several holds. */
  common(lists: readonly number[]): number {
    let end = lists[0] ?? this.none;
    let shortest = end;
    for (let at = 1; at < lists.length; at++) {
      const list = lists[at] as number;
      if (list === end) continue;
      end = this.#tree.meet(end, list);
      if (this.#tree.depth(list) < this.#tree.depth(shortest)) shortest = list;
    }
    let shared = end;
    for (const vertex of this.#between(shortest, end)) {
      const choice = this.#choice[vertex] as number;
      const union = this.#unionOf(lists, choice);
      if (union === -1 || this.#sets.isAllOf(union, this.#every[choice] as number)) continue;
      if (!this.#sets.isAllOf(union, this.#outcomesOf(shared, choice))) shared = this.add(shared, choice, union);
    }
    return shared;
  }

  /** Whether two lists demand disjoint outcomes of one choice. */
  areDisjoint(one: number, other: number): boolean {
    for (const vertex of this.#between(one, this.#tree.meet(one, other))) {
      if (this.#conflicts(other, this.#choice[vertex] as number, this.#outcomes[vertex] as number)) return true;
    }
    return false;
  }

  /**
   * Whether no two of several lists go together, since wherever some part they demand disjoint outcomes of one choice. This
   * takes one step for each vertex and not for each pair, and may miss lists that do not go together for other reasons.
   */
  partDisjointly(lists: readonly number[]): boolean {
    const end = lists.reduce((above, list) => this.#tree.meet(above, list), lists[0] ?? this.none);
    /** Of the vertices between: the outcomes that are demanded right below, and the choice that these are about. */
    const demanded = new Map<number, number>();
    const choices = new Map<number, number>();
    for (const list of lists) {
      if (demanded.has(list)) return false;
      demanded.set(list, -1);
      for (let at = list; at !== end; ) {
        if (--this.#steps < 0) return false;
        const outcomes = this.#outcomes[at] as number;
        const choice = this.#choice[at] as number;
        const above = this.#tree.parent(at);
        const others = demanded.get(above) ?? 0;
        if (others === 0) choices.set(above, choice);
        if (!this.#sets.areDisjoint(others, outcomes) || choices.get(above) !== choice) return false;
        demanded.set(above, this.#sets.union(others, outcomes));
        at = others === 0 ? above : end;
      }
    }
    return true;
  }

  #conflicts(list: number, choice: number, outcomes: number): boolean {
    return this.#sets.areDisjoint(this.#outcomesOf(list, choice), outcomes);
  }

  #unionOf(lists: readonly number[], choice: number): number {
    let bits = 0;
    const sets: number[] = [];
    for (const list of lists) {
      const outcomes = this.#outcomesOf(list, choice);
      if (outcomes === -1) return -1;
      if (outcomes < 0) sets.push(outcomes);
      else bits |= outcomes;
    }
    return sets.length === 0 ? bits : this.#sets.unionOf(sets);
  }

  /**
   * The outcomes that a list demands of a choice; -1 where it demands nothing. Looked for along the list and among what there
   * is of the choice at once, since either may be long.
   */
  #outcomesOf(list: number, choice: number): number {
    let at = list;
    for (let vertex = this.#newest[choice] as number; vertex !== -1; vertex = this.#older[vertex] as number) {
      if (at === this.none) return -1;
      if (this.#choice[at] === choice) return this.#outcomes[at] as number;
      at = this.#tree.parent(at);
      this.#steps--;
      const below = this.#tree.below(this.#tree.parent(vertex), list);
      if (below !== -1 && this.#choice[below] === choice) return this.#outcomes[below] as number;
    }
    return -1;
  }

  /** The vertices of a list below one of its own, from there on. */
  #between(list: number, end: number): number[] {
    if (this.#steps < 0) return [];
    let place = this.#tree.depth(list) - this.#tree.depth(end);
    this.#steps -= place;
    const vertices = new Array<number>(place);
    for (let at = list; at !== end; at = this.#tree.parent(at)) vertices[--place] = at;
    return vertices;
  }
}
