import * as fc from 'fast-check';
import { OWNER, type Program, type UndoWish } from '../program.js';
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

const undoPick = fc
  .record({
    pick: fc.nat(3),
    undone: fc.constantFrom(false, false, false, true),
    agent_id: fc.constantFrom(undefined, undefined, undefined, OWNER),
    times: fc.constantFrom(undefined, undefined, 2),
  })
  .map(({ agent_id, times, ...pick }) => ({
    ...pick,
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(times === undefined ? {} : { times }),
  }));

/** Programs that are cancelled, resumed, or of which something is to be undone in the end. */
export const steeredPrograms: fc.Arbitrary<Program> = fc.oneof(
  fc.tuple(handledPrograms, fc.integer({ min: 1, max: 4 })).map(([program, cancel_at]) => ({ ...program, cancel_at })),
  handledPrograms.map((program): Program => ({ ...program, resume: true })),
  fc.tuple(programs(), fc.array(undoPick, { minLength: 1, maxLength: 4 })).map(([program, picks]): Program => {
    const ids = program.workflow.nodes.filter(({ type }) => type === 'action').map(({ node_id }) => node_id);
    const undos = picks.map(({ pick, undone, ...wish }, at): UndoWish => {
      const of = undone && at > 0 ? { undo: at - 1 } : { node_id: ids[pick % Math.max(1, ids.length)] ?? '' };
      return { of, ...wish };
    });
    return { ...program, undos };
  }),
);

/** Programs without parallel steps that are killed inside one of their actions. */
export const interruptedPrograms: fc.Arbitrary<Program> = fc
  .tuple(programs(), fc.integer({ min: 1, max: 3 }), fc.constantFrom('receipt' as const, 'reply' as const))
  .map(([program, ordinal, when]) => ({
    ...program,
    max_parallel: 1,
    kills: [{ at: 'invocation' as const, ordinal, when }],
  }));
