import type { Registry, VerificationReport } from '../../../schemas/types.js';
import { readDocuments } from '../workspace/document.js';
import { verifyTogether } from './index.js';

/** An example: what its first lines announce, and what the verifier says of it. */
export interface ReadExample {
  /** As `S1 at /edges/0`, in the order of the lines. */
  readonly announced: readonly string[];
  readonly report: VerificationReport;
  /** The arguments of `ars verify` that verify it, from its own folder. */
  readonly companions: readonly string[];
}

/**
 * Returns an example with its report; `read` gives the text of a file, by its path from the example's own folder.
 *
 * A line `# finding: RULE at POINTER` announces a finding, `# registry: FILE` names the registry that it needs,
 * `# together with: FILE` a document that is given before it.
 */
export function readExample(file: string, read: (path: string) => string): ReadExample {
  const text = read(file);
  const announced = [...text.matchAll(/^# finding: (\S+ at \S*)$/gm)].map(match => match[1] ?? '');
  const named = (what: string): string[] =>
    [...text.matchAll(new RegExp(`^# ${what}: (\\S+)$`, 'gm'))].map(match => match[1] ?? '');
  const companion = (path: string): unknown => onlyValue(path, read(path));
  const [registry] = named('registry');
  const together = named('together with');
  const reports = verifyTogether(
    [...together, file].map(companion),
    registry === undefined ? undefined : (companion(registry) as Registry),
  );
  const companions = [...together, ...(registry === undefined ? [] : ['--registry', registry])];
  return { announced, report: reports.at(-1) as VerificationReport, companions };
}

function onlyValue(file: string, text: string): unknown {
  const documents = readDocuments(text, { file });
  const defects = documents.flatMap(document => document.defects.map(({ message }) => message));
  if (documents.length !== 1 || defects.length > 0)
    throw new Error(`${file} is not one readable document: ${defects.join()}`);
  return documents[0]?.value;
}
