import * as fc from 'fast-check';
import type { Action, Node, Workflow } from '../../../schemas/types.js';
import { SuiteError } from '../../error.js';
import { PAIRS } from './index.js';
import { act, choose, edges, end, error, type Pair, type PairRule, type Parts, step } from './pair.js';

/** What stands before a defect; nothing is to be said against it. */
const SHAPES = ['step', 'choice', 'fan', 'exit'] as const;

/** Where a pair of documents is put. */
export interface Setting {
  readonly before: readonly (typeof SHAPES)[number][];
  /** How the nodes before it are named: so that they sort before or behind its own. */
  readonly prefix: string;
  readonly namesStart: boolean;
}

/** A defect of one kind in its setting, as data. */
export interface Planting {
  readonly rule: PairRule;
  readonly pair: string;
  readonly setting: Setting;
}

/** A document with what its references resolve in. */
export interface Given {
  readonly workflow: Workflow;
  readonly registry: { readonly actions: readonly Action[]; readonly workflows: readonly Workflow[] };
}

/** Nothing before it. */
export const BARE: Setting = { before: [], prefix: 'a', namesStart: false };

const settings: fc.Arbitrary<Setting> = fc.record({
  before: fc.array(fc.constantFrom(...SHAPES), { maxLength: 3 }),
  prefix: fc.constantFrom('a', 'z', '节'),
  namesStart: fc.boolean(),
});

/** Gives the pairs of a rule, or all of them. */
export function pairsOf(rule?: PairRule): readonly Pair[] {
  return PAIRS.filter(pair => rule === undefined || pair.rule === rule);
}

/** Plantings of pairs, in any setting that they can stand in. They shrink to the first pair, bare. */
export function plantings(pairs: readonly Pair[] = PAIRS): fc.Arbitrary<Planting> {
  return fc
    .tuple(fc.constantFrom(...pairs), settings)
    .map(([{ rule, name, alone }, setting]) => ({ rule, pair: name, setting: alone === true ? BARE : setting }));
}

/** Gives the pair of a planting; throws `usage` where there is none. */
export function pairOf({ rule, pair }: Planting): Pair {
  const found = PAIRS.find(({ name, rule: broken }) => name === pair && broken === rule);
  if (found === undefined) throw new SuiteError('usage', `no pair '${pair}' of ${rule}`);
  return found;
}

/** Gives the document of a planting, with the defect or without it. */
export function documentOf(planting: Planting, broken: boolean): Given {
  return given(behind(pairOf(planting).parts(broken), planting.setting), planting.setting);
}

/** Gives the document of parts; the first node is its start. */
export function given(parts: Parts, { namesStart }: Pick<Setting, 'namesStart'> = BARE): Given {
  const { inputs, outputs, actions = [], nodes, edges: all, registry = {} } = parts;
  const start = namesStart ? nodes[0]?.node_id : undefined;
  return {
    workflow: {
      schema_version: '1.0',
      workflow: { name: 'host', version: '1.0.0', ...(start === undefined ? {} : { start }) },
      ...(inputs === undefined ? {} : { inputs }),
      ...(outputs === undefined ? {} : { outputs }),
      actions: [...actions],
      nodes: [...nodes],
      edges: [...all],
    },
    registry: { actions: [...(registry.actions ?? [])], workflows: [...(registry.workflows ?? [])] },
  };
}

const WALK = act('walk');

/** Puts parts behind shapes, of which the first is then the start. */
function behind(parts: Parts, { before, prefix }: Setting): Parts {
  if (before.length === 0) return parts;
  const nodes: Node[] = [];
  const texts: string[] = [];
  const lost = `${prefix}-lost`;
  const walk = (node_id: string, more: object, ...next: readonly string[]) => {
    nodes.push(step(node_id, 'walk@1', more));
    texts.push(...next.map(to => `${node_id} success ${to}`), `${node_id} failure ${lost}`);
  };
  for (const [at, shape] of before.entries()) {
    const id = (what: string) => `${prefix}${at}-${what}`;
    const next = at + 1 < before.length ? `${prefix}${at + 1}-in` : (parts.nodes[0]?.node_id ?? '');
    const [left, right, out] = [id('left'), id('right'), id('out')];
    if (shape === 'step') walk(id('in'), {}, next);
    if (shape === 'exit') {
      nodes.push(choose(id('in'), 'context.go == true'), end(out, 'compensated'));
      texts.push(`${id('in')} true ${next}`, `${id('in')} default ${out}`);
    }
    if (shape === 'choice') {
      nodes.push(choose(id('in'), 'context.go == true'));
      texts.push(`${id('in')} true ${left}`, `${id('in')} false ${right}`);
    }
    if (shape === 'fan') walk(id('in'), { fan_out: 'parallel' }, left, right);
    if (shape === 'choice' || shape === 'fan') {
      walk(left, {}, out);
      walk(right, {}, out);
      walk(out, { join_type: shape === 'fan' ? 'AND' : 'OR' }, next);
    }
  }
  const lostAt = texts.some(text => text.endsWith(` ${lost}`)) ? [error(lost, 'fail', { join_type: 'OR' })] : [];
  return {
    ...parts,
    actions: [...(parts.actions ?? []), WALK],
    nodes: [...nodes, ...lostAt, ...parts.nodes],
    edges: [...edges(...texts), ...parts.edges],
  };
}
