import * as fc from 'fast-check';
import type { LedgerEntry, Observation, Program } from '../../program.js';
import { draw } from '../drawn.js';
import { programProperty } from '../program-property.js';

/** What a reference with a default leads to. */
interface Defaulted {
  /** The value that the path leads into: the input of the workflow, and the result of its first action. */
  readonly value: unknown;
  /** The path behind the value, a dot before each segment. */
  readonly path: string;
  /** A default that differs from what the path may lead to. */
  readonly fallback: unknown;
}

/** `null` as the value itself, as its last member, and in the middle of a path; members that are missing; and the rest. */
const LEADING: readonly Pick<Defaulted, 'value' | 'path'>[] = [
  { value: null, path: '' },
  { value: { a: null }, path: '.a' },
  { value: { a: { b: null } }, path: '.a.b' },
  { value: [null], path: '.0' },
  { value: {}, path: '.a' },
  { value: { a: {} }, path: '.a.b' },
  { value: null, path: '.a' },
  { value: { a: null }, path: '.a.b' },
  { value: [null], path: '.1' },
  ...[0, false, '', [], {}].map(value => ({ value: { a: value }, path: '.a' })),
];

const drawn: fc.Arbitrary<Program> = fc
  .record({
    leading: fc.constantFrom(...LEADING),
    fallback: fc.constantFrom<unknown[]>(5, 'none', [], { b: 1 }, true, null),
  })
  .map(({ leading, fallback }) => defaulting({ ...leading, fallback }));

/** A default stands in for nothing, and for nothing else. */
export const defaults = programProperty({
  id: 'workflow/defaults',
  title: 'a default is taken where a path leads to nothing, and not where it leads to null or to another empty value',
  requirements: ['EB2', 'EB3'],
  cases: drawn,
  control: {
    title: 'a null that is there, with a default beside it, as an input and in a result',
    case: defaulting({ value: null, path: '', fallback: 5 }),
  },
  examples: LEADING.slice(1, 10).map(leading => defaulting({ ...leading, fallback: 5 })),
  twins: [
    {
      requirement: 'EB2',
      title: 'a ledger in which the default was taken',
      tamper: seen => withInputs(seen, 'a', { x: 5, text: '<5>', absent: 5, other: null }),
    },
    {
      requirement: 'EB3',
      title: 'outputs of the workflow in which the default was taken',
      tamper: seen => (seen.wait === undefined ? seen : { ...seen, wait: { ...seen.wait, outputs: { out: 5 } } }),
    },
  ],
});

/** Two actions that are given a value by reference, the first from the inputs, the second from what the first gave. */
function defaulting({ value, path, fallback }: Defaulted): Program {
  const literal = JSON.stringify(fallback);
  const program = draw({
    edges: ['a success b', 'b success done'],
    nodes: {
      a: {
        input_mapping: {
          x: `\${inputs.any${path} ?? ${literal}}`,
          text: `<\${inputs.any${path} ?? ${literal}}>`,
          absent: `\${inputs.absent ?? ${literal}}`,
          other: '${inputs.absent ?? inputs.any}',
        },
        output_mapping: { given: `\${result.value${path} ?? ${literal}}`, whole: '${result.value}' },
      },
      b: {
        input_mapping: {
          given: '${nodes.a.outputs.given}',
          again: `\${nodes.a.outputs.whole${path} ?? ${literal}}`,
        },
      },
    },
    script: {
      a: [{ reply: { outputs: { value } } }],
      b: [{ reply: { outputs: {} } }],
    },
    any: value,
    outputs: { out: `\${nodes.a.outputs.whole${path} ?? ${literal}}` },
  });
  return { ...program, workflow: { ...program.workflow, inputs: { any: {}, absent: { required: false } } } };
}

function withInputs(seen: Observation, node_id: string, inputs: LedgerEntry['inputs']): Observation {
  return { ...seen, ledger: seen.ledger.map(entry => (entry.node_id === node_id ? { ...entry, inputs } : entry)) };
}
