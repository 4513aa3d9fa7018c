import pc from 'picocolors';
import type { Colors } from './code-frame.js';

/** What is known of a stream and its surroundings that decides about colours. */
export interface ColorSurroundings {
  readonly isTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Tells whether output is coloured: --color and --no-color decide, then NO_COLOR, then FORCE_COLOR, then whether it goes
 * to a terminal that can show colours.
 */
export function wantsColor(option: boolean | undefined, { isTTY, env }: ColorSurroundings): boolean {
  if (option !== undefined) return option;
  if ((env.NO_COLOR ?? '') !== '') return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTTY && env.TERM !== 'dumb';
}

/** Returns the colours for standard output. */
export function outputColors(option?: boolean): Colors {
  return colorsOf(process.stdout, option);
}

/** Returns the colours for what goes to standard error. */
export function errorColors(): Colors {
  return colorsOf(process.stderr);
}

function colorsOf({ isTTY }: NodeJS.WriteStream, option?: boolean): Colors {
  return pc.createColors(wantsColor(option, { isTTY: isTTY === true, env: process.env }));
}
