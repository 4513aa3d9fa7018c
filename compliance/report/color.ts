import pc from 'picocolors';

/** What is known of a stream and its surroundings that decides about colours. */
export interface ColorSurroundings {
  readonly isTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Tells whether output is coloured: NO_COLOR decides, then FORCE_COLOR, then whether it goes to a terminal that can show
 * colours. That a machine for continuous integration writes it does not count.
 */
export function wantsColor({ isTTY, env }: ColorSurroundings): boolean {
  if ((env.NO_COLOR ?? '') !== '') return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTTY && env.TERM !== 'dumb';
}

/** Tells whether standard output is coloured. */
export function colorsOutput(): boolean {
  return wantsColor({ isTTY: process.stdout.isTTY === true, env: process.env });
}

/** The functions that colour a text, or leave it as it is. */
export type Colors = ReturnType<typeof pc.createColors>;

/** Gives the colours that are wanted. */
export function colorsOf(color: boolean): Colors {
  return pc.createColors(color);
}
