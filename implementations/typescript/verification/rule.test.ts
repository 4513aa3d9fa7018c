import { expect, it } from 'vitest';
import { verify } from './index.js';
import { compareNaturally } from './rule.js';

it('names are in the order of the numbers in them', () => {
  const names = ['', '1', '2', '9', '010', '10', '012', 'a', 'a-9-b', 'a-10-a', 'a-10-b', 'a10', 'b'];
  expect(names.toReversed().sort(compareNaturally)).toEqual(names);
});

it('a label that is no text is told of without being asked for its text', () => {
  const told = (label: unknown) => {
    const { findings } = verify({
      schema_version: '1.0',
      workflow: { name: 'odd', version: '1.0.0', start: 'check' },
      nodes: [
        { node_id: 'check', type: 'condition', expression: '1 > 0' },
        { node_id: 'done', type: 'terminal', status: 'completed' },
      ],
      edges: [
        { from_node: 'check', to_node: 'check', label: 'true' },
        { from_node: 'check', to_node: 'check', label },
        { from_node: 'check', to_node: 'done', label },
      ],
    });
    return findings.find(({ rule }) => rule === 'S1')?.related.map(({ message }) => message);
  };
  expect(told({ toString: 1, valueOf: 2 })).toEqual(['an exit: "check" –{…}→ "done"']);
  expect(told([{ toString: 1 }])).toEqual(['an exit: "check" –[…]→ "done"']);
  expect(told(undefined)).toEqual(['an exit: "check" → "done"']);
  expect(told(false)).toEqual(['an exit: "check" –false→ "done"']);
});
