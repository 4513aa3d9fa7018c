import type { ComplianceReport } from '../../schemas/types.js';

/** Gives the report in the Test Anything Protocol 14: a test point for each requirement; only PASS and what does not apply are ok. */
export function tap(report: ComplianceReport): string {
  const { name, version } = report.runtime;
  const lines = [
    'TAP version 14',
    `# ARS ${report.spec_version}: ${oneLine(`${name} ${version}`)}, seed ${report.seed}`,
  ];
  lines.push(report.requirements.length === 0 ? '1..0 # SKIP nothing was judged' : `1..${report.requirements.length}`);
  report.requirements.forEach(({ requirement, verdict, reason, planned, reached, passed }, index) => {
    const skipped = verdict === 'NOT_APPLICABLE';
    const word = verdict === 'PASS' || skipped ? 'ok' : 'not ok';
    const directive = skipped ? ` # SKIP not applicable: ${escaped(reason ?? '')}` : '';
    lines.push(`${word} ${index + 1} - ${escaped(requirement)}${directive}`);
    if (verdict === 'PASS' || skipped) return;
    const failures = report.failures.filter(failure => failure.requirement === requirement);
    const facts = { verdict, ...(reason === undefined ? {} : { reason }), planned, reached, passed };
    lines.push('  ---');
    for (const [key, value] of Object.entries(facts)) lines.push(`  ${key}: ${JSON.stringify(value)}`);
    for (const [key, value] of [
      ['message', failures[0]?.message],
      ['replay', failures[0]?.replay],
    ])
      if (value !== undefined) lines.push(`  ${key}: ${JSON.stringify(value)}`);
    lines.push('  ...');
  });
  return `${lines.join('\n')}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** A description has no bare number sign, which begins a directive. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\#]/g, sign => `\\${sign}`);
}
