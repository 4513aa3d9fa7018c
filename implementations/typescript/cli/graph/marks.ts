import type { Finding } from '../../../../schemas/types.js';
import { visible } from '../code-frame.js';
import type { FindingParts } from './parts.js';

/** What verification has found about a part of the picture. */
export interface Mark {
  readonly level: 'error' | 'warning';
  /** The rules that are of this level, each once, in the order of the findings. */
  readonly rules: readonly string[];
  /** The rules that only warn beside those that are errors; absent where there are none. */
  readonly warnings?: readonly string[];
}

/** Whether a finding counts as an error here. */
export type IsError = (finding: Finding) => boolean;

/** Returns the mark as a reader sees it: a sign and the rules, for errors and for warnings. */
export function markText({ level, rules, warnings = [] }: Mark): string {
  const told = `${level === 'error' ? '✖' : '⚠'} ${rules.join(' ')}`;
  return warnings.length === 0 ? told : `${told} ⚠ ${warnings.join(' ')}`;
}

/** Findings by the part of the picture that they are about. */
export class Marks {
  readonly #byPlace = new Map<string, Finding[]>();
  readonly #byNode = new Map<string, Finding[]>();
  readonly #others: Finding[] = [];

  readonly #isError: IsError;

  constructor(findings: readonly Finding[], isError: IsError, parts: FindingParts) {
    this.#isError = isError;
    for (const finding of findings) {
      const places = new Set(parts.of(finding));
      for (const place of places) push(this.#byPlace, place, finding);
      if (places.size > 0) continue;
      if (finding.node_id === undefined) this.#others.push(finding);
      else push(this.#byNode, finding.node_id, finding);
    }
  }

  of(place: string, node_id?: string): { mark?: Mark } {
    const findings = [
      ...(this.#byPlace.get(place) ?? []),
      ...(node_id === undefined ? [] : (this.#byNode.get(node_id) ?? [])),
    ];
    if (findings.length === 0) return {};
    const rulesOf = (list: readonly Finding[]): string[] => [...new Set(list.map(({ rule }) => rule))];
    const errors = rulesOf(findings.filter(this.#isError));
    const warnings = rulesOf(findings.filter(finding => !this.#isError(finding)));
    if (errors.length === 0) return { mark: { level: 'warning', rules: warnings } };
    return { mark: { level: 'error', rules: errors, ...(warnings.length === 0 ? {} : { warnings }) } };
  }

  others(known: ReadonlyMap<string, string>): string[] {
    const lost = [...this.#byNode].filter(([id]) => !known.has(id)).flatMap(([, findings]) => findings);
    return [...this.#others, ...lost].map(
      finding => `${this.#isError(finding) ? '✖' : '⚠'} ${finding.rule} ${visible(finding.message)}`,
    );
  }
}

function push(map: Map<string, Finding[]>, key: string, finding: Finding): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [finding]);
  else known.push(finding);
}
