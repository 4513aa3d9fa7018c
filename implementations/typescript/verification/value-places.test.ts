import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../schemas/types.js';
import { verify } from './index.js';
import { act, define, edges, end, error, flow, found, holding, skill } from './meaning.fixture.js';

/** A workflow in which `b` reads behind `a`, `c` behind the undo, and `d` behind nothing that comes before `b`. */
function reading(at: 'b' | 'c', text: string): Workflow {
  const mapping = (node: string): object => (node === at ? { input_mapping: { x: text } } : {});
  return flow(
    [
      act('a'),
      act('b', mapping('b')),
      error('undo', 'rollback'),
      act('c', mapping('c')),
      error('no', 'fail'),
      end('done'),
      end('undone'),
    ],
    edges(
      'a -success-> b -success-> done',
      'a -failure-> no',
      'b -failure-> undo -success-> c -success-> undone',
      'c -failure-> no',
    ),
    {
      inputs: { o: { schema: {}, required: false }, p: { schema: {} } },
      actions: ['a', 'b', 'c'].map(id => define(id)),
    },
  );
}

describe('S8', () => {
  it('takes the outputs of an error node that undoes as the empty object', () => {
    expect(found(reading('c', '${nodes.undo.outputs}'))).toEqual([]);
    for (const text of ['${nodes.undo.outputs.x}', '${nodes.undo.outputs.x ?? 1}']) {
      const { findings } = verify(reading('c', text));
      expect(findings.map(({ rule, node_id, pointer }) => [rule, node_id, pointer])).toEqual([
        ['S8', 'c', '/nodes/3/input_mapping/x'],
      ]);
      expect(findings[0]?.help).not.toContain('add it');
    }
  });

  it('gives one finding for a path that one string holds twice, with a default and without', () => {
    const one = ['S8 /nodes/1/input_mapping/x'];
    expect(found(reading('b', '${inputs.zz} ${inputs.zz ?? 1}'))).toEqual(one);
    expect(found(reading('b', '${inputs.zz ?? 1} ${inputs.zz ?? inputs.p}'))).toEqual(one);
    expect(found(reading('b', '${inputs.zz} ${inputs.o ?? inputs.zz}'))).toEqual(one);
    expect(found(reading('b', '${inputs.o ?? inputs.o} ${inputs.o}'))).toEqual(one);
    expect(found(reading('b', '${nodes.c.outputs.x} ${nodes.c.outputs.x ?? 1}'))).toEqual(one);
    expect(found(reading('b', '${error.node_id} ${error.node_id ?? 1}'))).toEqual(one);
    expect(found(reading('c', '${nodes.b.outputs.x} ${nodes.b.outputs.x ?? inputs.o}'))).toHaveLength(1);
  });

  it('gives one for each of several paths in one string', () => {
    expect(found(reading('b', '${inputs.zz} ${inputs.yy}'))).toHaveLength(2);
    expect(found(reading('b', '${nodes.c.outputs.x} ${nodes.c.outputs.y}'))).toHaveLength(2);
    expect(found(reading('b', '${error.node_id} ${error.error_class}'))).toHaveLength(2);
  });

  it('wants an error behind ?? as it does before', () => {
    for (const first of ['inputs.o', 'inputs.p', 'nodes.a.outputs.x']) {
      expect(found(reading('b', `\${${first} ?? error.node_id}`))).toEqual(['S8 /nodes/1/input_mapping/x']);
      expect(found(reading('c', `\${${first} ?? error.node_id}`))).toEqual([]);
    }
  });
});

describe('S13', () => {
  it('gives one finding for an output that one string takes twice', () => {
    const inner = flow([end('done')], [], { workflow: { name: 'inner', version: '1.0.0' }, inputs: {} });
    const outer = flow(
      [
        skill('s', 'inner@^1', { output_mapping: { x: '${result.zz} ${result.zz ?? 1}' } }),
        error('no', 'fail'),
        end('done'),
      ],
      edges('s -success-> done', 's -failure-> no'),
    );
    expect(found(outer, holding(inner))).toEqual(['S13 /nodes/0/output_mapping/x']);
  });
});

describe('S9', () => {
  it('counts the retries of an error node to which one edge leads twice, or another from an unreachable node', () => {
    const arcs = ['a -success-> done', 'a -failure-> again -success-> over', 'lost -success-> gone'];
    const retried = (...more: string[]): string[] =>
      found(
        flow(
          [act('a'), error('again', 'retry', { max_attempts: 9 }), end('done'), end('over'), act('lost'), end('gone')],
          edges(...arcs, ...more),
          { workflow: { name: 'w', version: '1.0.0', start: 'a' }, actions: [define('a'), define('lost')] },
        ),
      ).map(finding => finding.split(' ')[0] ?? '');
    expect(retried()).toContain('S9');
    expect(retried('a -failure-> again')).toContain('S9');
    expect(retried('lost -failure-> again')).toContain('S9');
  });
});

describe('what a finding suggests', () => {
  it('is the same in whatever order the nodes come (VII1)', () => {
    const nodes = [
      act('step-1'),
      act('step-2'),
      act('\u00e9e\u0301'),
      act('e\u0301\u00e9'),
      error('no', 'fail'),
      end('done'),
    ];
    const arcs = (target: string): Workflow['edges'] =>
      edges(`step-1 -success-> step-2 -success-> done`, 'step-1 -failure-> no', 'step-2 -failure-> no').map(edge =>
        edge.to_node === 'step-2' ? { ...edge, to_node: target } : edge,
      );
    for (const target of ['step-7', '\u00e9\u00e9']) {
      const helps = [nodes, [...nodes].reverse()].map(
        ordered =>
          verify(flow(ordered, arcs(target))).findings.find(({ message }) => message.includes('no node of'))?.help,
      );
      expect(helps[0]).toContain('Did you mean');
      expect(helps[1]).toBe(helps[0]);
    }
  });
});
