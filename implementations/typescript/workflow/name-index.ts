import { int32s } from './number-arrays.js';

/** How many slots are looked at for each name on average before names are taken for chosen to collide. */
const MOST_PROBES = 16;

/**
 * Finds the place of a name in a list by its characters, also of a name that is a part of a longer text; of several
 * places with one name the first.
 *
 * An open hash table of numbers: it takes a third of the time and the memory of a `Map`, and builds no string for a part of
 * a text. Where many names fall on the same slots, as names made for that would, a `Map` takes over, so that time stays linear.
 */
export class NameIndex {
  readonly #nameAt: (place: number) => string;
  readonly #hashes: Int32Array;
  /** Places plus one; 0 is free. */
  readonly #slots: Int32Array;
  #map: Map<string, number> | undefined;
  #size = 0;

  constructor(count: number, nameAt: (place: number) => string) {
    this.#nameAt = nameAt;
    this.#hashes = int32s(count);
    this.#slots = int32s(2 ** Math.ceil(Math.log2(2 * count + 2)));
    this.#fill(count);
  }

  /** How many different names there are. */
  get size(): number {
    return this.#map?.size ?? this.#size;
  }

  /** Returns the place of a name, or of a part of a text that is one; -1 where there is none. */
  find(text: string, start = 0, end = text.length): number {
    if (this.#map !== undefined) return this.#map.get(text.slice(start, end)) ?? -1;
    const hash = hashOf(text, start, end);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = (this.#slots[slot] as number) - 1;
      if (place === -1) return -1;
      if (this.#hashes[place] !== hash) continue;
      const name = this.#nameAt(place);
      if (name.length === end - start && text.startsWith(name, start)) return place;
    }
  }

  #fill(count: number): void {
    const mask = this.#slots.length - 1;
    let probes = MOST_PROBES * (count + MOST_PROBES);
    for (let place = 0; place < count; place++) {
      const name = this.#nameAt(place);
      const hash = hashOf(name, 0, name.length);
      let slot = hash & mask;
      let other = (this.#slots[slot] as number) - 1;
      while (other !== -1 && (this.#hashes[other] !== hash || this.#nameAt(other) !== name)) {
        if (--probes < 0) {
          this.#useMap(count);
          return;
        }
        slot = (slot + 1) & mask;
        other = (this.#slots[slot] as number) - 1;
      }
      if (other !== -1) continue;
      this.#slots[slot] = place + 1;
      this.#hashes[place] = hash;
      this.#size++;
    }
  }

  #useMap(count: number): void {
    this.#map = new Map();
    for (let place = count - 1; place >= 0; place--) this.#map.set(this.#nameAt(place), place);
  }
}

/** FNV-1a over UTF-16 code units, with the higher bits mixed into the lower ones. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}
