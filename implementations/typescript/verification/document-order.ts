import type { Finding } from '../../../schemas/types.js';
import { RULE_IDS } from './rules/index.js';

const SECTIONS = ['', 'schema_version', 'workflow', 'inputs', 'outputs', 'actions', 'nodes', 'edges'];
const RULE_NUMBERS: ReadonlyMap<string, number> = new Map(RULE_IDS.map((id, number) => [id, number]));
const SLASH = 0x2f;

/**
 * Returns findings by section of the document, index in it and rule, and where these are equal by the rest as text; the list
 * itself where it has this order, as that of one rule mostly has.
 */
export function inDocumentOrder(findings: Finding[]): Finding[] {
  const sections = new Uint8Array(findings.length);
  const indices = new Float64Array(findings.length);
  const rules = new Int8Array(findings.length);
  let isInOrder = true;
  for (let at = 0; at < findings.length; at++) {
    const { pointer, rule } = findings[at] as Finding;
    const second = pointer.indexOf('/', 1);
    sections[at] = sectionOf(pointer, second < 0 ? pointer.length : second);
    indices[at] = second < 0 ? -1 : indexAt(pointer, second + 1);
    rules[at] = RULE_NUMBERS.get(rule) ?? -1;
    if (at > 0 && isInOrder) isInOrder = compare(at - 1, at) < 0;
  }
  if (isInOrder) return findings;
  // Each rule goes through the document in its order: an array is sorted by the runs that it has already, numbers alone are not.
  const order = [...findings.keys()];
  return order.sort(compare).map(at => findings[at] as Finding);

  function compare(a: number, b: number): number {
    return (
      (sections[a] as number) - (sections[b] as number) ||
      (indices[a] as number) - (indices[b] as number) ||
      (rules[a] as number) - (rules[b] as number) ||
      compareRest(findings[a] as Finding, findings[b] as Finding) ||
      a - b
    );
  }
}

/** The number of the section whose name a pointer has before a place. */
function sectionOf(pointer: string, end: number): number {
  for (let section = 0; section < SECTIONS.length; section++) {
    const name = SECTIONS[section] as string;
    if (name.length === Math.max(0, end - 1) && pointer.startsWith(name, 1)) return section;
  }
  return SECTIONS.length;
}

/** The number that a segment of a pointer is, -1 where it is none. */
function indexAt(pointer: string, start: number): number {
  let index = 0;
  let at = start;
  for (; at < pointer.length; at++) {
    const code = pointer.charCodeAt(at);
    if (code === SLASH) break;
    if (code < 0x30 || code > 0x39) return -1;
    index = index * 10 + code - 0x30;
  }
  return at === start ? -1 : index;
}

function compareRest(a: Finding, b: Finding): number {
  const [one, other] = [`${a.pointer} ${a.message}`, `${b.pointer} ${b.message}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
