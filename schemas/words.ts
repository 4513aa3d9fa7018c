const SHOWN = 60;

/** What tells a document of ARS from another one. */
export const WORKFLOW_FORM = 'An ARS workflow has schema_version: "1.0", workflow: { name, version }, nodes and edges.';

/** Gives a value as a message shows it: short, in quotes where it is a string, never deeper than one level. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (value !== null && typeof value === 'object') return 'an object';
  return value === null || value === undefined ? String(value) : `the ${typeof value} ${String(value)}`;
}

/** Gives a text in quotes, cut where it is long. */
export function quoted(text: string): string {
  if (text.length <= SHOWN) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, SHOWN).replace(/[\uD800-\uDBFF]$/, ''))}… (${text.length} characters)`;
}

/** Gives a text as it is written, in marks that are not in it: of "…", '…' and `…` the first that will do. */
export function marked(text: string): string {
  const mark = ['"', "'"].find(each => !text.includes(each)) ?? '`';
  return `${mark}${text}${mark}`;
}

/** Gives alternatives as a message lists them. */
export function alternatives(values: readonly unknown[]): string {
  const words = values.map(value => (typeof value === 'string' ? JSON.stringify(value) : String(value)));
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Gives what a schema describes, with its article: `ActionNode` is "an action node". */
export function noun(schema: { readonly [keyword: string]: unknown } | undefined): string {
  if (typeof schema?.title !== 'string') return 'this object';
  const words = schema.title.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

/** Gives a JSON type with its article, as a reader of YAML would call it. */
export function typeWord(type: string): string {
  const words: Record<string, string> = {
    array: 'a list',
    integer: 'a whole number',
    null: 'null',
    object: 'an object',
  };
  return words[type] ?? `a ${type}`;
}

/** Gives a text with a capital first letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
