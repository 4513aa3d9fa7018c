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
  /** What its members are about, in a few words. */
  readonly title: string;
  readonly ids: readonly string[];
  readonly kind: RequirementKind;
  readonly chapter: number;
}

/** Gives `AN1` to `AN5` for `('AN', 1, 5)`. */
function range(prefix: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${from + index}`);
}

function family(kind: RequirementKind, chapter: number, prefix: string, to: number, title: string, from = 1): Family {
  return { title, kind, chapter, ids: range(prefix, from, to) };
}

/** Every normative identifier of ARS 1.0; each is stated once, in the chapter named here or in one that it builds on. */
export const CATALOGUE: readonly Family[] = [
  family('invariant', 4, 'I', 7, 'State, policies and what refers to something'),
  family('invariant', 5, 'PC', 5, 'what counts as done'),
  family('invariant', 5, 'IH', 4, 'what a contract may promise'),
  family('invariant', 6, 'AII', 7, 'the log and State'),
  family('invariant', 7, 'WII', 7, 'workflow instances'),
  family('invariant', 8, 'VII', 4, 'verification itself'),
  family('invariant', 9, 'G', 4, 'governance'),
  family('invariant', 6, 'CLI', 3, 'commits'),
  family('invariant', 6, 'RBI', 3, 'rolling back'),
  family('invariant', 6, 'CRC', 3, 'crash recovery'),
  family('rule', 8, 'S', 17, 'the rules of static verification'),
  family('contract', 1, 'P', 5, 'principles', 0),
  family('contract', 2, 'CL', 3, 'components'),
  family('contract', 3, 'FS', 4, 'the workspace folder'),
  family('contract', 4, 'SP', 4, 'what is persisted'),
  family('contract', 4, 'SO', 3, 'documents and owners'),
  family('contract', 5, 'EC', 4, 'executing an action'),
  { title: 'hard and soft preconditions', kind: 'contract', chapter: 5, ids: ['PR-H', 'PR-S'] },
  family('contract', 5, 'ID', 2, 'repeating an action'),
  { title: 'identifiers of executions', kind: 'contract', chapter: 5, ids: ['EX1'] },
  family('contract', 6, 'CC', 4, 'the commit contract'),
  family('contract', 6, 'CI', 3, 'what a commit promises'),
  family('contract', 6, 'AW', 6, 'writing the log'),
  family('contract', 6, 'RB', 5, 'undoing'),
  family('contract', 6, 'CP', 3, 'compensations'),
  family('contract', 6, 'CR', 2, 'when recovery runs'),
  family('contract', 6, 'AQ', 5, 'asking the log'),
  family('contract', 6, 'FR', 3, 'reconstruction'),
  family('contract', 7, 'WF', 3, 'definition and instance'),
  family('contract', 7, 'AN', 5, 'action nodes'),
  family('contract', 7, 'CN', 4, 'condition nodes'),
  family('contract', 7, 'SN', 3, 'skill nodes'),
  family('contract', 7, 'TN', 3, 'terminal nodes'),
  family('contract', 7, 'EN', 4, 'error nodes'),
  family('contract', 7, 'CF', 11, 'control flow'),
  family('contract', 7, 'EB', 6, 'data flow'),
  family('contract', 7, 'AM', 5, 'what an instance records'),
  family('contract', 7, 'FB', 8, 'failures'),
  family('contract', 7, 'IR', 5, 'running again and resuming'),
  family('contract', 8, 'VL', 3, 'order of the phases'),
  family('contract', 8, 'VF', 6, 'verdicts and reports'),
  family('contract', 8, 'VG', 3, 'what verification guarantees'),
  family('contract', 8, 'AC', 5, 'consistency of a log'),
  family('contract', 8, 'RV', 3, 'replay'),
  family('contract', 8, 'RS', 5, 'sources of risk'),
  family('contract', 8, 'SC', 3, 'how risk propagates'),
  family('contract', 8, 'PFZ', 3, 'partial-failure zones'),
  family('contract', 9, 'GL', 3, 'the gates of a start'),
  family('contract', 9, 'PR', 6, 'permissions'),
  family('contract', 9, 'EG', 5, 'what a gate is'),
  family('contract', 9, 'AI', 3, 'identity of agents'),
  family('contract', 9, 'NS', 5, 'namespaces'),
  family('contract', 9, 'CA', 3, 'between agents'),
  family('contract', 9, 'DI', 3, 'domains of permissions'),
  family('contract', 9, 'ET', 3, 'trust in what comes from outside'),
  family('contract', 9, 'GF', 5, 'failures of governance'),
  family('contract', 9, 'GFR', 3, 'governance after a restart'),
  family('contract', 9, 'MG', 4, 'what the model guarantees'),
  family('contract', 9, 'MS', 3, 'confirmations'),
];

/** The family of each identifier. */
export const FAMILY_OF: ReadonlyMap<string, Family> = new Map(
  CATALOGUE.flatMap(entry => entry.ids.map(id => [id, entry] as const)),
);
