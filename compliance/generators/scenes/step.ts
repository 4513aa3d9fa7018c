import * as fc from 'fast-check';
import type { Act, Scene } from '../../scene.js';
import { scene } from '../scenes.js';

/** Another registered agent. */
export const OTHER = 'other';
/** An agent that nobody registers. */
export const STRANGER = 'stranger';

/** Some acts that are made once their place in the scene is known, so that their names are their own. */
export type Made = (at: number) => readonly Act[];

/** Scenes of four to nine steps, drawn by their weights, after what is before them all. */
export function steps(
  made: readonly { arbitrary: fc.Arbitrary<Made>; weight: number }[],
  before: readonly Act[],
): fc.Arbitrary<Scene> {
  return fc
    .array(fc.oneof(...made), { minLength: 4, maxLength: 9 })
    .map(list => scene([...before, ...list.flatMap((make, at) => make(at))]));
}
