import { vi } from 'vitest';
import { endCode } from './output.js';
import { createProgram } from './program.js';

/** How a command ended, as if it had a process of its own. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both in the order in which they were written. */
  readonly printed: string;
}

/** Runs a command of `ars` in this process, and prints what it throws. */
export const ars = (...args: string[]): Promise<Ended> =>
  heard(() =>
    parsed(args).catch((error: unknown) => {
      process.exitCode = endCode(error);
    }),
  );

/** Runs a command of `ars` in this process, and rejects with what it throws. */
export const arsOrThrow = (...args: string[]): Promise<Ended> => heard(() => parsed(args));

const parsed = (args: string[]): Promise<unknown> => createProgram().parseAsync(args, { from: 'user' });

async function heard(work: () => Promise<unknown>): Promise<Ended> {
  const told = { stdout: '', stderr: '', printed: '' };
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation(text => {
      told[name] += String(text);
      told.printed += String(text);
      return true;
    });
  try {
    await work();
    return { status: Number(process.exitCode ?? 0), ...told };
  } finally {
    process.exitCode = undefined;
    vi.restoreAllMocks();
  }
}
