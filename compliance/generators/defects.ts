import * as fc from 'fast-check';
import type { Edge, Workflow } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { type Block, series } from './blocks.js';
import { Builder, type Surroundings } from './build.js';
import { PLANTS, type Plant } from './plants.js';
import { Site } from './site.js';
import { surroundings } from './workflows.js';

/** A defect of form that one rule, and only that rule, has to find once. */
export interface Defect {
  readonly rule: 'S1' | 'S2' | 'S3' | 'S4' | 'S5' | 'S6';
  /** What is wrong, in two or three words; unique. */
  readonly name: string;
  readonly severity: 'blocking' | 'warning';
  /** The node that the finding has to name, where it is about one. */
  readonly node_id?: string;
  /** The edge that the finding has to name, where it is about one. */
  readonly edge?: Edge;
}

/** A program that is valid but for one planted defect. */
export interface Planted {
  readonly program: Program;
  readonly defect: Defect;
}

/** The names of all defects that can be planted, by rule. */
export const DEFECTS: readonly Pick<Defect, 'rule' | 'name'>[] = PLANTS.map(({ rule, name }) => ({ rule, name }));

/** Programs with exactly one planted defect, of one rule or of any. They shrink to the bare defect. */
export function planted(rule?: Defect['rule']): fc.Arbitrary<Planted> {
  const plants = PLANTS.filter(candidate => rule === undefined || candidate.rule === rule);
  const base = series({ calm: true, withoutOrFans: true, length: 2 });
  return fc
    .tuple(fc.constantFrom(...plants), base, surroundings)
    .map(([{ rule: broken, name, plant }, blocks, world]) => plantedIn(broken, name, plant, blocks, world));
}

function plantedIn(
  rule: Defect['rule'],
  name: string,
  plant: Plant,
  blocks: readonly Block[],
  world: Surroundings,
): Planted {
  const builder = new Builder({ ...world, outputs: [], inRegistry: false });
  const end = builder.series(blocks, { ports: [], join: 'OR' });
  const { start, empty, ...place } = plant(new Site(builder), builder.plain(end));
  const first = world.explicitStart ? builder.nodes[0]?.node_id : undefined;
  const program = builder.program(start === undefined ? first : (start ?? undefined));
  const defect: Defect = { rule, name, severity: rule === 'S6' ? 'warning' : 'blocking', ...place };
  return { program: empty === true ? { ...program, workflow: emptied(program.workflow) } : program, defect };
}

function emptied(workflow: Workflow): Workflow {
  return { ...workflow, nodes: [], edges: [] };
}
