import satisfies from 'semver/functions/satisfies.js';
import { compareVersions, isRange, parseReference } from '../workflow/resolve.js';
import type { VerificationContext } from './context.js';
import { listNames } from './rule.js';
import { suggest } from './suggestion.js';

/** Why a reference leads to nothing, in words, and what to do. */
export interface Unresolved {
  readonly reason: string;
  readonly help: string;
}

/** What is referred to: how it is called, where it is defined, and what there is of it. */
export interface Candidates {
  readonly noun: 'action' | 'workflow';
  names(): readonly string[];
  /** The versions of the name. */
  readonly versions: readonly string[];
}

/** Returns why nothing satisfies a reference: the name, the range or the version. */
export function explainUnresolved(context: VerificationContext, reference: string, candidates: Candidates): Unresolved {
  const { noun } = candidates;
  const { name, range } = parseReference(reference);
  const versions = [...new Set(candidates.versions)].sort(compareVersions);
  if (versions.length === 0) {
    const known = namesOf(context, candidates);
    const listed =
      known.length > 0 && known.length <= 5 ? ` There ${known.length === 1 ? 'is' : 'are'} ${listNames(known)}.` : '';
    const otherwise =
      noun === 'action'
        ? offeredText(context, name) || `Define the action in the workflow, or register it.${listed}`
        : `Register a workflow of that name, or refer to one that exists.${listed}`;
    return { reason: `there is no ${noun} of that name`, help: suggest(context, name, known, otherwise) };
  }
  const has =
    versions.length === 1
      ? `there is the version ${listNames(versions)}`
      : `there are the versions ${listNames(versions)}`;
  const latest = `${name}@^${versions.at(-1)}`;
  if (!isRange(range))
    return { reason: `"${range}" is no range of versions; ${has}`, help: `Write a range, for example "${latest}".` };
  const early = versions.filter(version => satisfies(version, range, { includePrerelease: true })).at(-1);
  const help =
    early === undefined
      ? `Refer to a version that exists, for example "${latest}", or register one that fits.`
      : `A pre-release is meant only by a range that names it: write "${name}@${early}".`;
  return { reason: has, help };
}

const ORIGIN = 'comes with ars, in the registry that "ars builtin" prints.';

function offeredText(context: VerificationContext, name: string): string {
  return context.offered.includes(name) ? `"${name}" ${ORIGIN}` : suggestOffered(context, name);
}

/** Returns the action of a registry at hand that was probably meant, as a question; nothing where there is none. */
export function suggestOffered(context: VerificationContext, name: string): string {
  const meant = suggest(context, name, context.offered, '');
  return meant === '' ? '' : `${meant} It ${ORIGIN}`;
}

/** Returns a question of what was meant as the end of a sentence; with the reference where that names several. */
export function meantFor(help: string, reference: string | undefined): string {
  const whose = reference === undefined ? '' : `for "${reference}", `;
  return `; ${whose}${help.replace(/^Did you/, 'did you').replace(/\.$/, '')}`;
}

const lists = new WeakMap<VerificationContext, Map<Candidates['noun'], readonly string[]>>();

/** The names in their order, made once for each document. */
function namesOf(context: VerificationContext, { noun, names }: Candidates): readonly string[] {
  const known = lists.get(context) ?? new Map<Candidates['noun'], readonly string[]>();
  lists.set(context, known);
  const list = known.get(noun) ?? [...new Set(names())].sort();
  known.set(noun, list);
  return list;
}
