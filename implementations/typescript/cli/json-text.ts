/**
 * Returns a JSON value as text; on one line where it is nested more deeply than `JSON.stringify` has stack for, as outputs
 * of an action may be.
 */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return textWithoutRecursion(value);
  }
}

function textWithoutRecursion(whole: unknown): string {
  const parts: string[] = [];
  const open: (string | { readonly value: unknown })[] = [{ value: whole }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') {
      parts.push(next);
      continue;
    }
    const { value } = next;
    if (typeof value !== 'object' || value === null) {
      parts.push(JSON.stringify(value));
      continue;
    }
    const isList = Array.isArray(value);
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    parts.push(isList ? '[' : '{');
    open.push(isList ? ']' : '}');
    for (const [index, [name, member]] of [...members.entries()].reverse())
      open.push({ value: member }, `${index > 0 ? ',' : ''}${isList ? '' : `${JSON.stringify(name)}:`}`);
  }
  return parts.join('');
}
