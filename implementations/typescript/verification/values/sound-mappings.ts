import type { ActionNode } from '../../../../schemas/types.js';
import { uint8s } from '../../workflow/number-arrays.js';
import { INPUTS, NODES, PlainReference } from '../../workflow/plain-reference.js';
import { ACTION, CONDITION, TERMINAL } from '../columns.js';
import type { VerificationContext } from '../context.js';
import type { Question } from './batched-answers.js';
import type { Certainty } from './certainty.js';
import { BITS, type Types, UNKNOWN } from './json-schema-shape.js';
import { bitsOfScalar, type DefinitionTypes, NONE, type PathTypes, type Taken } from './path-types.js';

/** What nothing can be wrong with, which need not be looked at again. */
export interface Sound {
  /** For each node whether that is so of all its mappings or its expression. */
  readonly nodes: Uint8Array;
  /** Whether it is so of one member of a mapping of an action node, which has so many before it. */
  isMember(node: number, field: MappingField, key: string, at: number): boolean;
  /** Whether one member of an input_mapping fits its name but for this: it reads a node that never has outputs. */
  isOfNothing(node: number, at: number): boolean;
  /** Whether nothing else is wrong with what an action node hands over than that one member reads such a node. */
  isSoundButOfNothing(node: number): boolean;
}

/** The fields of a node that are mappings. */
export type MappingField = 'input_mapping' | 'output_mapping';

/**
 * Returns what nothing can be wrong with, which is so of most mappings of action nodes and expressions of conditions:
 * their references are plain ones to what certainly is there, and of types that fit. The others are looked at one by one;
 * what is sound by this has no finding by that either.
 */
export function findSound(context: VerificationContext, certainty: Certainty): Sound {
  const mappings = new SoundMappings(context, certainty);
  const doubtful = uint8s(context.graph.nodeCount);
  const doubts = uint8s(context.graph.nodeCount);
  return {
    nodes: findSoundNodes(context, certainty, mappings, doubtful, doubts),
    isMember(node, field, key, at) {
      if (context.columns.type[node] !== ACTION || (field === 'input_mapping' && doubtful[node] === at + 1))
        return false;
      return ((doubts[node] as number) & ONLY) !== 0 || mappings.isMemberSound(node, field, key);
    },
    isOfNothing: (node, at) => ((doubts[node] as number) & OF_NOTHING) !== 0 && doubtful[node] === at + 1,
    isSoundButOfNothing: node => doubts[node] === (OF_NOTHING | ONLY),
  };
}

/** How many members of a mapping are counted. */
const MOST_COUNTED = 255;
/** What is known of an input that is doubtful: it reads a node that never has outputs; all other members are sound. */
const OF_NOTHING = 1;
const ONLY = 2;

/** Writes for each node which of its inputs, counted from 1, is doubtful, of several the first; and what is known of it. */
function findSoundNodes(
  context: VerificationContext,
  certainty: Certainty,
  mappings: SoundMappings,
  doubtful: Uint8Array,
  doubts: Uint8Array,
): Uint8Array {
  const { graph, columns, judged } = context;
  const sound = uint8s(graph.nodeCount);
  const open: Question[] = [];
  for (let node = 0; node < graph.nodeCount; node++) {
    if (judged[node] === 0) continue;
    if (columns.type[node] === ACTION) {
      if (mappings.areSound(node)) {
        sound[node] = 1;
        for (const source of mappings.notSurelyBefore) open.push({ asks: 'path', sources: [source], reader: node });
      } else if (mappings.doubtful <= MOST_COUNTED) {
        doubtful[node] = mappings.doubtful;
        doubts[node] = (mappings.readsNothing ? OF_NOTHING : 0) | (mappings.isOnlyDoubt ? ONLY : 0);
      }
    }
    if (columns.type[node] === CONDITION && context.plainConditions.isSound(node, certainty)) sound[node] = 1;
  }
  if (open.length === 0) return sound;
  certainty.prepare(open);
  for (const { sources, reader } of open) {
    const [source = -1] = sources;
    if (sound[reader] === 1 && certainty.isAncestor(source, reader) !== true) sound[reader] = 0;
  }
  return sound;
}

export class SoundMappings {
  /** Nodes that the mappings judged last read; all is sound only if paths lead from there to the node. */
  readonly notSurelyBefore: number[] = [];
  /** Which input of the node that was judged last, counted from 1, is doubtful, of several the first; 0 where none is. */
  doubtful = 0;
  /** Whether it is so because a node is read that never has outputs. */
  readsNothing = false;
  /** Whether all else is sound, and no search is needed to see it. */
  isOnlyDoubt = false;
  readonly #context: VerificationContext;
  readonly #certainty: Certainty;
  readonly #types: PathTypes;
  readonly #reference = new PlainReference();
  /** Whether the text read last means the same in every node: a reference to an input, or a text without references. */
  #isSameForAll = false;
  /** Whether a node was read that never has outputs. */
  #metNothing = false;

