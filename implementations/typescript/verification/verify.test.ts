import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../schemas/index.js';
import type { Edge, Node } from '../../../schemas/types.js';
import { type VerificationReport, verify } from './index.js';

const act = (node_id: string, more: object = {}): Node =>
  ({ node_id, type: 'action', action_def: 'act@^1', ...more }) as Node;
const done = (more: object = {}): Node => ({ node_id: 'done', type: 'terminal', status: 'completed', ...more }) as Node;
const edge = (from_node: string, to_node: string, label = 'success'): Edge => ({ from_node, to_node, label });
const workflow = (nodes: unknown[], edges: unknown[], more: object = {}): object => ({
  schema_version: '1.0',
  workflow: { name: 'test', version: '1.0.0' },
  nodes,
  edges,
  ...more,
});
/** The findings, but for failures that nothing handles: most of these graphs leave them out. */
const found = (document: unknown): string[] =>
  verify(document)
    .findings.filter(({ rule }) => rule !== 'S15')
    .map(({ rule, pointer }) => `${rule} ${pointer}`);

const rulesOf = ({ findings }: VerificationReport): Set<string> =>
  new Set(findings.map(({ rule }) => rule).filter(rule => rule !== 'S15'));

describe('verify', () => {
  it('says of every rule whether it was evaluated', () => {
    const refused = { node_id: 'refused', type: 'error', handling: 'fail' };
    const edges = [edge('a', 'done'), edge('a', 'refused', 'failure')];
    const { rules, verdict, workflow_id, workflow_digest } = verify(workflow([act('a'), done(), refused], edges));
    expect(verdict).toBe('PASS');
    expect(workflow_id).toBe('test@1.0.0');
    expect(workflow_digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(rules.map(rule => rule.rule)).toEqual(Array.from({ length: 17 }, (_, index) => `S${index + 1}`));
    for (const { rule, status, reason } of rules) {
      if (Number(rule.slice(1)) <= 6) expect(status).toBe('pass');
      else expect(status === 'pass' || reason !== undefined).toBe(true);
    }
  });

  it('reports all findings, in document order', () => {
    const nodes = [act('a'), act('lost'), act('b'), done({ join_type: 'OR' })];
    const edges = [edge('a', 'b'), edge('b', 'done', 'sucess'), edge('lost', 'done'), edge('gone', 'done', 'failure')];
    expect(found(workflow(nodes, edges, { workflow: { name: 'x', version: '1.0.0', start: 'a' } }))).toEqual([
      'S2 /nodes/1',
      'S5 /edges/1/label',
      'S5 /edges/3/from_node',
    ]);
  });

  it('asks of a label that is nearly one of a condition whether that is meant', () => {
    const ask = { node_id: 'ask', type: 'condition', expression: '1 == 1' };
    const { findings } = verify(workflow([ask, done()], [edge('ask', 'done', 'true'), edge('ask', 'done', 'flase')]));
    expect(findings.find(({ pointer }) => pointer === '/edges/1/label')?.help).toMatch(/^Did you mean 'false'\? Use /);
  });

  it('judges what is well-formed, and blames nothing on what is not', () => {
    const nodes = [act('a'), { node_id: 'b', type: 'acton' }, done()];
    const report = verify(workflow(nodes, [edge('a', 'b'), edge('b', 'done')]));
    expect(rulesOf(report)).toEqual(new Set(['SCHEMA']));
    expect(report.rules.filter(rule => rule.status === 'pass')).toEqual([]);
    expect(report.rules.find(rule => rule.rule === 'S3')?.reason).toBeDefined();
    const withoutId = verify(workflow([act('a'), { type: 'terminal', status: 'completed' }], [edge('a', 'done')]));
    expect(rulesOf(withoutId)).toEqual(new Set(['SCHEMA']));
    const badEdge = verify(workflow([act('a'), done()], [{ from_node: 'a', label: 'success' }]));
    expect(rulesOf(badEdge)).toEqual(new Set(['SCHEMA']));
    const still = verify(workflow([act('a'), act('a'), done({ status: 'ok' })], [edge('a', 'done', 'success')]));
    expect(rulesOf(still)).toEqual(new Set(['SCHEMA', 'S5']));
  });

  it('makes one finding of a document of another format', () => {
    expect(found({ name: 'CI', on: 'push', jobs: {} })).toEqual(['SCHEMA ']);
    expect(found(null)).toHaveLength(1);
    expect(found([1, 2])).toHaveLength(1);
    expect(found(undefined)).toHaveLength(1);
    const alone = verify({ action_id: 'fetch', version: '1.0.0' }).findings;
    expect(alone.map(({ help }) => help)).toEqual([expect.stringContaining('registry')]);
  });

  it('passes no rule on behalf of a node that no path leads to, which is judged once one does (VII2)', () => {
    const header = { workflow: { name: 'test', version: '1.0.0', start: 'a' } };
    const also = { node_id: 'also', type: 'terminal', status: 'completed' };
    const lost = { node_id: 'lost', type: 'condition', expression: '1 +' };
    const blocking = ({ findings }: VerificationReport): string[] =>
      findings.filter(({ severity }) => severity === 'blocking').map(({ rule }) => rule);
    const nodes = [act('a'), done(), lost, also];
    const wrong = edge('lost', 'also', 'always');
    const apart = verify(workflow(nodes, [edge('a', 'done'), wrong], header));
    const connected = verify(workflow(nodes, [edge('a', 'done'), edge('a', 'lost', 'always'), wrong], header));
    expect(blocking(apart)).toEqual(['S2']);
    expect(blocking(connected).length).toBeGreaterThan(1);
    for (const rule of blocking(connected))
      expect(apart.rules.find(one => one.rule === rule)?.status, rule).toBe('not_evaluated');
    const sound = [act('a'), done(), act('lost'), { node_id: 'also', type: 'terminal', status: 'completed' }];
    const report = verify(workflow(sound, [edge('a', 'done'), edge('lost', 'also')], header));
    const passed = report.rules.filter(({ status }) => status === 'pass').map(({ rule }) => rule);
    expect(passed).toEqual(['S1', 'S4']);
    expect(report.rules.find(({ rule }) => rule === 'S3')?.reason).toBe(
      'no path leads to "also" and 1 more node (S2), which are judged once one does',
    );
  });

  it('evaluates no rule on order where there is a cycle', () => {
    const nodes = [act('a', { fan_out: 'parallel' }), act('b', { join_type: 'AND' }), done({ join_type: 'OR' })];
    const report = verify(
      workflow(nodes, [edge('a', 'b'), edge('b', 'b', 'failure'), edge('b', 'done'), edge('a', 'done')]),
    );
    const status = (id: string): string | undefined => report.rules.find(rule => rule.rule === id)?.status;
    expect([status('S1'), status('S2'), status('S6')]).toEqual(['fail', 'not_evaluated', 'not_evaluated']);
  });

  it('knows the type of a condition from the schemas of the inputs', () => {
    const ends = ['x', 'y', 'z'].map(node_id => ({ node_id, type: 'terminal', status: 'completed' }));
    const choose = (schema: unknown, labels: string[], expression = 'inputs.v'): string[] => {
      const edges = labels.map((label, at) => edge('c', 'xyz'[at] as string, label));
      const used = ends.slice(0, labels.length);
      return found(
        workflow([{ node_id: 'c', type: 'condition', expression }, ...used], edges, { inputs: { v: { schema } } }),
      );
    };
    expect(choose({ type: 'boolean' }, ['true', 'false'])).toEqual([]);
    expect(choose({ type: 'boolean' }, ['true', 'false', 'maybe'])).toEqual(['S5 /edges/2/label']);
    expect(choose({ type: 'string' }, ['red', 'green'])).toEqual(['S5 /nodes/0']);
    expect(choose({ type: 'string' }, ['red', 'default'])).toEqual([]);
    expect(choose({ type: 'number' }, ['red', 'default'])).toEqual(['S8 /nodes/0/expression']);
    expect(choose({ properties: { w: { type: 'boolean' } } }, ['yes', 'no'], 'inputs.v.w')).toEqual([
      'S5 /edges/0/label',
    ]);
    expect(choose({}, ['true', 'false'])).toEqual([]);
    expect(choose({}, ['red', 'green'])).toEqual(['S5 /nodes/0']);
    expect(choose(true, ['red', 'default'], 'inputs.other')).toEqual(['S8 /nodes/0/expression']);
  });

  it('finds an OR join behind choices that have to be made in a certain way', () => {
    const nodes: Node[] = [];
    const edges: Edge[] = [];
    for (let at = 0; at < 12; at++) {
      nodes.push({ node_id: `c${at}`, type: 'condition', expression: "'blue'" });
      nodes.push({ node_id: `t${at}`, type: 'terminal', status: 'completed' });
      const labels = at % 2 === 0 ? ['blue', 'default'] : ['default', 'red'];
      edges.push(edge(`c${at}`, at === 11 ? 'fork' : `c${at + 1}`, labels[0]), edge(`c${at}`, `t${at}`, labels[1]));
    }
    nodes.push(act('fork', { fan_out: 'parallel' }), act('a'), act('b'), done({ join_type: 'OR' }));
    edges.push(edge('fork', 'a'), edge('fork', 'b'), edge('a', 'done'), edge('b', 'done'));
    expect(found(workflow(nodes, edges))).toEqual(['S6 /nodes/27']);
  });

  it('finds an impossible join behind a long chain and other joins', () => {
    const nodes: Node[] = [{ node_id: 'c', type: 'condition', expression: '1 == 1' }, act('p0'), act('q0')];
    const edges = [edge('c', 'p0', 'true'), edge('c', 'q0', 'false')];
    for (let at = 1; at < 500; at++) {
      nodes.push(act(`p${at}`), act(`q${at}`));
      edges.push(edge(`p${at - 1}`, `p${at}`), edge(`q${at - 1}`, `q${at}`));
    }
    nodes.push(act('join', { join_type: 'AND' }), done({ join_type: 'AND' }), act('late', { fan_out: 'parallel' }));
    edges.push(
      edge('p499', 'join'),
      edge('q499', 'join'),
      edge('join', 'late'),
      edge('late', 'done'),
      edge('late', 'done', 'always'),
    );
    const report = verify(workflow(nodes, edges));
    const blocking = report.findings.filter(finding => finding.severity === 'blocking');
    expect(blocking.map(finding => [finding.rule, finding.node_id])).toEqual([['S2', 'join']]);
  });

  it('takes sixty diamonds in a row without walking their paths', () => {
    const nodes: Node[] = [];
    const edges: Edge[] = [];
    for (let at = 0; at < 60; at++) {
      nodes.push({
        node_id: `c${at}`,
        type: 'condition',
        expression: '1 == 1',
        ...(at === 0 ? {} : { join_type: 'OR' }),
      });
      nodes.push(act(`a${at}`), act(`b${at}`));
      const next = at === 59 ? 'done' : `c${at + 1}`;
      edges.push(
        edge(`c${at}`, `a${at}`, 'true'),
        edge(`c${at}`, `b${at}`, 'false'),
        edge(`a${at}`, next),
        edge(`b${at}`, next),
      );
    }
    expect(found(workflow([...nodes, done({ join_type: 'OR' })], edges))).toEqual([]);
    expect(found(workflow([...nodes, done({ join_type: 'AND' })], edges))).toEqual(['S2 /nodes/180']);
  });

  it('takes a chain, a star and a cycle of fifty thousand nodes', () => {
    const size = 50_000;
    const nodes = Array.from({ length: size }, (_, at) => act(`n${at}`));
    const chain = Array.from({ length: size }, (_, at) => edge(`n${at}`, at + 1 === size ? 'done' : `n${at + 1}`));
    expect(found(workflow([...nodes, done()], chain))).toEqual([]);
    expect(found(workflow(nodes, [...chain.slice(0, -1), edge(`n${size - 1}`, 'n0')]))).toEqual([
      `S1 /edges/${size - 1}`,
    ]);
    const star = nodes.flatMap((_, at) => [edge('hub', `n${at}`), edge(`n${at}`, 'done')]);
    const hub = act('hub', { fan_out: 'parallel' });
    expect(found(workflow([hub, ...nodes, done({ join_type: 'AND' })], star))).toEqual([]);
  });

  it('takes fifteen thousand names in one place, each of them wrong, and as many labels of one condition', () => {
    const size = 15_000;
    const places = Array.from({ length: size }, (_, at) => at);
    const named = (name: string, value: unknown): object =>
      Object.fromEntries(places.map(at => [`${name}${at}`, value]));
    const definition = { action_id: 'act', version: '1.0.0', determinism: 'deterministic' };
    const contract = { rollback: 'rollbackable', side_effects: [] };
    const input_schema = { type: 'object', properties: named('taken', {}), additionalProperties: false };
    const read = Object.fromEntries(places.map(at => [`given${at}`, `\${inputs.lost${at}}`]));
    const wrong = workflow([act('a', { input_mapping: read }), done()], [edge('a', 'done')], {
      inputs: named('there', {}),
      actions: [{ ...definition, ...contract, input_schema }],
    });
    expect(found(wrong)).toHaveLength(2 * size);
    const branches = places.map(at => act(`n${at}`));
    const edges = places.flatMap(at => [
      edge('which', `n${at}`, at === 0 ? 'default' : `l${at}`),
      edge(`n${at}`, 'done'),
    ]);
    const fan = [act('first', { fan_out: 'parallel' }), { node_id: 'which', type: 'condition', expression: "'l1'" }];
    const both = [edge('first', 'which'), edge('first', 'n7'), ...edges];
    expect(found(workflow([...fan, ...branches, done({ join_type: 'OR' })], both))).toEqual([
      'S6 /nodes/9',
      `S6 /nodes/${size + 2}`,
    ]);
  });

  it('lists more findings than one call takes arguments', () => {
    const nodes = Array.from({ length: 150_000 }, () => act('n'));
    expect(verify(workflow(nodes, [])).findings.length).toBeGreaterThan(nodes.length / 2);
  });

  it('gives a report that fits its schema for every JSON value', () => {
    const word = fc.constantFrom(
      'nodes',
      'edges',
      'workflow',
      'schema_version',
      'node_id',
      'type',
      'from_node',
      'to_node',
      'label',
      'a',
      '1.0',
      'action',
      'start',
      '__proto__',
    );
    const { value } = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        word,
        fc.constantFrom(null, true, 1),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(word, tie('value'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(value, document => {
        const report = verify(document);
        expect(report.verdict).toBe('FAIL');
        expect(validate('verification-report', report)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
