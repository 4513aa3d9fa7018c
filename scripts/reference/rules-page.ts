import type { Rule } from '../../implementations/typescript/verification/rule.js';
import type { Requirement } from '../chapters.js';
import { fromChapter, pageStart, table } from './markdown.js';

/** Gives `reference/rules.md`: the rules of static verification, each with an example that fails and one that passes. */
export function rulesPage(rules: readonly Rule[], requirements: readonly Requirement[]): string {
  const stated = new Map(requirements.map(requirement => [requirement.id, requirement]));
  const index = rules.map(rule => [`[${rule.id}](#${rule.id.toLowerCase()})`, rule.severity, rule.requirement]);
  const sections = rules.map(rule => sectionOf(rule, stated.get(rule.id)));
  return `${pageStart('Verification rules', 'spec/v1.0 and the rules of the reference verifier')}
What \`npx ars verify\` looks for in a workflow before it runs; \`npx ars explain S1\` prints the same.
A **blocking** finding makes the verdict FAIL, and the workflow does not start; a **warning** does not.
The examples show nodes and edges only.

${table(['rule', 'severity', 'a workflow is well where'], index)}

${sections.join('\n')}`;
}

function sectionOf(rule: Rule, requirement: Requirement | undefined): string {
  const stated =
    requirement === undefined
      ? ''
      : `\n[${rule.id}](../${requirement.link}): ${fromChapter(requirement.sentence, requirement.link.replace(/#.*$/, ''))}\n`;
  return `## ${rule.id}

${rule.requirement}
Severity: ${rule.severity}.
${stated}
**Why.** ${rule.why}

**Help.** ${rule.help}

Fails:

\`\`\`yaml
${rule.failing.trimEnd()}
\`\`\`

Passes:

\`\`\`yaml
${rule.passing.trimEnd()}
\`\`\`
`;
}