  constructor(context: VerificationContext, certainty: Certainty) {
    this.#context = context;
    this.#certainty = certainty;
    this.#types = context.pathTypes;
  }

  areSound(node: number): boolean {
    const { columns } = this.#context;
    const mapping = columns.inputMappings[node] as Readonly<Record<string, unknown>> | undefined;
    const definition = this.#types.definitionOf(node);
    if (this.notSurelyBefore.length > 0) this.notSurelyBefore.length = 0;
    let given = 0;
    this.doubtful = 0;
    this.readsNothing = false;
    this.isOnlyDoubt = false;
    this.#metNothing = false;
    if (mapping !== undefined) {
      let at = 0;
      for (const key in mapping) {
        at++;
        const taken = definition.taken(key);
        if (taken.isRequired) given++;
        if (this.#fits(taken, node, mapping[key])) continue;
        if (this.doubtful > 0) return false;
        this.doubtful = at;
        this.readsNothing = this.#metNothing;
      }
    }
    if (given < definition.requiredCount) return false;
    if (columns.mapsOutputs[node] === 1) {
      const { output_mapping = {} } = this.#context.node(node) as ActionNode;
      for (const key in output_mapping) if (this.#typesOf(node, output_mapping[key], definition) === NONE) return false;
    }
    this.isOnlyDoubt = this.doubtful > 0 && this.notSurelyBefore.length === 0;
    return this.doubtful === 0;
  }

  /** Whether one member is sound, and no search is needed to see it. */
  isMemberSound(node: number, field: MappingField, key: string): boolean {
    const mapping = (this.#context.node(node) as ActionNode)[field] ?? {};
    const definition = this.#types.definitionOf(node);
    this.notSurelyBefore.length = 0;
    const isSound =
      field === 'input_mapping'
        ? this.#fits(definition.taken(key), node, mapping[key])
        : this.#typesOf(node, mapping[key], definition) !== NONE;
    return isSound && this.notSurelyBefore.length === 0;
  }

  /** Whether a value can be mapped to a name. */
  #fits(taken: Taken, node: number, value: unknown): boolean {
    const wanted = taken.types;
    if (wanted === NONE) return false;
    const types = this.#typesFor(taken, node, value);
    return types !== NONE && (wanted === UNKNOWN || types === UNKNOWN || (wanted & types) !== 0);
  }

  /** The types of what is mapped to a name; of a text that means the same in every node they are remembered. */
  #typesFor(taken: Taken, node: number, value: unknown): Types {
    if (typeof value !== 'string') return this.#typesOf(node, value);
    if (value === taken.lastText) return taken.lastTypes;
    const types = this.#typesOf(node, value);
    if (types !== NONE && this.#isSameForAll) {
      taken.lastText = value;
      taken.lastTypes = types;
    }
    return types;
  }

  /** The types of a member of a mapping; none where something may be wrong with it. */
  #typesOf(node: number, value: unknown, own?: DefinitionTypes): Types {
    if (typeof value !== 'string') return typeof value === 'object' && value !== null ? NONE : bitsOfScalar(value);
    const reference = this.#reference;
    this.#isSameForAll = true;
    if (!reference.read(value)) return value.includes('${') ? NONE : BITS.string;
    const { path, other, standsIn } = reference;
    this.#isSameForAll = path.root === INPUTS && standsIn === 'nothing';
    const types = this.#types.typesAt(node, path, own);
    if (types === NONE) {
      if (path.root === NODES) this.#metNothing = neverHasOutputs(this.#context, this.#types.source);
      return NONE;
    }
    if (standsIn === 'nothing')
      return path.root !== NODES || this.#certainty.isCertain(this.#types.source, node) ? types : NONE;
    if (path.root !== NODES) return NONE;
    const source = this.#types.source;
    if (source === node) return NONE;
    if (!this.#certainty.isBefore(source, node)) this.notSurelyBefore.push(source);
    if (standsIn === 'literal') return types === UNKNOWN ? UNKNOWN : types | bitsOfScalar(reference.literal);
    const others = this.#types.typesAt(node, other, own);
    if (others === NONE || other.root !== NODES || !this.#certainty.isBefore(this.#types.source, node)) return NONE;
    if (!this.#certainty.isEitherCertain(source, this.#types.source, node)) return NONE;
    return types === UNKNOWN || others === UNKNOWN ? UNKNOWN : types | others;
  }
}

/** Whether a node is one of those that have no outputs: of what nobody gives there is no type. */
export function neverHasOutputs({ columns }: VerificationContext, node: number): boolean {
  const type = columns.type[node];
  return type === CONDITION || type === TERMINAL;
}
