import { commands } from '../compliance/commands.js';
import { SUITE_ERROR_MEANINGS } from '../compliance/error.js';
import { MUTANTS } from '../compliance/mutants/index.js';
import { PROPERTIES } from '../compliance/properties/index.js';
import { KIND_MEANINGS } from '../compliance/wire/kinds.js';
import { createProgram } from '../implementations/typescript/cli/program.js';
import { ERROR_MEANINGS } from '../implementations/typescript/error.js';
import { REASONS } from '../implementations/typescript/governance/reasons.js';
import { RULES } from '../implementations/typescript/verification/rules/index.js';
import { loadSchema, resolveSchema, schemaId } from '../schemas/load.js';
import { collectRequirements, readChapters } from './generate-requirements.js';
import type { Generated } from './project.js';
import { auditRecordPage } from './reference/audit-record-page.js';
import { cliPage } from './reference/cli-page.js';
import { coverageOf, coveragePage } from './reference/count.js';
import { errorCodesPage, reasonsNamedIn } from './reference/error-codes-page.js';
import { glossaryPage, termsDefinedTwice } from './reference/glossary-page.js';
import { indexPage } from './reference/index-page.js';
import { missingTables, stateModelPage } from './reference/life-cycles.js';
import { contractsPage, invariantsPage, requirementsPage } from './reference/requirement-pages.js';
import { rulesPage } from './reference/rules-page.js';
import { type ReferenceSources, strayNames } from './reference/sources.js';

/** Gives what the pages about requirements are made from. */
export function readSources(): ReferenceSources {
  const chapters = readChapters();
  const { requirements } = collectRequirements(chapters);
  return { chapters, requirements, properties: PROPERTIES, mutants: MUTANTS };
}

/** Gives the pages of `reference/`, its list of requirements aside. */
export function generateReference(): Generated {
  const sources = readSources();
  const { chapters, requirements } = sources;
  const links = new Map(requirements.map(({ id, link }) => [id, link]));
  const codes = {
    runtime: ERROR_MEANINGS,
    suite: SUITE_ERROR_MEANINGS,
    kinds: KIND_MEANINGS,
    reasons: REASONS,
    named: chapters.flatMap(({ text }) => reasonsNamedIn(text)),
    links,
  };
  const pages: Readonly<Record<string, string>> = {
    'requirements.md': requirementsPage(sources),
    'invariants.md': invariantsPage(sources),
    'contracts.md': contractsPage(sources),
    'rules.md': rulesPage(RULES, requirements),
    'error-codes.md': errorCodesPage(codes),
    'audit-record.md': auditRecordPage(loadSchema('audit-record'), reference =>
      resolveSchema(new URL(reference, schemaId('audit-record')).href),
    ),
    'state-model.md': stateModelPage(chapters),
    'glossary.md': glossaryPage(chapters),
    'coverage.md': coveragePage(coverageOf(sources)),
    'cli.md': cliPage([createProgram(), commands(() => {})]),
  };
  const named = Object.entries({ ...pages, 'README.md': indexPage(pages) });
  const files = Object.fromEntries(named.map(([name, text]) => [`reference/${name}`, text]));
  return { files, problems: [...strayNames(sources), ...missingTables(chapters), ...termsDefinedTwice(chapters)] };
}
