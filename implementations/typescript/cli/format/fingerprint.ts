import { createHash } from 'node:crypto';
import type { Finding, VerificationReport } from '../../../../schemas/types.js';

/**
 * Gives findings a name each that stays where lines move and nodes change places: a digest of the rule, the workflow, what
 * the finding is about and what it says. Of findings that agree in all of it, the later ones are numbered.
 */
export class Fingerprints {
  readonly #seen = new Map<string, number>();

  /** Returns 32 hexadecimal digits for a finding of a report. */
  of(file: string, report: VerificationReport, { rule, node_id, edge, pointer, message }: Finding): string {
    const workflow = report.workflow_id?.replace(/@[^@]*$/, '') ?? file;
    const subject = node_id ?? edge ?? pointer.replaceAll(/\/[0-9]+(?=\/|$)/g, '/*');
    const text = JSON.stringify([rule, workflow, subject, edge ?? null, message]);
    const count = this.#seen.get(text) ?? 0;
    this.#seen.set(text, count + 1);
    return createHash('sha256').update(`${text}#${count}`).digest('hex').slice(0, 32);
  }
}
