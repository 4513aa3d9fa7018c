import { EVIDENCE, type Evidence, FAMILY_OF, type RequirementKind } from './catalogue.js';
import { type KeyWord, keyWordsIn } from './key-words.js';

/** One requirement as its chapter states it. */
export interface Requirement {
  readonly id: string;
  readonly kind: RequirementKind;
  readonly chapter: number;
  readonly level: KeyWord;
  /** The one sentence that is normative. */
  readonly sentence: string;
  readonly note?: string;
  /** The place of its heading, relative to the project. */
  readonly link: string;
  /** How it can be shown from outside. */
  readonly how: readonly Evidence[];
  /** Why no black-box test can show it, where none can. */
  readonly untestable?: string;
}

/** What a chapter holds, and what is wrong with it, each as `file:line: what`. */
export interface ChapterReading {
  readonly requirements: readonly Requirement[];
  readonly problems: readonly string[];
}

/** A heading of four marks whose text looks like an identifier. */
const HEADING = /^#### (\S+)\s*$/;
const COMMENT = /^<!--\s*how:\s*([A-Z](?:[ ,]+[A-Z])*)\s*(?:;\s*untestable:\s*(.+?)\s*)?-->$/;

/** Gives the requirements of one chapter. `path` is relative to the project. */
export function readChapter(path: string, text: string): ChapterReading {
  const problems: string[] = [];
  const requirements: Requirement[] = [];
  const lines = text.split('\n');
  const chapter = Number(/(\d+)-[^/]*$/.exec(path)?.[1] ?? Number.NaN);
  let fenced = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const id = fenced ? undefined : HEADING.exec(line)?.[1];
    if (id === undefined) continue;
    const family = FAMILY_OF.get(id);
    if (family === undefined) {
      problems.push(
        `${path}:${index + 1}: "${id}" is not in scripts/catalogue.ts; a heading of four marks is an identifier`,
      );
      continue;
    }
    const body = readBody(sectionAfter(lines, index), problem =>
      problems.push(`${path}:${problem.line}: ${id}: ${problem.what}`),
    );
    if (body === undefined) continue;
    requirements.push({ id, kind: family.kind, chapter, ...body, link: `${path}#${id.toLowerCase()}` });
  }
  return { requirements, problems };
}

type Line = { readonly text: string; readonly number: number };
type Report = (problem: { readonly line: number; readonly what: string }) => void;
type Body = Pick<Requirement, 'level' | 'sentence' | 'note' | 'how' | 'untestable'>;

/** The lines between a heading and the next, without blank ones. */
function sectionAfter(lines: readonly string[], heading: number): readonly Line[] {
  const section: Line[] = [{ text: '', number: heading + 1 }];
  for (let index = heading + 1; index < lines.length && !/^#{1,6} /.test(lines[index] ?? ''); index++) {
    const text = (lines[index] ?? '').trim();
    if (text !== '') section.push({ text, number: index + 1 });
  }
  return section;
}

function readBody([heading, ...section]: readonly Line[], report: Report): Body | undefined {
  const sentence = section.shift();
  if (sentence === undefined || /^(?:>|<!--|\||```)/.test(sentence.text)) {
    report({ line: heading?.number ?? 0, what: 'the heading is not followed by a sentence' });
    return undefined;
  }
  const words = keyWordsIn(sentence.text);
  const level = words[0];
  if (level === undefined || words.length > 1) {
    report({
      line: sentence.number,
      what: `the sentence has ${words.length} key words (${words.join(', ')}) and needs exactly one`,
    });
  }
  if (!/[.:]$/.test(sentence.text))
    report({ line: sentence.number, what: 'the sentence does not end with a full stop on its line' });
  const note = readNote(section, report);
  const comment = readComment(section, report);
  for (const line of section)
    report({
      line: line.number,
      what: `"${line.text.slice(0, 60)}" is not part of a requirement; put it under a heading of its own`,
    });
  if (level === undefined || comment === undefined) return undefined;
  return { level, sentence: sentence.text, ...(note !== undefined && { note }), ...comment };
}

/** Takes the lines of the note off the section. */
function readNote(section: Line[], report: Report): string | undefined {
  const from = section.findIndex(line => line.text.startsWith('>'));
  if (from === -1) return undefined;
  let to = from;
  while (section[to]?.text.startsWith('>')) to++;
  const lines = section.splice(from, to - from);
  const text = lines
    .map(line => line.text.replace(/^>\s?/, ''))
    .join(' ')
    .trim();
  const at = lines[0]?.number ?? 0;
  if (!text.startsWith('Note: ')) report({ line: at, what: 'what is quoted below a requirement starts with "Note: "' });
  const words = keyWordsIn(text);
  if (words.length > 0)
    report({ line: at, what: `a note is not normative and has no key word, but this one has ${words.join(', ')}` });
  return text.replace(/^Note: /, '');
}

/** Takes the comment with the metadata off the section. */
function readComment(section: Line[], report: Report): Pick<Requirement, 'how' | 'untestable'> | undefined {
  const at = section.findIndex(line => line.text.startsWith('<!--'));
  const [line] = at === -1 ? [] : section.splice(at, 1);
  const match = line === undefined ? null : COMMENT.exec(line.text);
  if (line === undefined || match === null) {
    const what =
      'the comment that says how it is shown is missing or malformed; write <!-- how: P K --> or <!-- how: I; untestable: why -->';
    report({ line: line?.number ?? section[0]?.number ?? 0, what });
    return undefined;
  }
  const how = (match[1] ?? '').split(/[ ,]+/).filter(word => word !== '');
  for (const word of how) {
    if (!Object.hasOwn(EVIDENCE, word))
      report({ line: line.number, what: `"${word}" is none of ${Object.keys(EVIDENCE).join(', ')}` });
  }
  const untestable = match[2];
  if ((how.join() === 'I') !== (untestable !== undefined)) {
    report({
      line: line.number,
      what: 'a requirement that only inspection shows says why (; untestable: …), and no other does',
    });
  }
  return { how: how as Evidence[], ...(untestable !== undefined && { untestable }) };
}
