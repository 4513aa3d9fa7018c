/** How large a JSON value may be that is recorded, in characters of its text, roughly. */
export const MAX_VALUE_SIZE = 2 ** 27;

/**
 * Whether a JSON value is larger than {@link MAX_VALUE_SIZE}; a part that occurs several times counts each time.
 *
 * It looks no further than it has to, so that a small value which refers to large ones many times over costs little.
 */
export function isTooLarge(value: unknown): boolean {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && size <= MAX_VALUE_SIZE) {
    const next = open.pop();
    size += typeof next === 'string' ? next.length + 2 : 2;
    if (typeof next !== 'object' || next === null) continue;
    const keys = Array.isArray(next) ? undefined : Object.keys(next);
    if (keys === undefined) for (const item of next as readonly unknown[]) open.push(item);
    else
      for (const key of keys) {
        size += key.length + 3;
        open.push((next as Readonly<Record<string, unknown>>)[key]);
      }
  }
  return size > MAX_VALUE_SIZE;
}
