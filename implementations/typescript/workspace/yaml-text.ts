import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml';
import { DOCUMENT_DEPTH, excerpt, type TextDefect, TreeBuilder } from './source-tree.js';
import { yamlDefect } from './yaml-defect.js';
import { plainValue, SCALAR_TAGS } from './yaml-scalar.js';
import { DOUBLE_BRACES } from './yaml-slip.js';

/** How long a YAML text may be, in code units; reading one takes a hundred times its length in memory. */
export const YAML_LENGTH = 2 ** 24;

/** How many values aliases may stand for in one document, all in all. */
export const ALIAS_EXPANSION = 100_000;

type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;
type CollectionEvent = Extract<Event, { type: typeof EVENT_ID.SEQUENCE | typeof EVENT_ID.MAPPING }>;
interface Anchored {
  readonly value: unknown;
  /** How many values it stands for; 0 while it is still open. */
  size: number;
}

const COLLECTION_TAGS = new Map<string, number>([
  ['!!seq', EVENT_ID.SEQUENCE],
  ['!!map', EVENT_ID.MAPPING],
]);
/**
 * Reads a YAML 1.2 text in the core schema into trees with places, one for each document.
 *
 * A text that is not YAML gives one tree with one defect. Refused are also repeated keys, custom tags, merge keys, keys
 * that are no scalars, aliases that stand for more than {@link ALIAS_EXPANSION} values or for what contains them,
 * numbers that a double cannot hold, more than {@link DOCUMENT_DEPTH} nested containers, and more than {@link YAML_LENGTH}
 * characters.
 */
export function readYaml(text: string): TreeBuilder[] {
  if (text.length > YAML_LENGTH) {
    const message = `A YAML text of ${text.length} characters is too large; ${YAML_LENGTH} are the most`;
    return [defective({ message, help: 'Write it as JSON.', start: 0, end: 1 })];
  }
  let events: Event[];
  try {
    events = parseEvents(text, { maxDepth: DOCUMENT_DEPTH });
  } catch (error) {
    return [defective(yamlDefect(error, text))];
  }
  const checkSurrogates = /\\[uU]|\p{Surrogate}/u.test(text);
  const trees: TreeBuilder[] = [];
  let place = 0;
  for (let at = 0; at < events.length; ) {
    const reader = new YamlReader(text, events, checkSurrogates, place);
    at = reader.read(at);
    place = reader.place;
    trees.push(reader.tree);
  }
  return trees;
}

function defective(defect: TextDefect): TreeBuilder {
  const tree = new TreeBuilder(false);
  tree.defects.push(defect);
  return tree;
}

