import { metaSchemaErrors } from '../../../schemas/index.js';
import { type Applicator, applicatorsOf, reference } from './schema-applicators.js';
import { assertionsOf, type Patterns } from './schema-assertions.js';
import type { Part, Scope, Whole } from './schema-evaluation.js';
import { type JsonSchema, Resources, SchemaFault, type Target } from './schema-resources.js';

type Schema = Readonly<Record<string, unknown>>;
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

const ANYTHING: Part = { assertions: [], applicators: [], resource: undefined, standsFor: undefined };
const NOTHING: Part = { ...ANYTHING, assertions: [() => 'boolean schema is false'] };
const REFERENCES = ['$ref', '$dynamicRef'] as const;

/**
 * Returns a schema ready to be applied: each part of it once, and references as the parts that they lead to.
 *
 * Throws a `SchemaFault` where a name is ill-formed, a reference leads nowhere or in a circle, or a regular expression
 * is none or has no check in linear time; then its cause is a `PatternError`.
 */
export function wholeOf(schema: Schema, patterns: Patterns): Whole {
  return new Assembly(patterns).whole(schema);
}

class Assembly {
  readonly #patterns: Patterns;
  readonly #parts = new Map<object, Mutable<Part>>();
  readonly #open: [schema: Schema, part: Mutable<Part>][] = [];
  readonly #resources = new Resources();
  #isMarked = false;
  #isDynamic = false;

  constructor(patterns: Patterns) {
    this.#patterns = patterns;
  }

  whole(schema: Schema): Whole {
    this.#resources.add(schema);
    const root = this.#part(schema);
    for (const part of this.#resources.parts()) this.#part(part);
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) this.#fill(...next);
    this.#shorten();
    const mostInPlace = this.#parts.size * this.#resources.size;
    return { root, isMarked: this.#isMarked, isDynamic: this.#isDynamic, mostInPlace };
  }

  #part(schema: JsonSchema): Part {
    if (typeof schema === 'boolean') return schema ? ANYTHING : NOTHING;
    const known = this.#parts.get(schema);
    if (known !== undefined) return known;
    const part: Mutable<Part> = { ...ANYTHING, resource: this.#resources.of(schema) };
    this.#parts.set(schema, part);
    this.#open.push([schema, part]);
    return part;
  }

  #fill(schema: Schema, part: Mutable<Part>): void {
    const references: Applicator[] = [];
    for (const keyword of REFERENCES) {
      if (!Object.hasOwn(schema, keyword)) continue;
      const target = this.#resources.find(schema, keyword);
      references.push(this.#reference(keyword, target));
      const isFixed = keyword === '$ref' || target.dynamic === undefined;
      part.standsFor = isFixed && target.resource === part.resource ? this.#target(target) : undefined;
    }
    const applicators = applicatorsOf(schema, inner => this.#part(inner as JsonSchema), this.#patterns);
    part.assertions = assertionsOf(schema, this.#patterns);
    part.applicators = [...references, ...applicators];
    if (part.assertions.length > 0 || part.applicators.length > 1) part.standsFor = undefined;
    this.#isMarked ||= ['unevaluatedItems', 'unevaluatedProperties'].some(keyword => Object.hasOwn(schema, keyword));
  }

  #reference(keyword: '$ref' | '$dynamicRef', target: Target): Applicator {
    const part = this.#target(target);
    const { dynamic } = target;
    if (keyword === '$ref' || dynamic === undefined) return reference(() => part);
    this.#isDynamic = true;
    for (const schema of this.#resources.bearing(dynamic)) this.#part(schema);
    return reference(({ scope }) => this.#outermost(dynamic, scope) ?? part);
  }

  #target({ part, resource, isUnknown }: Target): Part {
    if (isUnknown === true && typeof part === 'object') {
      const [error] = metaSchemaErrors(part);
      if (error !== undefined) throw new SchemaFault(part, '', `the part ${error.message ?? 'is ill-formed'}`);
      this.#resources.take(part, resource);
    }
    return this.#part(part);
  }

  #outermost(anchor: string, reached: Scope | undefined): Part | undefined {
    let outermost: object | undefined;
    for (let scope = reached; scope !== undefined; scope = scope.outer) {
      this.#patterns.spend(1);
      outermost = scope.resource.dynamicAnchors.get(anchor) ?? outermost;
    }
    return outermost && this.#part(outermost as JsonSchema);
  }

  /** Lets each part that is nothing but a reference stand for what is at the end of the references. */
  #shorten(): void {
    const done = new Set<Part>();
    for (const [schema, start] of this.#parts) {
      const passed = new Set<Mutable<Part>>();
      let end: Mutable<Part> = start;
      while (end.standsFor !== undefined && !passed.has(end)) {
        passed.add(end);
        end = end.standsFor;
        if (done.has(end)) end = end.standsFor ?? end;
      }
      if (passed.has(end)) throw new SchemaFault(schema, '$ref', 'the schema refers to itself in a circle');
      for (const part of passed) {
        part.standsFor = end;
        done.add(part);
      }
    }
  }
}
