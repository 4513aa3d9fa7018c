import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application, TSConfigReader } from 'typedoc';
import { expect, it } from 'vitest';
import { DOCUMENTED, demandExamples } from './gate.js';

/** A module of which everything is documented but for what is named after what it lacks. */
const PLANTED = `
/** Options. */
export interface Options {
  lacks_comment: number;
  /** A group. */
  readonly group?: { readonly lacks_comment_too: string };
}
/** Gives nothing. */
export function lacksExample(options: Options): void {}
/**
 * Gives nothing.
 *
 * @example
 * \`\`\`ts
 * runs();
 * runs();
 * \`\`\`
 */
export function runs(): void {}
/**
 * Gives nothing.
 *
 * @example isNotRun()
 */
export function isNotRun(): void {}
/**
 * A class.
 *
 * @example new Class()
 */
export class Class {
  constructor() {}
  /** Gives nothing. */
  lacksExampleToo(): void {}
  lacksBoth(): void {}
}
`;

const TESTS = `
it('runs', () => {
  // #region runs
  runs();
  runs();
  // #endregion
  // #region Class
  new Class()
  // #endregion
  // #region nothing
  somethingElse();
  // #endregion
});
`;

it('finds what is public without a comment, and without an example that is run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ars-typedoc-'));
  const path = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const tests = path('tests.ts', TESTS);
  const options = { noLib: true, types: [], strict: true };
  const tsconfig = path('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['planted.ts'] }));
  const app = await Application.bootstrapWithPlugins(
    {
      entryPoints: [path('planted.ts', PLANTED)],
      tsconfig,
      name: 'planted',
      logLevel: 'Warn',
      skipErrorChecking: true,
      plugin: [demandExamples([tests])],
      requiredToBeDocumented: [...DOCUMENTED],
      validation: { notExported: false, notDocumented: true, invalidLink: true, rewrittenLink: true },
    },
    [new TSConfigReader()],
  );
  const told: string[] = [];
  app.logger.log = (message, level) => {
    if (level >= 2) told.push(message);
  };
  const project = await app.convert();
  if (project === undefined) throw new Error(told.join('\n'));
  app.validate(project);
  rmSync(folder, { recursive: true });
  const found = told.map(message =>
    message
      .replace(/^\S+ /, '')
      .replace(folder, '')
      .replace(/,? \(?(?:defined|of \/|show).*/s, ''),
  );
  expect(found.sort()).toEqual([
    '/tests.ts#nothing is the @example of nothing.',
    'Class.constructor (ConstructorSignature)',
    'Class.lacksBoth (CallSignature)',
    'Class.lacksBoth has no @example;',
    'Class.lacksExampleToo has no @example;',
    'Options.group.__type.lacks_comment_too (Property)',
    'Options.lacks_comment (Property)',
    'The @example of isNotRun is no region',
    'lacksExample has no @example;',
  ]);
});
