import canonicalize from 'canonicalize';

/** An object of JSON. Its keys are its own, `__proto__` included. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The canonical text (RFC 8785) of a JSON value. */
export function canonicalText(value: unknown): string {
  return canonicalize(value) ?? 'null';
}

/** Whether two JSON values are the same value. */
export function sameJson(a: unknown, b: unknown): boolean {
  return a === b || canonicalText(a) === canonicalText(b);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an own key, or undefined. */
export function own<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}
