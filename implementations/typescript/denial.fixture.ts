import { ArsError } from './error.js';

/** The code, the gate and the codes of the reasons of a denial, or what the work gave. */
export async function denial(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    const { gate, reasons = [] } = error.details as { gate?: string; reasons?: { code: string }[] };
    return [error.code, gate, ...reasons.map(({ code }) => code)];
  }
}
