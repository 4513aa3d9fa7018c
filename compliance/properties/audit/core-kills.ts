import type { Kill, Observation, Program } from '../../program.js';
import type { Twin } from '../../runner/case-property.js';
import type { Property } from '../../runner/property.js';
import { killedAt } from '../cases.js';
import { chain, writing } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { crashTwin } from './crash-twins.js';

/** What the suite's ledger shows by itself, of a runtime without log and fault points. */
const REQUIREMENTS = ['IR5', 'CLI3', 'EX1'] as const;

/** How long each action of a chain takes that is killed at a time, in milliseconds. */
const STEP_MS = 60;

interface Place {
  readonly name: string;
  readonly title: string;
  readonly kills: (n: number) => readonly Kill[];
  readonly workflow: (kills: readonly Kill[]) => Program;
  readonly examples: readonly number[];
}

const PLACES: readonly Place[] = [
  {
    name: 'inside',
    title: 'inside an action',
    kills: ordinal => [{ at: 'invocation', ordinal, when: 'receipt' }],
    workflow: kills => chain(4, kills),
    examples: [4],
  },
  {
    name: 'after',
    title: 'when an action has answered',
    kills: ordinal => [{ at: 'invocation', ordinal, when: 'reply' }],
    workflow: kills => chain(4, kills),
    examples: [4],
  },
  {
    name: 'sometime',
    title: 'at any instant',
    kills: n => [{ at: 'time', after_ms: 3 * STEP_MS * n }],
    workflow: kills => slow(chain(8, kills)),
    examples: [2],
  },
];

/** Kills that need neither fault points nor a log: what the runtime was seen to do before and after has to fit together. */
export const CORE_KILLS: readonly Property[] = PLACES.map(({ name, title, kills, workflow, examples }) =>
  programProperty({
    id: `audit/core-kill-${name}`,
    title: `killed ${title}, the instance goes on, and what was done before is not done again`,
    kind: 'kill',
    requirements: REQUIREMENTS,
    ...(name === 'sometime' ? {} : { cases: killedAt(kills), weight: 0.1 }),
    examples: examples.map(n => workflow(kills(n))),
    control: { title: `a chain, killed ${title}`, case: workflow(kills(name === 'sometime' ? 1 : 3)) },
    twins: [again('IR5'), again('CLI3'), reused()],
  }),
);

/** The crash twin of IR5: a ledger in which a settled node is invoked again. */
function again(requirement: string): Twin<Program, Observation> {
  return { ...crashTwin('IR5'), requirement };
}

function reused(): Twin<Program, Observation> {
  return {
    requirement: 'EX1',
    title: 'a ledger in which two invocations have one execution_id',
    tamper: seen => ({
      ...seen,
      ledger: seen.ledger.map(entry => ({
        ...entry,
        execution_id: seen.ledger[0]?.execution_id ?? entry.execution_id,
      })),
    }),
  };
}

function slow(program: Program): Program {
  const nodes = Object.keys(program.script.nodes).map(id => [id, [{ ...writing(id), delay_ms: STEP_MS }]] as const);
  return { ...program, script: { ...program.script, nodes: Object.fromEntries(nodes) } };
}
