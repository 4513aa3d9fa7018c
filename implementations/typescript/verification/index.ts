import type { SchemaDefect } from '../../../schemas/index.js';
import type { Finding, Registry, RuleStatus, VerificationReport } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { digest } from '../state/canonical.js';
import { excerpt } from '../state/excerpt.js';
import { workflowKey } from '../workflow/resolve.js';
import { companionsOf } from './companions.js';
import { createContext, type VerificationContext } from './context.js';
import { inDocumentOrder } from './document-order.js';
import { readInput, type VerifiedInput } from './input.js';
import { keepShapes } from './kept-shapes.js';
import type { FindingDraft, Rule, RuleOutcome } from './rule.js';
import { RULE_IDS, RULES } from './rules/index.js';
import { safetyOf } from './safety.js';
import { noteLiteralPaths } from './values/literal-paths.js';
import { type Note, noteUnlistedNames } from './values/unlisted-names.js';

export type { Finding, Note, VerificationReport };

/**
 * Returns the verification report of a workflow document, a JSON value of any form.
 *
 * Pure: the same document and registry give the same report, whatever the order of nodes, edges and keys, but for
 * pointers. Defects of form come first, under the id SCHEMA; the rules run on what is well-formed. A rule that is not
 * evaluated, as a whole or in part, says so and is never a pass.
 *
 * @requirement VII1
 * @example
 * ```ts
 * const { verdict, findings } = verify(workflow);
 * for (const { rule, pointer, message } of findings) console.error(`${rule} at ${pointer}: ${message}`);
 * ```
 */
export function verify(document: unknown, registry?: Registry): VerificationReport {
  return verifyTogether([document], registry)[0] as VerificationReport;
}

/**
 * Returns the reports of documents that are verified together, in their order: skills are looked for in each other as
 * well as in the registry, and no two may have one name and version.
 *
 * The ids that are `offered`, of actions of a registry at hand, are suggested where nothing has the name that is referred
 * to; no finding depends on them. `note` is told, for each document, what is no finding and yet likely to be a slip.
 */
export function verifyTogether(
  documents: readonly unknown[],
  registry?: Registry,
  offered: readonly string[] = [],
  note?: (document: number, notes: readonly Note[]) => void,
): VerificationReport[] {
  const inputs = documents.map(readInput);
  const companions = companionsOf(inputs);
  const taken = new Set<string>();
  return documents.map((document, at) => {
    const input = inputs[at] as VerifiedInput;
    const key = input.workflow === undefined ? undefined : workflowKey(input.workflow);
    const isTaken = key !== undefined && taken.has(key);
    if (key !== undefined) taken.add(key);
    const surroundings = { companions, isTaken, offered, ...(registry === undefined ? {} : { registry }) };
    const context = createContext(input, surroundings);
    const report = reportOn(document, context);
    if (note !== undefined && input.workflow !== undefined) note(at, notesOf(context, report));
    return report;
  });
}

/** What is likely to be a slip; a text that a finding is about already is not noted, too. */
function notesOf(context: VerificationContext, { findings }: VerificationReport): Note[] {
  const literal = noteLiteralPaths(context);
  const found = new Set(literal.length === 0 ? [] : findings.map(({ pointer }) => pointer));
  return [...noteUnlistedNames(context), ...literal.filter(({ pointer }) => !found.has(pointer))];
}

function reportOn(document: unknown, context: VerificationContext): VerificationReport {
  const { verdict, ...judged } = applyRules(context);
  const safety = safetyOf(context);
  return {
    schema_version: '1.0',
    verdict,
    ...identityOf(document, context.input.workflow !== undefined),
    ...(safety.level === 'UNKNOWN' ? {} : { safety_level: safety.level }),
    safety,
    ...judged,
  };
}

