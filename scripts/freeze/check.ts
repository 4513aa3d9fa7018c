import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { readChapter } from '../chapters.js';
import { type ErrataReading, readErrata } from './errata.js';
import {
  applyErrata,
  type Change,
  changesBetween,
  type Digests,
  digestOf,
  ERRATA_FILE,
  FROZEN_FILE,
  type Frozen,
  isFrozenPath,
  type Levels,
  levelChanges,
} from './frozen.js';

/** What is known of the published text in a folder. */
export interface FreezeState {
  /** Absent where nothing was published yet. */
  readonly frozen?: Frozen;
  readonly errata: ErrataReading;
  readonly present: Digests;
  readonly levels: Levels;
  /** Changes that no erratum tells of. */
  readonly uncovered: readonly Change[];
  /** What is wrong, uncovered changes included, each with what to do. */
  readonly problems: readonly string[];
}

/** Gives the state of the published text below a folder. */
export function readFreezeState(root: string): FreezeState {
  const present = presentDigests(root);
  const levels = presentLevels(root, Object.keys(present));
  const errata = readErrata(read(root, ERRATA_FILE) ?? '');
  const text = read(root, FROZEN_FILE);
  if (text === undefined) {
    const lost =
      errata.published === undefined
        ? []
        : [
            `${FROZEN_FILE} is missing, though ${ERRATA_FILE} says that the text was published on ${errata.published}; bring it back`,
          ];
    return { errata, present, levels, uncovered: [], problems: [...errata.problems, ...lost] };
  }
  const frozen = JSON.parse(text) as Frozen;
  const dates =
    frozen.frozen === errata.published
      ? []
      : [`${ERRATA_FILE}: the line "**Published.**" differs from the date ${frozen.frozen} of ${FROZEN_FILE}`];
  const { expected, problems } = applyErrata(
    frozen.files,
    errata.errata.flatMap(erratum => erratum.changes),
  );
  const uncovered = changesBetween(expected, present);
  return {
    frozen,
    errata,
    present,
    levels,
    uncovered,
    problems: [
      ...errata.problems,
      ...dates,
      ...problems,
      ...uncovered.map(change => describe(change, frozen.files)),
      ...levelChanges(frozen.requirements, levels),
    ],
  };
}

function describe({ file, before, after }: Change, published: Digests): string {
  if (after === published[file])
    return `${file} is as it was published, but an erratum tells of a change; remove the erratum or make the change`;
  const what = before === undefined ? 'is new' : after === undefined ? 'is gone' : 'has changed';
  return `${file} ${what} since it was published, and no erratum leads from ${before ?? 'none'} to ${after ?? 'none'}; undo the change, or run npm run freeze -- --draft and complete the entry that it prints, in ${ERRATA_FILE}`;
}

function presentDigests(root: string): Digests {
  const folders = ['spec/v1.0', 'schemas/v1.0'].filter(folder => existsSync(join(root, folder)));
  const paths = folders.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/')),
  );
  const frozen = paths.filter(isFrozenPath).sort();
  return Object.fromEntries(frozen.map(path => [path, digestOf(readFileSync(join(root, path)))]));
}

function presentLevels(root: string, paths: readonly string[]): Levels {
  const chapters = paths.filter(path => /\/\d\d-[^/]+\.md$/.test(path));
  const requirements = chapters.flatMap(path => readChapter(path, read(root, path) ?? '').requirements);
  return Object.fromEntries(requirements.map(({ id, level }) => [id, level]));
}

function read(root: string, path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
}
