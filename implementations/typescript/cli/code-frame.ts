import type pc from 'picocolors';
import type { Location } from '../../../schemas/types.js';
import type { SourceText } from '../workspace/source-text.js';

/** What colours text; without colours every function gives its text back. */
export type Colors = ReturnType<typeof pc.createColors>;

/** How many columns of a long line a frame shows at most, and how many it does in a narrow window. */
const WIDTH = 120;
const LEAST_WIDTH = 30;
const CONTROL = /[\p{Cc}\p{Cf}\p{Surrogate}\ufffe\uffff]/gu;

/** A place in a source, and what is said about it. */
export interface FramePlace {
  readonly location: Location;
  readonly message?: string;
}

/**
 * Returns the source lines of a place, the line numbers before them, and the place underlined below; of a line that is
 * longer than the columns of the window its part around the place.
 *
 * ```text
 *  12 |   - { from_node: check, to_node: fetch, label: 'false' }
 *     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ closed here
 * ```
 */
export function codeFrame(
  source: SourceText,
  place: FramePlace,
  gutter: number,
  mark: '^' | '-',
  colors: Colors,
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const width = Math.max(LEAST_WIDTH, Math.min(WIDTH, columns - gutter - ' | ……'.length));
  const { line, column, end_line = line, end_column = column } = place.location;
  const text = source.line(line);
  const from = Math.min(column - 1, text.length);
  const to = end_line === line ? Math.max(from + 1, end_column - 1) : Math.max(from + 1, text.trimEnd().length);
  const cut = from > (width * 2) / 3 ? Math.max(0, Math.min(from - Math.floor(width / 6), text.length - width)) : 0;
  const shown = text.slice(cut, cut + width);
  const before = cut > 0 ? '…' : '';
  const after = cut + width < text.length ? '…' : '';
  const lead = before + visible(text.slice(cut, from));
  const marked = visible(text.slice(from, Math.min(to, cut + width)));
  const paint = mark === '^' ? colors.red : colors.blue;
  const bar = colors.dim('|');
  const under = `${' '.repeat(widthOf(lead))}${paint(mark.repeat(Math.max(1, widthOf(marked))))}`;
  const note = place.message === undefined ? '' : ` ${paint(place.message)}`;
  return [
    `${colors.dim(String(line).padStart(gutter))} ${bar} ${before}${visible(shown)}${after}`,
    `${' '.repeat(gutter)} ${bar} ${under}${note}`,
  ];
}

/** Text that a terminal shows as it is: tabs as spaces, control characters as escapes. */
export function visible(text: string): string {
  return text.replaceAll('\t', '  ').replace(CONTROL, char => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The columns that a text takes: two for wide characters, none for combining marks. */
function widthOf(text: string): number {
  let width = 0;
  for (const char of text) {
    if (/\p{Mn}/u.test(char)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(char)
        ? 2
        : 1;
  }
  return width;
}
