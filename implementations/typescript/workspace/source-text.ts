import type { Location } from '../../../schemas/types.js';

const LINE_ENDS: ReadonlySet<number> = new Set([10, 13]);

/** A text with the beginnings of its lines, which are found when they are first asked for. */
export class SourceText {
  readonly file: string;
  readonly text: string;
  #lineStarts: Int32Array | undefined;

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

  /** Returns the offset of the code unit at a line and a column, both counted from 1. */
  offset(line: number, column: number): number {
    return (this.#starts()[line - 1] ?? this.text.length) + column - 1;
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

  #starts(): Int32Array {
    if (this.#lineStarts !== undefined) return this.#lineStarts;
    let lines = 1;
    for (let at = 0; at < this.text.length; at++) if (this.#ends(at)) lines++;
    const starts = new Int32Array(lines);
    let line = 1;
    for (let at = 0; line < lines; at++) if (this.#ends(at)) starts[line++] = at + 1;
    this.#lineStarts = starts;
    return starts;
  }

  /** Whether a line ends with the code unit at an offset: LF, CR LF, or CR alone. */
  #ends(at: number): boolean {
    const code = this.text.charCodeAt(at);
    return code === 10 || (code === 13 && this.text.charCodeAt(at + 1) !== 10);
  }
}
