/** A fenced block of a Markdown file. */
export interface Fence {
  /** `file:line` of its opening. */
  readonly place: string;
  /** The first word of the info string, as in `yaml`. */
  readonly language: string;
  /** The second word, as in `workflow` or the name of a schema. */
  readonly subject?: string;
  /** The further words, each `name="value"`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  /** What an HTML comment `<!-- source: path -->` directly above says. */
  readonly source?: string;
}

const OPENING = /^( {0,3})(`{3,}|~{3,})\s*([^`]*)$/;
const SOURCE = /^<!--\s*source:\s*(\S+)\s*-->$/;

/** Gives the fenced blocks of a Markdown text, in order. An unclosed one ends with the text. */
export function fencesOf(path: string, markdown: string): Fence[] {
  const lines = markdown.split('\n');
  const fences: Fence[] = [];
  for (let index = 0; index < lines.length; index++) {
    const opening = OPENING.exec(lines[index] ?? '');
    if (opening === null) continue;
    const [, indent = '', marks = '', info = ''] = opening;
    const start = index + 1;
    const closing = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}\\s*$`);
    while (++index < lines.length && !closing.test(lines[index] ?? ''));
    const body = lines.slice(start, index).map(line => (line.startsWith(indent) ? line.slice(indent.length) : line));
    const source = SOURCE.exec(lastLineBefore(lines, start - 1))?.[1];
    fences.push({
      place: `${path}:${start}`,
      ...readInfo(info.trim()),
      text: body.join('\n'),
      ...(source !== undefined && { source }),
    });
  }
  return fences;
}

function lastLineBefore(lines: readonly string[], end: number): string {
  let index = end - 1;
  while (index > 0 && (lines[index] ?? '').trim() === '') index--;
  return (lines[index] ?? '').trim();
}

function readInfo(info: string): Pick<Fence, 'language' | 'subject' | 'attributes'> {
  const attributes = Object.fromEntries(
    [...info.matchAll(/(\w+)="([^"]*)"/g)].map(match => [match[1] ?? '', match[2] ?? '']),
  );
  const [language = '', subject] = info
    .replace(/\w+="[^"]*"/g, '')
    .trim()
    .split(/\s+/);
  return { language, attributes, ...(subject !== undefined && { subject }) };
}

/** Tells whether the lines of a block stand in a source one after the other, whatever their common indentation. */
export function isRegionOf(block: string, source: string): boolean {
  const wanted = dedent(block.trimEnd().split('\n'));
  const lines = source.split('\n');
  const first = (wanted[0] ?? '').trim();
  return lines.some(
    (line, at) =>
      line.trim() === first &&
      dedent(lines.slice(at, at + wanted.length)).every((text, index) => text === wanted[index]),
  );
}

function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter(line => line.trim() !== '').map(line => line.length - line.trimStart().length);
  const common = Math.min(...indents, 1000);
  return lines.map(line => line.slice(common).trimEnd());
}
