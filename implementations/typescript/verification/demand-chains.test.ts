import { describe, expect, it } from 'vitest';
import { DemandChains } from './demand-chains.js';
import { verify } from './index.js';
import { OutcomeSets } from './outcome-sets.js';
import { drawFrom } from './testing/enumerate.js';

const CHOICES = 40;
const EVERY = new Int32Array(CHOICES).fill(0b111);
const newChains = (): DemandChains => new DemandChains(new OutcomeSets(0, 0), EVERY, 1000, 100_000);

describe('lists that part disjointly', () => {
  it('are those that demand other outcomes of the choice at which they part', () => {
    const chains = newChains();
    const exits: number[] = [];
    let onward = chains.none;
    for (let choice = 0; choice < 6; choice++) {
      exits.push(chains.add(onward, choice, 0b10));
      onward = chains.add(onward, choice, 0b01);
    }
    expect(chains.partDisjointly(exits)).toBe(true);
    expect(chains.partDisjointly([...exits, onward])).toBe(true);
    expect(chains.partDisjointly([...exits, exits[2] as number])).toBe(false);
    expect(chains.partDisjointly([...exits, chains.add(onward, 0, 0b01), onward])).toBe(false);
    expect(chains.partDisjointly([...exits, chains.none])).toBe(false);
  });

  it('go together in no pair, whatever they demand', () => {
    let parted = 0;
    for (let seed = 0; seed < 2000; seed++) {
      const draw = drawFrom(seed);
      const chains = newChains();
      const lists = [chains.none];
      const depths = [0];
      for (let count = 4 + draw(8); count > 0; count--) {
        const above = draw(lists.length);
        const depth = depths[above] as number;
        const choice = 2 * depth + (draw(4) === 0 ? 1 : 0);
        lists.push(chains.add(lists[above] as number, choice, 1 << draw(3)));
        depths.push(depth + 1);
      }
      const some = lists.filter(() => draw(3) === 0);
      if (some.length < 2 || !chains.partDisjointly(some)) continue;
      parted++;
      for (const [at, one] of some.entries())
        for (const other of some.slice(0, at)) expect(chains.areDisjoint(one, other)).toBe(true);
    }
    expect(parted).toBeGreaterThan(100);
  });

  it('let S6 be evaluated in full where many exits of a row of conditions lead to one OR join', () => {
    const row = Array.from({ length: 40 }, (_, at) => ({
      node_id: `ask-${at}`,
      type: 'condition',
      expression: `inputs.limit > ${at}.0`,
    }));
    const done = { node_id: 'done', type: 'terminal', status: 'completed', join_type: 'OR' };
    const edges = row.flatMap(({ node_id }, at) => [
      { from_node: node_id, to_node: row[at + 1]?.node_id ?? 'done', label: 'true' },
      { from_node: node_id, to_node: 'done', label: 'false' },
    ]);
    const { verdict, rules } = verify({
      schema_version: '1.0',
      workflow: { name: 'row', version: '1.0.0' },
      inputs: { limit: { schema: { type: 'number' } } },
      nodes: [...row, done],
      edges,
    });
    expect([verdict, rules.find(({ rule }) => rule === 'S6')]).toEqual(['PASS', { rule: 'S6', status: 'pass' }]);
  });
});

describe('an impossible AND join', () => {
  const edge = (from_node: string, to_node: string, label = 'success'): object => ({ from_node, to_node, label });
  const act = (node_id: string, more: object = {}): object => ({
    ...{ node_id, type: 'action', action_def: 'act@^1', fan_out: 'parallel' },
    ...more,
  });
  const ask = (node_id: string, more: object = {}): object => ({
    ...{ node_id, type: 'condition', expression: 'inputs.t' },
    ...more,
  });
  const AND = { join_type: 'AND' };
  const OR = { join_type: 'OR' };
  const impossible = (nodes: readonly object[], edges: readonly object[]): readonly (string | undefined)[] =>
    verify({
      schema_version: '1.0',
      workflow: { name: 'joins', version: '1.0.0' },
      inputs: { t: { schema: { type: 'string' } } },
      nodes,
      edges,
    }).findings.flatMap(({ rule, node_id }) => (rule === 'S2' ? [node_id] : []));

  it('is named however many in-edges another one has', () => {
    const labels = Array.from({ length: 40 }, (_, at) => (at === 0 ? 'default' : `label-${at}`));
    const nodes = [act('start'), ask('ask-1'), act('one', AND)];
    const edges = labels.map(label => edge('ask-1', 'one', label));
    for (const name of ['0', '1', '2']) edges.push(edge('start', `ask-${name}`));
    for (const name of ['0', '2']) {
      nodes.push(ask(`ask-${name}`), act(`few-${name}`, AND));
      for (const label of labels.slice(0, 2)) edges.push(edge(`ask-${name}`, `few-${name}`, label));
    }
    expect(impossible(nodes, edges)).toEqual(['one', 'few-0', 'few-2']);
  });

  it('is named below many others that demand as many choices as are to be remembered', () => {
    const nodes = [act('start'), act('rest', OR), act('none', AND), act('all', OR), ask('last'), act('end', AND)];
    const edges = [edge('rest', 'none'), edge('start', 'none'), edge('all', 'last')];
    edges.push(edge('last', 'end', 'default'), edge('last', 'end', 'other'));
    const between = (from: string, to: string, name: string, label = 'success'): void => {
      nodes.push(ask(name));
      edges.push(edge(from, name, label), edge(name, 'rest', 'default'));
      if (to !== '') edges.push(edge(name, to, 'on'));
    };
    for (const side of ['a', 'b'])
      for (let at = 0; at < 20; at++)
        between(at === 0 ? 'start' : `${side}-${at - 1}`, '', `${side}-${at}`, at === 0 ? 'success' : 'on');
    nodes.push(act('a'), act('b'));
    edges.push(edge('a-19', 'a', 'on'), edge('b-19', 'b', 'on'));
    for (let at = 0; at < 20; at++) {
      nodes.push(act(`join-${at}`, AND));
      between('a', `join-${at}`, `more-${at}`);
      edges.push(edge('b', `join-${at}`), edge(`join-${at}`, 'all'));
    }
    expect(impossible(nodes, edges)).toEqual(['end']);
  });

  it('leaves nothing open of the OR joins behind it, which never run', () => {
    const nodes = [ask('which'), act('never', AND)];
    const edges = [edge('which', 'never', 'default'), edge('which', 'never', 'other')];
    for (let at = 0; at < 2000; at++) {
      nodes.push(act(`one-${at}`), act(`two-${at}`), act(`or-${at}`, OR));
      const from = at === 0 ? 'never' : `or-${at - 1}`;
      for (const side of ['one', 'two']) edges.push(edge(from, `${side}-${at}`), edge(`${side}-${at}`, `or-${at}`));
    }
    const { rules, findings } = verify({
      schema_version: '1.0',
      workflow: { name: 'joins', version: '1.0.0' },
      inputs: { t: { schema: { type: 'string' } } },
      nodes,
      edges,
    });
    expect(findings.filter(({ rule }) => rule === 'S2' || rule === 'S6').map(({ node_id }) => node_id)).toEqual([
      'never',
    ]);
    expect(rules.find(({ rule }) => rule === 'S6')).toEqual({ rule: 'S6', status: 'pass' });
  });
});