/** Returns what the schema and all rules say of a document, in the order of the document. */
export function applyRules(
  context: VerificationContext,
): Pick<VerificationReport, 'verdict' | 'findings' | 'rules' | 'counts'> {
  const { input } = context;
  keepShapes();
  const outcomes = new Map(RULES.map(rule => [rule.id, { rule, outcome: rule.check(context) }]));
  const findings = input.defects.map(schemaFinding);
  for (const { rule, outcome } of outcomes.values())
    for (const draft of outcome.findings) findings.push(readable(findingOf(rule, draft)));
  let warning = 0;
  for (const { rule, outcome } of outcomes.values())
    if (rule.severity === 'warning') warning += outcome.findings.length;
  const blocking = findings.length - warning;
  return {
    verdict: blocking > 0 ? 'FAIL' : warning > 0 ? 'PASS_WITH_WARNINGS' : 'PASS',
    findings: inDocumentOrder(findings),
    rules: RULE_IDS.map(id => statusOf(id, outcomes.get(id), context)),
    counts: { blocking, warning },
  };
}

/** Makes a draft the finding of a rule; a copy of each would be as much to keep again as the draft itself. */
function findingOf({ id, severity }: Rule, draft: FindingDraft): Finding {
  const finding = draft as Finding;
  finding.rule = id;
  finding.severity = severity;
  return finding;
}

/** How long a text of a finding may be, since it quotes what a document holds. */
const TEXT_LENGTH = 1000;

function readable(finding: Finding): Finding {
  const { message, help } = finding;
  const isLong = message.length > TEXT_LENGTH || help.length > TEXT_LENGTH;
  return isLong ? { ...finding, message: excerpt(message, TEXT_LENGTH), help: excerpt(help, TEXT_LENGTH) } : finding;
}

function schemaFinding(defect: SchemaDefect): Finding {
  const { pointer, message, help } = defect;
  return { rule: 'SCHEMA', severity: 'blocking', pointer, message, related: [], help };
}

function statusOf(
  id: string,
  evaluated: { rule: Rule; outcome: RuleOutcome } | undefined,
  context: VerificationContext,
): RuleStatus {
  if (evaluated === undefined)
    return { rule: id, status: 'not_evaluated', reason: 'this verifier does not evaluate the rule' };
  if (context.input.isForeign === true)
    return { rule: id, status: 'not_evaluated', reason: 'the document is no ARS workflow (SCHEMA)' };
  const { rule, outcome } = evaluated;
  const reason = outcome.notEvaluated ?? generalDoubt(context, id);
  const noted = reason === undefined ? {} : { reason };
  if (outcome.findings.length > 0)
    return { rule: id, status: rule.severity === 'blocking' ? 'fail' : 'warn', ...noted };
  return reason === undefined ? { rule: id, status: 'pass' } : { rule: id, status: 'not_evaluated', reason };
}

/** The rules that judge nodes which no path leads to as well. */
const JUDGE_ALL: ReadonlySet<string> = new Set(['S1', 'S2', 'S4']);

/**
 * Why even a rule without findings is no pass.
 *
 * @requirement VF4
 */
function generalDoubt({ input, ambiguous, unreached }: VerificationContext, rule: string): string | undefined {
  if (input.defects.length > 0) return 'the document does not fit its schema';
  if (ambiguous.size > 0) return 'nodes that share a node_id are not judged (S5)';
  if (unreached === undefined || JUDGE_ALL.has(rule)) return undefined;
  const { first, count } = unreached;
  const more = count === 1 ? '' : ` and ${count - 1} more node${count === 2 ? '' : 's'}`;
  return `no path leads to "${first}"${more} (S2), which ${count === 1 ? 'is' : 'are'} judged once one does`;
}

function identityOf(document: unknown, wellFormed: boolean): { workflow_id?: string; workflow_digest?: string } {
  const identity: { workflow_id?: string; workflow_digest?: string } = {};
  if (wellFormed) {
    const { name, version } = (document as { workflow: { name: string; version: string } }).workflow;
    identity.workflow_id = `${name}@${version}`;
  }
  try {
    identity.workflow_digest = digest(document);
  } catch (error) {
    if (!(error instanceof ArsError && error.code === 'not_canonical')) throw error;
  }
  return identity;
}
