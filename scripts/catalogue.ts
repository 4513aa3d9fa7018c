/** How a requirement can be shown from outside. */
export type Evidence = 'P' | 'K' | 'T' | 'M' | 'I';

/** What each kind of evidence is. */
export const EVIDENCE: Readonly<Record<Evidence, string>> = {
  P: 'property over generated programs',
  K: 'kill sweep: SIGKILL at a point, then a restart',
  T: 'trace checker over an exported log',
  M: 'message-level conformance',
  I: 'inspection only',
};

/** The kind of a normative identifier. */
export type RequirementKind = 'invariant' | 'rule' | 'contract';

/** Identifiers that belong together, and the chapter that states them. */
export interface Family {
  readonly ids: readonly string[];
  readonly kind: RequirementKind;
  readonly chapter: number;
}

/** Gives `AN1` to `AN5` for `('AN', 1, 5)`. */
function range(prefix: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${from + index}`);
}

function family(kind: RequirementKind, chapter: number, prefix: string, to: number, from = 1): Family {
  return { kind, chapter, ids: range(prefix, from, to) };
}

/** Every normative identifier of ARS 1.0; each is stated once, in the chapter named here or in one that it builds on. */
export const CATALOGUE: readonly Family[] = [
  family('invariant', 4, 'I', 7),
  family('invariant', 5, 'PC', 5),
  family('invariant', 5, 'IH', 4),
  family('invariant', 6, 'AII', 7),
  family('invariant', 7, 'WII', 7),
  family('invariant', 8, 'VII', 4),
  family('invariant', 9, 'G', 4),
  family('invariant', 6, 'CLI', 3),
  family('invariant', 6, 'RBI', 3),
  family('invariant', 6, 'CRC', 3),
  family('rule', 8, 'S', 17),
  family('contract', 1, 'P', 5, 0),
  family('contract', 2, 'CL', 3),
  family('contract', 3, 'FS', 4),
  family('contract', 4, 'SP', 4),
  family('contract', 4, 'SO', 3),
  family('contract', 5, 'EC', 4),
  { kind: 'contract', chapter: 5, ids: ['PR-H', 'PR-S'] },
  family('contract', 5, 'ID', 2),
  { kind: 'contract', chapter: 5, ids: ['EX1'] },
  family('contract', 6, 'CC', 4),
  family('contract', 6, 'CI', 3),
  family('contract', 6, 'AW', 6),
  family('contract', 6, 'RB', 5),
  family('contract', 6, 'CP', 3),
  family('contract', 6, 'CR', 2),
  family('contract', 6, 'AQ', 5),
  family('contract', 6, 'FR', 3),
  family('contract', 7, 'WF', 3),
  family('contract', 7, 'AN', 5),
  family('contract', 7, 'CN', 4),
  family('contract', 7, 'SN', 3),
  family('contract', 7, 'TN', 3),
  family('contract', 7, 'EN', 4),
  family('contract', 7, 'CF', 11),
  family('contract', 7, 'EB', 6),
  family('contract', 7, 'AM', 5),
  family('contract', 7, 'FB', 8),
  family('contract', 7, 'IR', 5),
  family('contract', 8, 'VL', 3),
  family('contract', 8, 'VF', 6),
  family('contract', 8, 'VG', 3),
  family('contract', 8, 'AC', 5),
  family('contract', 8, 'RV', 3),
  family('contract', 8, 'RS', 5),
  family('contract', 8, 'SC', 3),
  family('contract', 8, 'PFZ', 3),
  family('contract', 9, 'GL', 3),
  family('contract', 9, 'PR', 6),
  family('contract', 9, 'EG', 5),
  family('contract', 9, 'AI', 3),
  family('contract', 9, 'NS', 5),
  family('contract', 9, 'CA', 3),
  family('contract', 9, 'DI', 3),
  family('contract', 9, 'ET', 3),
  family('contract', 9, 'GF', 5),
  family('contract', 9, 'GFR', 3),
  family('contract', 9, 'MG', 4),
  family('contract', 9, 'MS', 3),
];

/** The family of each identifier. */
export const FAMILY_OF: ReadonlyMap<string, Family> = new Map(
  CATALOGUE.flatMap(entry => entry.ids.map(id => [id, entry] as const)),
);
