import { type JsonSchema, schemaFiles } from '../../schemas/load.js';

/** Where a part of a schema stands. */
export interface Place {
  /** The identifier of its file. */
  readonly id: string;
  /** The names and positions that lead to it. */
  readonly steps: readonly string[];
  /** The same as an RFC 6901 pointer. */
  readonly pointer: string;
}

/** The place of every object and list of every schema file. */
export type Places = ReadonlyMap<unknown, Place>;

/** Gives the place of every object and list in every schema file. */
export function placesOf(): Places {
  const places = new Map<unknown, Place>();
  const open: [value: unknown, id: string, steps: readonly string[]][] = [...schemaFiles()].map(([id, file]) => [
    file,
    id,
    [],
  ]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, id, steps] = next;
    if (value === null || typeof value !== 'object') continue;
    const pointer = steps.map(step => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    places.set(value, { id, steps, pointer });
    for (const [name, member] of Object.entries(value)) open.push([member, id, [...steps, name]]);
  }
  return places;
}

/** Gives the place of a part. Throws where it is of no schema file. */
export function placeIn(places: Places, part: unknown): Place {
  const place = places.get(part);
  if (place === undefined) throw new Error(`This stands in no schema file: ${JSON.stringify(part)}`);
  return place;
}

/** Gives the alternatives of `anyOf` and `oneOf`; where a discriminator chooses, the validator asks only the one chosen. */
export function alternativesIn(places: Places): JsonSchema[] {
  return [...places.keys()].flatMap(part => {
    const { anyOf = [], oneOf = [], discriminator } = part as Record<string, unknown>;
    return discriminator === undefined ? ([anyOf, oneOf].flat() as JsonSchema[]) : [];
  });
}
