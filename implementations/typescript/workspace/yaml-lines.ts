/** What the parser says where lines do not belong together. */
const BAD_LINES = /^(?:bad indentation of a mapping entry|can not read a block mapping entry)/;

/** Returns where the first word stands of the line before the one that cannot be read, where that has no colon. */
export function keyWithoutColon(
  reason: string,
  text: string,
  place: number,
): { readonly start: number; readonly end: number } | undefined {
  if (!BAD_LINES.test(reason)) return undefined;
  const here = text.lastIndexOf('\n', place - 1);
  if (here < 0) return undefined;
  const before = text.lastIndexOf('\n', here - 1) + 1;
  if (here - before > 1000) return undefined;
  const [, margin, word] =
    /^( *(?:- +)*)([A-Za-z_][A-Za-z0-9_-]*)(?: +[^:#]*)?\r?$/.exec(text.slice(before, here)) ?? [];
  if (margin === undefined || word === undefined) return undefined;
  const start = before + margin.length;
  return { start, end: start + word.length };
}
