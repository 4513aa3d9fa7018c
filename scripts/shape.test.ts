import { describe, expect, test } from 'vitest';
import { importsOf, violations } from './import-rules.js';
import {
  CHAPTERS,
  chapterFile,
  EDGES,
  projectFiles,
  RUNTIME,
  readProjectFile,
  shapeTable,
  sources,
  TOOL_SCHEMAS,
  withoutPadding,
} from './shape.js';

const files = projectFiles();

/** The names directly below a folder that are folders themselves. */
function foldersBelow(folder: string): string[] {
  const inside = files.filter(path => path.startsWith(`${folder}/`)).map(path => path.slice(folder.length + 1));
  return [...new Set(inside.filter(path => path.includes('/')).map(path => path.slice(0, path.indexOf('/'))))];
}

describe('one noun, one place in every tree', () => {
  test('every chapter has its file, and every file of the folder is a chapter or about all of them', () => {
    const numbered = files.filter(path => /^spec\/v1\.0\/\d\d-/.test(path));
    expect(numbered).toEqual(CHAPTERS.map(chapterFile));
  });

  test('every schema belongs to one chapter or to a tool', () => {
    const named = [...CHAPTERS.flatMap(chapter => chapter.schemas), ...TOOL_SCHEMAS];
    const present = files.filter(path => /^schemas\/v1\.0\/[^/]+\.schema\.json$/.test(path));
    expect(named.map(name => `schemas/v1.0/${name}.schema.json`).sort()).toEqual(present);
  });

  test('every folder of the runtime and of the properties is a chapter’s noun, edges aside', () => {
    const nouns = CHAPTERS.map(chapter => chapter.noun);
    expect(foldersBelow(RUNTIME).filter(name => !nouns.includes(name) && !EDGES.includes(name))).toEqual([]);
    expect(foldersBelow('compliance/properties').filter(name => !nouns.includes(name))).toEqual([]);
  });

  test('the README prints the table; `npm run shape` gives it as it should be', () => {
    expect(withoutPadding(readProjectFile('README.md'))).toContain(withoutPadding(shapeTable()));
  });
});

describe('imports', () => {
  test('point downward only, and what is pure stays pure', () => {
    expect(sources().flatMap(path => violations(path, readProjectFile(path)))).toEqual([]);
  });

  test.each([
    ['compliance/runner/run.ts', '../../implementations/typescript/error.js', 'knows no implementation'],
    ['compliance/model/gate.ts', 'node:fs', 'is pure and uses node:fs'],
    ['schemas/index.ts', '../scripts/shape.js', 'stand on nothing'],
    [`${RUNTIME}/state/state.ts`, '../audit/log.js', 'chapter 4 is below chapter 6'],
    [`${RUNTIME}/workflow/plan.ts`, '../store/store.js', '"workflow" is below "store"'],
    [`${RUNTIME}/store/store.ts`, '../runtime.js', '"store" is below "the root"'],
    [`${RUNTIME}/error.ts`, './state/state.js', 'below everything'],
    [`${RUNTIME}/runtime.ts`, '../../compliance/adapter/index.js', 'only its adapter'],
  ])('of %s: %s is refused', (path, name, reason) => {
    expect(violations(path, `import { x } from '${name}';\nx();\n`).join()).toContain(reason);
  });

  test.each([
    ['compliance/mutants/index.ts', '../../implementations/typescript/index.js'],
    [`${RUNTIME}/governance/gate.ts`, '../verification/index.js'],
    [`${RUNTIME}/store/store.ts`, '../audit/log.js'],
    [`${RUNTIME}/workflow/plan.ts`, '../error.js'],
    [`${RUNTIME}/adapter.ts`, '../../compliance/adapter/index.js'],
    [`${RUNTIME}/runtime.ts`, './store/store.js'],
    [`${RUNTIME}/workspace/manifest.ts`, 'node:fs'],
  ])('of %s: %s is allowed', (path, name) => {
    expect(violations(path, `import { x } from '${name}';\nx();\n`)).toEqual([]);
  });

  test('a clock or chance in a pure place is named, a comment about one is not', () => {
    const path = `${RUNTIME}/verification/index.ts`;
    expect(violations(path, '// Date.now\nconst now = Date.now() + Math.random();')).toEqual([
      `${path} is pure and uses Date.now`,
      `${path} is pure and uses Math.random`,
    ]);
  });
});

/** Sources that end up in the package. */
function shipped(): string[] {
  const trees = /^(?:schemas|compliance|implementations\/typescript)\/.*\.ts$/;
  return sources().filter(path => trees.test(path) && !/\.test\.ts$|\.fixture\.|\/testing\//.test(path));
}

test('whatever the package imports is installed with it', () => {
  const { dependencies } = JSON.parse(readProjectFile('package.json')) as { dependencies: Record<string, string> };
  const imported = shipped().flatMap(path => importsOf(readProjectFile(path)).map(name => [path, name] as const));
  const missing = imported.filter(([, name]) => {
    if (/^(?:\.|node:|agent-runtime-spec(?:\/|$))/.test(name)) return false;
    const owner = name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/');
    return !Object.hasOwn(dependencies, owner);
  });
  expect(missing.map(([path, name]) => `${path}: ${name}`)).toEqual([]);
});

test('no file names a folder of one machine or the host of a registry', () => {
  const foreign = /(?:^|[\s"'`(=:])\/(?:work|home|Users|root|tmp)\/|\bregistry\.(?:npmjs|yarnpkg)\./m;
  const texts = files.filter(path => /\.(?:ts|js|mjs|json|md|ya?ml|svg|txt|sh|jsonl)$|^\.[^/]+$|^\.ci\//.test(path));
  expect(texts.filter(path => foreign.test(readProjectFile(path)))).toEqual([]);
});
