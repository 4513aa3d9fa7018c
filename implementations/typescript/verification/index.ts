import type { SchemaDefect } from '../../../schemas/index.js';
import type { Finding, Registry, RuleStatus, VerificationReport } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { digest } from '../state/canonical.js';
import { workflowKey } from '../workflow/resolve.js';
import { createContext, type Surroundings, type VerificationContext } from './context.js';
import { readInput, type VerifiedInput } from './input.js';
import { keepShapes } from './kept-shapes.js';
import type { Rule, RuleOutcome } from './rule.js';
import { RULE_IDS, RULES } from './rules/index.js';
import { safetyOf } from './safety.js';

export type { Finding, VerificationReport };

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
  return reportOn(document, readInput(document), registry === undefined ? {} : { registry });
}

/**
 * Returns the reports of documents that are verified together, in their order: skills are looked for in each other as
 * well as in the registry, and no two may have one name and version.
 */
export function verifyTogether(documents: readonly unknown[], registry?: Registry): VerificationReport[] {
  const inputs = documents.map(readInput);
  const companions = inputs.flatMap(({ workflow }) => workflow ?? []);
  const taken = new Set<string>();
  return documents.map((document, at) => {
    const input = inputs[at] as VerifiedInput;
    const key = input.workflow === undefined ? undefined : workflowKey(input.workflow);
    const isTaken = key !== undefined && taken.has(key);
    if (key !== undefined) taken.add(key);
    return reportOn(document, input, { companions, isTaken, ...(registry === undefined ? {} : { registry }) });
  });
}

function reportOn(document: unknown, input: VerifiedInput, surroundings: Surroundings): VerificationReport {
  const context = createContext(input, surroundings);
  const { verdict, ...judged } = applyRules(context);
  const safety = safetyOf(context);
  return {
    schema_version: '1.0',
    verdict,
    ...identityOf(document, input.workflow !== undefined),
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
    for (const draft of outcome.findings) findings.push(readable({ ...draft, rule: rule.id, severity: rule.severity }));
  const sorted = inOrder(findings);
  const blocking = sorted.filter(finding => finding.severity === 'blocking').length;
  const warning = sorted.length - blocking;
  return {
    verdict: blocking > 0 ? 'FAIL' : warning > 0 ? 'PASS_WITH_WARNINGS' : 'PASS',
    findings: sorted,
    rules: RULE_IDS.map(id => statusOf(id, outcomes.get(id), context)),
    counts: { blocking, warning },
  };
}

/** How long a text of a finding may be, since it quotes what a document holds. */
const TEXT_LENGTH = 1000;

function readable(finding: Finding): Finding {
  const { message, help } = finding;
  const isLong = message.length > TEXT_LENGTH || help.length > TEXT_LENGTH;
  return isLong ? { ...finding, message: cut(message), help: cut(help) } : finding;
}

/** The beginning and the end of a long text; the end says what is wrong with what was quoted. */
function cut(text: string): string {
  if (text.length <= TEXT_LENGTH) return text;
  const half = TEXT_LENGTH / 2;
  return `${text.slice(0, half).replace(/[\ud800-\udbff]$/, '')} … ${text.slice(-half).replace(/^[\udc00-\udfff]/, '')}`;
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

const SECTIONS = ['', 'schema_version', 'workflow', 'inputs', 'outputs', 'actions', 'nodes', 'edges'];
const RULE_NUMBERS: ReadonlyMap<string, number> = new Map(RULE_IDS.map((id, number) => [id, number]));
const SLASH = 0x2f;

/** Findings by section of the document, index in it and rule, and where these are equal by the rest as text. */
function inOrder(findings: readonly Finding[]): Finding[] {
  const sections = new Uint8Array(findings.length);
  const indices = new Float64Array(findings.length);
  const rules = new Int8Array(findings.length);
  for (let at = 0; at < findings.length; at++) {
    const { pointer, rule } = findings[at] as Finding;
    const second = pointer.indexOf('/', 1);
    sections[at] = sectionOf(second < 0 ? pointer.slice(1) : pointer.slice(1, second));
    indices[at] = second < 0 ? -1 : indexAt(pointer, second + 1);
    rules[at] = RULE_NUMBERS.get(rule) ?? -1;
  }
  const compare = (a: number, b: number): number =>
    (sections[a] as number) - (sections[b] as number) ||
    (indices[a] as number) - (indices[b] as number) ||
    (rules[a] as number) - (rules[b] as number) ||
    compareRest(findings[a] as Finding, findings[b] as Finding) ||
    a - b;
  const order = Uint32Array.from(findings.keys()).sort(compare);
  return Array.from(order, at => findings[at] as Finding);
}

function sectionOf(name: string): number {
  const section = SECTIONS.indexOf(name);
  return section < 0 ? SECTIONS.length : section;
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