class YamlReader {
  readonly tree: TreeBuilder;
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Anchored>();
  /** Per open container: whether a key comes next (undefined in a sequence), and whose anchor it is. */
  readonly #open: {
    keyNext: boolean | undefined;
    anchored: Anchored | undefined;
    end: number;
    expandedBefore: number;
    /** Whether it stands in the place of a key. */
    isKey: boolean;
  }[] = [];
  #expanded = 0;
  /** Where the last thing read ended; empty values stand there. */
  #last: number;

  constructor(text: string, events: readonly Event[], checkSurrogates: boolean, place: number) {
    this.#last = place;
    this.#text = text;
    this.#events = events;
    this.tree = new TreeBuilder(checkSurrogates);
  }

  /** Where the last thing read ended. */
  get place(): number {
    return this.#last;
  }

  /** Reads one document; returns the index of the event after it. */
  read(first: number): number {
    let at = first;
    let depth = 0;
    for (; at < this.#events.length; at++) {
      const event = this.#events[at] as Event;
      if (event.type === EVENT_ID.POP) {
        if (--depth === 0) return at + 1;
        this.#close();
        continue;
      }
      if (event.type === EVENT_ID.DOCUMENT) {
        depth++;
        for (const directive of event.directives) this.#directive(directive);
        if (event.explicitStart) this.#last = this.#lineWith('---') + 3;
      } else if (event.type === EVENT_ID.ALIAS) this.#alias(event.anchorStart, event.anchorEnd);
      else if (event.type === EVENT_ID.SCALAR) this.#scalar(event);
      else {
        depth++;
        this.#collection(event);
      }
    }
    return at;
  }

  #directive(directive: { kind: string; version?: string }): void {
    const start = this.#lineWith('%');
    this.#last = start + 1;
    if (directive.kind === 'yaml' && directive.version === '1.2') return;
    this.tree.defect('Only the directive %YAML 1.2 is known', 'Remove the directive.', start, start + 1);
  }

  /** Where the next line begins that starts in this way; it is there. */
  #lineWith(beginning: string): number {
    for (let at = this.#last; ; at++) {
      at = this.#text.indexOf(beginning, at);
      if (at <= 0) return Math.max(0, at);
      if (/[\r\n\ufeff]/.test(this.#text.charAt(at - 1))) return at;
    }
  }

  /** Whether the value to come is the key of a member. */
  #atKey(): boolean {
    return this.#open.at(-1)?.keyNext === true;
  }

  #advance(): void {
    const open = this.#open.at(-1);
    if (open?.keyNext !== undefined) open.keyNext = !open.keyNext;
  }

  /** A list or an object stands where a key is wanted; what is written as {{ x }} is meant to be a reference. */
  #collectionKey(start: number): void {
    const isBraces = start > 0 && this.#text.startsWith('{{', start - 1);
    if (!isBraces) this.tree.defect('A key is a list or an object', 'Keys are strings.', start, start + 1);
    else if (this.#open.at(-1)?.isKey !== true) this.tree.defect(...DOUBLE_BRACES, start - 1, start + 1);
    this.#namelessKey(start);
  }

  /** Takes what is no string for a key that no other one repeats. */
  #namelessKey(start: number): void {
    this.tree.key(`\0${this.tree.size}`, start, start + 1);
    this.#advance();
  }

  #collection(event: CollectionEvent): void {
    const { start } = event;
    const tag = this.#tagOf(event);
    const isKey = this.#atKey();
    if (isKey) this.#collectionKey(start);
    if (tag !== '' && tag !== '!' && COLLECTION_TAGS.get(tag) !== event.type) this.#unknownTag(tag, event);
    const sequence = event.type === EVENT_ID.SEQUENCE;
    const value = this.tree.open(sequence ? 'array' : 'object', start);
    this.#advance();
    const anchored = this.#anchor(event, value, 0);
    const closer = event.style === COLLECTION_STYLE.FLOW ? 1 : 0;
    const expandedBefore = this.#expanded;
    this.#open.push({ keyNext: sequence ? undefined : true, anchored, end: closer, expandedBefore, isKey });
    this.#last = start + closer;
  }

  #close(): void {
    const open = this.#open.pop();
    if (open === undefined) return;
    if (open.end === 1) {
      const closing = /[\]}]/g;
      closing.lastIndex = this.#last;
      const found = closing.exec(this.#text);
      if (found !== null) this.#last = found.index + 1;
    }
    const size = this.tree.close(this.#last);
    if (open.anchored !== undefined) open.anchored.size = size + this.#expanded - open.expandedBefore;
    if (open.isKey) this.#namelessKey(this.#last);
  }

  #scalar(event: ScalarEvent): void {
    const text = getScalarValue(this.#text, event);
    const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
    const margin = quoted ? 1 : 0;
    const start = event.valueStart < 0 ? this.#last : event.valueStart - margin;
    const end = event.valueStart < 0 ? this.#last : event.valueEnd + margin;
    const tag = this.#tagOf(event);
    if (this.#atKey()) this.#key(text, event.style === SCALAR_STYLE.PLAIN, start, end);
    else {
      const value = this.#resolve(text, event, tag, start);
      this.tree.scalar(value, start, end);
      this.#anchor(event, value, 1);
    }
    this.#advance();
    this.#last = end;
  }

  #key(text: string, plain: boolean, start: number, end: number): void {
    if (plain && text === '<<') {
      this.tree.defect(
        'Merge keys are not part of YAML 1.2',
        'Write the members out, or use an alias for the whole value.',
        start,
        end,
      );
    }
    this.tree.key(text, start, end, this.#open.at(-1)?.end === 0);
  }

  #resolve(text: string, event: ScalarEvent, tag: string, start: number): unknown {
    const plain = event.style === SCALAR_STYLE.PLAIN;
    if (tag === '!' || tag === '!!str' || (tag === '' && !plain)) return text;
    const value = plainValue(this.tree, text, start);
    if (tag === '') return value;
    const fits = SCALAR_TAGS.get(tag);
    if (fits === undefined) this.#unknownTag(tag, event);
    else if (!fits(value))
      this.tree.defect(
        `"${excerpt(text)}" is not a value of ${tag}`,
        'Remove the tag or mend the value.',
        start,
        start + text.length,
      );
    return value;
  }

  #alias(start: number, end: number): void {
    const name = this.#text.slice(start, end);
    const anchored = this.#anchors.get(name);
    const from = Math.max(0, start - 1);
    if (this.#atKey()) {
      this.tree.defect('A key is an alias', 'Write the key out.', from, end);
      this.#namelessKey(from);
      this.#last = end;
      return;
    } else {
      if (anchored === undefined)
        this.tree.defect(
          `There is no anchor "${excerpt(name)}" before this place`,
          'Anchors are written &name; a text that begins with * stands in quotes.',
          from,
          end,
        );
      else if (anchored.size === 0)
        this.tree.defect(
          `The alias "${excerpt(name)}" stands for what contains it`,
          'A document has no cycles.',
          from,
          end,
        );
      else this.#expand(anchored.size, from, end);
      this.tree.scalar(anchored === undefined || anchored.size === 0 ? null : anchored.value, from, end);
    }
    this.#advance();
    this.#last = end;
  }

  #expand(size: number, start: number, end: number): void {
    const before = this.#expanded;
    this.#expanded += size;
    if (before <= ALIAS_EXPANSION && this.#expanded > ALIAS_EXPANSION) {
      this.tree.defect(
        `The aliases stand for more than ${ALIAS_EXPANSION} values`,
        'Write fewer aliases, or smaller anchors.',
        start,
        end,
      );
    }
  }

  #anchor(event: ScalarEvent | CollectionEvent, value: unknown, size: number): Anchored | undefined {
    if (event.anchorStart < 0) return undefined;
    const anchored = { value, size };
    this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), anchored);
    return anchored;
  }

  #tagOf(event: ScalarEvent | CollectionEvent): string {
    return event.tagStart < 0 ? '' : this.#text.slice(event.tagStart, event.tagEnd);
  }

  #unknownTag(tag: string, event: ScalarEvent | CollectionEvent): void {
    this.tree.defect(
      `The tag ${excerpt(tag)} is unknown`,
      'Documents use the plain types of JSON; remove the tag.',
      event.tagStart,
      event.tagEnd,
    );
  }
}
