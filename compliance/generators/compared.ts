import * as fc from 'fast-check';
import type { Program } from '../program.js';
import { handledPrograms } from './handled.js';
import { givingPrograms, joinPrograms, partingPrograms, programs } from './workflows.js';

/**
 * Programs by which two runtimes are compared: of any kind, and often of those shapes that chance gives seldom and that
 * runtimes understand in different ways.
 */
export const comparedPrograms: fc.Arbitrary<Program> = fc.oneof(
  { withCrossShrink: true },
  { weight: 6, arbitrary: programs() },
  { weight: 2, arbitrary: partingPrograms({ calm: true }) },
  { weight: 1, arbitrary: joinPrograms('AND', { calm: true }) },
  { weight: 1, arbitrary: joinPrograms('OR', { calm: true }) },
  { weight: 1, arbitrary: givingPrograms({ calm: true }) },
  { weight: 3, arbitrary: handledPrograms },
);
