import type { Finding } from '../../../../schemas/types.js';
import { kindsOf } from '../rules/index.js';
import type { Draw } from './enumerate.js';
import { CONTRACT_PLANTS } from './plants-contracts.js';
import { GRAPH_PLANTS, type Plant } from './plants-graph.js';
import { NAME_PLANTS } from './plants-names.js';
import { VALUE_PLANTS } from './plants-values.js';
import { Site } from './site.js';
import { drawSound } from './sound.js';

/** Every defect that can be planted; two documents of one name are none, since each is sound alone. */
export const PLANTS: readonly Plant[] = [...GRAPH_PLANTS, ...VALUE_PLANTS, ...CONTRACT_PLANTS, ...NAME_PLANTS];

/** Returns a sound program with one planted defect and the pointer of its finding; undefined where it does not fit. */
export function drawPlanted(draw: Draw, plant: Plant): { site: Site; pointer: string } | undefined {
  const site = new Site(drawSound(draw), draw);
  const pointer = plant.plant(site);
  return pointer === undefined ? undefined : { site, pointer };
}

/** A finding without its place: the rule, the kind, and what it is about. */
export function keyOf(finding: Finding): string {
  const { rule, node_id = '', edge } = finding;
  const kinds = kindsOf(finding).map(({ id }) => id);
  return JSON.stringify([rule, kinds.join(' '), node_id, edge]);
}
