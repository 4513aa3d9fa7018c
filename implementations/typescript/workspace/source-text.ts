import type { Location } from '../../../schemas/types.js';

const LINE_ENDS: ReadonlySet<number> = new Set([10, 13]);

/** A text with the beginnings of its lines, which are found when they are first asked for. */
export class SourceText {
  readonly file: string;
  readonly text: string;
  #lineStarts: number[] | undefined;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  /** Returns where the code units from `start` up to `end` stand. */
  location(start: number, end: number): Location {
    const first = this.#position(start);
    const last = this.#position(Math.max(start, end));
    return { file: this.file, line: first.line, column: first.column, end_line: last.line, end_column: last.column };
  }

  /** Returns the text of a line, counted from 1, without its line end. */
  line(number: number): string {
    const starts = this.#starts();
    const start = starts[number - 1];
    if (start === undefined) return '';
    let end = starts[number] ?? this.text.length;
    while (end > start && LINE_ENDS.has(this.text.charCodeAt(end - 1))) end--;
    return this.text.slice(start, end);
  }

  #position(offset: number): { line: number; column: number } {
    const starts = this.#starts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  }

  #starts(): readonly number[] {
    if (this.#lineStarts === undefined) {
      this.#lineStarts = [0];
      for (const match of this.text.matchAll(/\r\n?|\n/g)) this.#lineStarts.push(match.index + match[0].length);
    }
    return this.#lineStarts;
  }
}
