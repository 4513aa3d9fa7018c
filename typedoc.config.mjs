import { OptionDefaults } from 'typedoc';
import { DOCUMENTED, demandExamples } from './dist/scripts/typedoc/gate.js';

/** @type {import('typedoc').TypeDocOptions} */
export default {
  name: 'Agent Runtime Specification',
  entryPoints: ['implementations/typescript/index.ts', 'compliance/adapter/index.ts', 'schemas/index.ts'],
  tsconfig: 'tsconfig.json',
  skipErrorChecking: true,
  out: 'out/docs',
  readme: 'none',
  githubPages: false,
  disableGit: true,
  sourceLinkTemplate: '{path}#{line}',
  excludePrivate: true,
  excludeInternal: true,
  blockTags: [...OptionDefaults.blockTags, '@requirement'],
  plugin: [
    demandExamples(
      ['implementations/typescript', 'compliance/adapter', 'schemas'].map(folder => `${folder}/docstrings.test.ts`),
    ),
  ],
  requiredToBeDocumented: [...DOCUMENTED],
  validation: { notExported: true, notDocumented: true, invalidLink: true, rewrittenLink: true },
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
};
