import * as fc from 'fast-check';
import type { ErrorClass } from '../../../schemas/types.js';
import type { Behaviour, Program } from '../../program.js';
import { draw, gives } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { failsWith } from './handled-programs.js';

/** One of several nodes before an error node: when it ends, in milliseconds, and by which class it fails, if it does. */
interface Branch {
  readonly node_id: string;
  readonly delay_ms: number;
  readonly fails?: ErrorClass;
}

/** Names whose order by code unit is neither that of an alphabet nor that of their places. */
const NAMES = ['b', 'B', 'a', 'a-1', 'Z9', '_c', 'é'] as const;

const branches: fc.Arbitrary<readonly Branch[]> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 2, maxLength: 4 }),
    fc.array(
      fc.record({
        delay_ms: fc.constantFrom(0, 0, 15),
        fails: fc.constantFrom<(ErrorClass | undefined)[]>('E2', 'E3', 'E4', undefined),
      }),
      { minLength: 4, maxLength: 4 },
    ),
  )
  .map(([names, ends]) =>
    names.map((node_id, index): Branch => {
      const { delay_ms = 0, fails } = ends[index] ?? {};
      return { node_id, delay_ms, ...(fails === undefined ? {} : { fails }) };
    }),
  );

const FIRST: readonly Branch[] = [
  { node_id: 'b', delay_ms: 0, fails: 'E2' },
  { node_id: 'a', delay_ms: 30, fails: 'E3' },
  { node_id: 'B', delay_ms: 0 },
];

/** Of several failures that lead to one error node, that of the smallest node_id is read, whichever was first. */
export const failuresTogether = programProperty({
  id: 'workflow/failures-together',
  title: 'of several failures that lead to one error node, it takes up that of the node whose node_id is smallest',
  requirements: ['EB2'],
  optional: 'error nodes',
  cases: fc
    .tuple(branches, fc.constantFrom('rollback' as const, 'execute' as const))
    .map(([list, handling]) => together(list, handling)),
  weight: 0.2,
  examples: [
    together(
      FIRST.map(({ delay_ms, ...branch }) => ({ ...branch, delay_ms: 30 - delay_ms })),
      'execute',
    ),
  ],
  control: {
    title: 'two failures, of which that of the smaller node_id is the later',
    case: together(FIRST, 'rollback'),
  },
  twins: [
    {
      requirement: 'EB2',
      title: 'a ledger in which the other failure was read',
      tamper: seen => ({
        ...seen,
        ledger: seen.ledger.map(entry =>
          entry.node_id === 'reader' ? { ...entry, inputs: { of: 'b', class: 'E2' } } : entry,
        ),
      }),
    },
  ],
});

/** What marks the instance beside the error node: another one, whose node_id is larger or smaller, or a failure that nothing handles. */
type Beside = 'nothing' | 'larger' | 'smaller' | 'unhandled';

const OTHERS: Readonly<Record<Beside, string | undefined>> = {
  nothing: undefined,
  larger: 'zz',
  smaller: 'A',
  unhandled: undefined,
};

/** Which failure ends an instance: of the nodes that mark it the smallest one's, and of an error node the one it was reached by. */
export const failuresMarking = programProperty({
  id: 'workflow/failures-marking',
  title:
    'an error node with handling fail fails with the failure of the smallest node before it, and so the instance ends',
  requirements: ['EN4'],
  optional: 'error nodes',
  cases: fc
    .tuple(branches, fc.constantFrom<Beside[]>('nothing', 'larger', 'smaller', 'unhandled'))
    .map(([list, beside]) => marked(list, beside)),
  weight: 0.3,
  examples: [
    marked(FIRST, 'larger'),
    marked(FIRST, 'smaller'),
    marked(FIRST, 'unhandled'),
    marked(
      FIRST.map(branch => ({ ...branch, fails: 'E2' })),
      'nothing',
    ),
  ],
  control: {
    title: 'two failures before it, of which that of the smaller node_id is the later',
    case: marked(FIRST, 'nothing'),
  },
  twins: [
    {
      requirement: 'EN4',
      title: 'the same run as if the other failure had ended the instance',
      tamper: seen => ({
        ...seen,
        ...(seen.wait?.error === undefined
          ? {}
          : { wait: { ...seen.wait, error: { ...seen.wait.error, error_class: 'E2' } } }),
        log: (seen.log ?? []).map(record =>
          record.error_class === 'E3' && record.record_type !== 'action' ? { ...record, error_class: 'E2' } : record,
        ),
      }),
    },
  ],
});

/** Gives a split whose branches end so; failures lead to an error node with handling fail, and one more branch fails by E0. */
function marked(list: readonly Branch[], beside: Beside): Program {
  const ids = list.map(({ node_id }) => node_id);
  const other = OTHERS[beside];
  return draw({
    edges: [
      ...ids.flatMap(id => [`split success ${id}`, `${id} success done`, `${id} failure taken`]),
      ...(beside === 'nothing' ? [] : ['split success more', 'more success done']),
      ...(other === undefined ? [] : [`more failure ${other}`]),
    ],
    nodes: {
      split: { fan_out: 'parallel' },
      done: { join_type: 'OR' },
      taken: { type: 'error', join_type: 'OR', handling: 'fail' },
      ...(other === undefined ? {} : { [other]: { type: 'error', handling: 'fail' } }),
    },
    script: {
      split: [gives(0)],
      ...(beside === 'nothing' ? {} : { more: [{ ...named('E0', 'more'), delay_ms: 5 }] }),
      ...Object.fromEntries(
        list.map(({ node_id, fails, delay_ms }) => [
          node_id,
          [{ ...(fails === undefined ? gives(1) : named(fails, node_id)), delay_ms }],
        ]),
      ),
    },
  });
}

/** A failure whose detail says which node it is of. */
function named(error_class: ErrorClass, node_id: string): Behaviour {
  return { reply: { error: { error_class, detail: `scripted in ${node_id}`, effect: 'none' } } };
}

/** Gives a split whose branches end so; failures lead to one error node, and behind it an action reads what it took up. */
function together(list: readonly Branch[], handling: 'rollback' | 'execute'): Program {
  const ids = list.map(({ node_id }) => node_id);
  const error = { of: '${error.node_id}', class: '${error.error_class}' };
  const executed = { handling: 'compensate', compensate_ref: 'step@^1.0.0', input_mapping: error };
  const answer = ({ fails, delay_ms }: Branch): Behaviour => ({
    ...(fails === undefined ? gives(1) : failsWith(fails)),
    delay_ms,
  });
  return draw({
    edges: [
      ...ids.flatMap(id => [`split success ${id}`, `${id} success done`, `${id} failure taken`]),
      'taken success reader',
      'reader success over',
    ],
    nodes: {
      split: { fan_out: 'parallel' },
      done: { join_type: 'OR' },
      taken: { type: 'error', join_type: 'OR', ...(handling === 'execute' ? executed : { handling }) },
      reader: { input_mapping: error },
      over: { type: 'terminal', status: 'compensated' },
    },
    script: {
      split: [gives(0)],
      taken: [gives(2)],
      reader: [gives(3)],
      ...Object.fromEntries(list.map(branch => [branch.node_id, [answer(branch)]])),
    },
  });
}
