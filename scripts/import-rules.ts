import { posix } from 'node:path';
import ts from 'typescript';
import { CHAPTERS, EDGES, PURE, RUNTIME } from './shape.js';

const ORDER = new Map(CHAPTERS.map(chapter => [chapter.noun, chapter.number]));
const IMPURE_MODULES =
  /^node:(?:fs|net|http|https|http2|tls|dgram|dns|child_process|worker_threads|cluster|timers|os)(?:\/|$)/;
const IMPURE_CALLS =
  /\b(?:Date\.now|new Date\(\)|Math\.random|performance\.now|process\.hrtime|setTimeout|setInterval|random(?:Bytes|UUID|Int)|getRandomValues|fetch\()/g;

/** Gives the modules that a source imports, as written. */
export function importsOf(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(file => file.fileName);
}

/** Gives what is wrong with the imports and calls of one source. `path` is relative to the project. */
export function violations(path: string, text: string): string[] {
  const imports = importsOf(text);
  const local = imports
    .filter(name => name.startsWith('.'))
    .map(name => posix.join(posix.dirname(path), name).replace(/\.js$/, '.ts'));
  const crossed = local.flatMap(target => {
    const rule = forbidden(path, target);
    return rule === undefined ? [] : [`${path} imports ${target}: ${rule}`];
  });
  return path.endsWith('.test.ts') ? crossed : [...crossed, ...impurities(path, text, imports)];
}

/** Why a source must not import another, or undefined where it may. */
function forbidden(from: string, to: string): string | undefined {
  const source = treeOf(from);
  const target = treeOf(to);
  if (source === 'schemas' && target !== 'schemas') return 'schemas stand on nothing';
  if (source === 'compliance' && target === RUNTIME && !from.startsWith('compliance/mutants/')) {
    return 'the suite knows no implementation';
  }
  if (source === RUNTIME && target === 'compliance' && !mayServe(from, to)) {
    return 'the runtime uses of the suite only its adapter, and only in its own';
  }
  if (source === RUNTIME && target === RUNTIME && !from.endsWith('.test.ts')) return outOfOrder(from, to);
  return undefined;
}

/** Whether a file is the runtime's adapter, which the suite's `serve` connects. */
function mayServe(from: string, to: string): boolean {
  return /^implementations\/typescript\/adapter(?:\/|[.-])/.test(from) && to.startsWith('compliance/adapter/');
}

function outOfOrder(from: string, to: string): string | undefined {
  const [source, target] = [folderOf(from), folderOf(to)];
  if (source === target || to === `${RUNTIME}/error.ts`) return undefined;
  if (from === `${RUNTIME}/error.ts`) return 'error.ts is below everything';
  const number = ORDER.get(source);
  if (number === undefined && !EDGES.includes(source)) return undefined;
  if (source === 'cli') return undefined;
  const below = ORDER.get(target);
  if (below === undefined) return `"${source}" is below "${target === '' ? 'the root' : target}"`;
  return number !== undefined && below > number ? `chapter ${number} is below chapter ${below}` : undefined;
}

function treeOf(path: string): string {
  return path.startsWith(`${RUNTIME}/`) ? RUNTIME : path.slice(0, path.indexOf('/'));
}

/** The folder of the runtime that a file is in; empty at its root. */
function folderOf(path: string): string {
  const below = path.slice(RUNTIME.length + 1);
  return below.includes('/') ? below.slice(0, below.indexOf('/')) : '';
}

function impurities(path: string, text: string, imports: readonly string[]): string[] {
  if (!PURE.some(place => path === place || (place.endsWith('/') && path.startsWith(place)))) return [];
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const calls = [...code.matchAll(IMPURE_CALLS)].map(match => match[0]);
  const modules = imports.filter(name => IMPURE_MODULES.test(name));
  return [...modules, ...calls].map(what => `${path} is pure and uses ${what}`);
}
