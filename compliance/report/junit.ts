import type { ComplianceReport, ComplianceRequirement } from '../../schemas/types.js';
import { escapeXml } from './escape.js';

/**
 * Gives the report as JUnit XML: a test case for each requirement, named by its identifier. What is not applicable is
 * skipped; what could not be decided is an error, since it is no pass.
 */
export function junit(report: ComplianceReport): string {
  const rows = report.requirements;
  const count = (...words: readonly string[]) => rows.filter(({ verdict }) => words.includes(verdict)).length;
  const counts = `tests="${rows.length}" failures="${count('FAIL')}" errors="${count('INCONCLUSIVE', 'HARNESS_ERROR')}" skipped="${count('NOT_APPLICABLE')}"`;
  const { name, version } = report.runtime;
  const seconds = (report.elapsed_ms / 1000).toFixed(3);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="ars-compliance" ${counts} time="${seconds}">`,
    `  <testsuite name="${escapeXml(`${name} ${version}`)}" ${counts} time="${seconds}" timestamp="${report.started_at}">`,
    '    <properties>',
    ...Object.entries({ seed: report.seed, runs: report.runs, suite: report.suite_version }).map(
      ([key, value]) => `      <property name="${key}" value="${escapeXml(String(value))}"/>`,
    ),
    '    </properties>',
    ...rows.flatMap(row => testCase(row, report)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(row: ComplianceRequirement, report: ComplianceReport): string[] {
  const open = `    <testcase name="${escapeXml(row.requirement)}" classname="${escapeXml(row.properties[0] ?? 'none')}" time="0"`;
  if (row.verdict === 'PASS') return [`${open}/>`];
  return [`${open}>`, ...body(row, report), '    </testcase>'];
}

function body(row: ComplianceRequirement, report: ComplianceReport): string[] {
  const reason = escapeXml(row.reason ?? '');
  if (row.verdict === 'NOT_APPLICABLE') return [`      <skipped message="${reason}"/>`];
  if (row.verdict !== 'FAIL') return [`      <error type="${row.verdict}" message="${reason}"/>`];
  return report.failures
    .filter(({ requirement }) => requirement === row.requirement)
    .map(({ property, message, replay }) => {
      const text = escapeXml(`${property}\nars-compliance replay ${replay}`);
      return `      <failure type="FAIL" message="${escapeXml(message)}">${text}</failure>`;
    });
}
