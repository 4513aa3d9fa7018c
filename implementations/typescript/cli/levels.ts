import type { Finding, RuleStatus, VerificationReport, VerifierConfig } from '../../../schemas/types.js';
import { RULE_IDS, RULES } from '../verification/rules/index.js';

/** How much a finding of a rule counts. */
export type Level = 'error' | 'warning' | 'off';

/** A set of levels for all rules. */
export type Preset = NonNullable<VerifierConfig['preset']>;

/** How the levels of rules are chosen, by a configuration and by the call. */
export interface LevelSettings {
  readonly preset?: Preset | undefined;
  readonly rules?: Readonly<Record<string, Level>> | undefined;
  /** Where the preset and the rules come from, for a reader. */
  readonly origin?: string | undefined;
  /** The only rules that count; absent means all. */
  readonly only?: ReadonlySet<string> | undefined;
  readonly skip?: ReadonlySet<string> | undefined;
}

/** The level of a rule, and why it is not that of the specification. */
export interface RuleLevel {
  readonly level: Level;
  readonly reason?: string;
}

/** The level of every rule. */
export type Levels = ReadonlyMap<string, RuleLevel>;

const BLOCKING: ReadonlySet<string> = new Set(RULES.filter(rule => rule.severity === 'blocking').map(rule => rule.id));

/** Whether a finding of the rule keeps a workflow from starting, whatever its level is here. */
export function isBlocking(rule: string): boolean {
  return BLOCKING.has(rule) || rule === 'SCHEMA';
}

/** Returns the level of every rule. Defects of form are errors always. */
export function levelsOf({ preset = 'recommended', rules = {}, origin, only, skip }: LevelSettings): Levels {
  const levels = new Map<string, RuleLevel>();
  for (const id of RULE_IDS) {
    const chosen = rules[id];
    const usual = only?.has(id) === true && chosen === 'off' ? levelIn('recommended', id) : levelIn(preset, id);
    const level = chosen === undefined || (chosen === 'off' && only?.has(id) === true) ? usual : chosen;
    if (skip?.has(id)) levels.set(id, { level: 'off', reason: 'left out by --skip-rule' });
    else if (only !== undefined && !only.has(id)) levels.set(id, { level: 'off', reason: 'not named by --rule' });
    else if (level === levelIn('recommended', id)) levels.set(id, { level });
    else {
      const source = chosen === level ? (origin ?? 'the configuration') : `the preset ${preset}`;
      levels.set(id, { level, reason: level === 'off' ? `off in ${source}` : `${level} by ${source}` });
    }
  }
  return levels;
}

function levelIn(preset: Preset, id: string): Level {
  if (BLOCKING.has(id)) return 'error';
  if (preset === 'strict') return 'error';
  return preset === 'minimal' ? 'off' : 'warning';
}

/** Returns the level at which a finding counts. */
export function levelOf(levels: Levels, finding: Finding): Level {
  return levels.get(finding.rule)?.level ?? (finding.severity === 'blocking' ? 'error' : 'warning');
}

/**
 * Returns a report without the findings of rules that are off; these rules are then not evaluated, and no pass.
 *
 * Severities and the verdict stay those of the specification: a level decides what counts here, not what may start.
 */
export function withoutRulesThatAreOff(report: VerificationReport, levels: Levels): VerificationReport {
  const isOff = (rule: string): boolean => levels.get(rule)?.level === 'off';
  if (!RULE_IDS.some(isOff)) return report;
  const findings = report.findings.filter(finding => !isOff(finding.rule));
  const rules = report.rules.map((status): RuleStatus => {
    const level = levels.get(status.rule);
    if (level?.level !== 'off') return status;
    return { rule: status.rule, status: 'not_evaluated', reason: level.reason ?? 'left out' };
  });
  const blocking = findings.filter(finding => finding.severity === 'blocking').length;
  const warning = findings.length - blocking;
  return { ...report, findings, rules, counts: { blocking, warning } };
}
