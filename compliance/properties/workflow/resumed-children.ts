import type { Workflow } from '../../../schemas/types.js';
import type { Observation, Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Failure } from '../../runner/verdict.js';
import { check, unlessSame } from '../dialogue-property.js';
import { draw, FAILS, gives } from '../drawn.js';
import { refusal, refused } from '../seen.js';

/** How the last action, in a child, ends at first; the instance is resumed where it failed. */
interface Last {
  readonly fails: boolean;
}

/** Nodes by how often their actions are invoked in the ended instance, in the one that resumes it, and below them. */
const INVOKED = { r: 2, c1: 1, c2: 1, c3: 1, c4: 2 } as const;

/** Nodes that are carried over, as they resolved. */
const CARRIED = { r: 'failure', again: 'success', whole: 'success', odd: 'failure' } as const;

/** What a child has completed is not executed again. */
export const resumedChildren = caseProperty<Last, Observation>({
  id: 'workflow/resumed-children',
  title: 'a resumed instance executes nothing again that a child, or an error node, of the old one committed',
  kind: 'program',
  requirements: ['IR2'],
  control: {
    title: 'a child that completed, one whose node failed for all that, and one that failed behind a commit',
    case: { fails: true },
  },
  twins: [
    {
      requirement: 'IR2',
      title: 'a ledger in which the action of the completed child is invoked again',
      tamper: seen => ({
        ...seen,
        ledger: seen.ledger.flatMap(entry =>
          entry.node_id === 'c1' ? [entry, { ...entry, execution_id: 'x' }] : [entry],
        ),
      }),
    },
    {
      requirement: 'IR2',
      title: 'where the last action succeeds at once nothing is resumed',
      case: { fails: false },
      contrast: (control, twin) =>
        unlessSame(
          'whether it was resumed',
          { control: true, twin: false },
          { control: went(control), twin: went(twin) },
        ),
    },
  ],
  examine: async (subject, value) => {
    const evidence = await subject.observe(programOf(value));
    return { evidence, kills: evidence.kills, violations: evidence.violations ?? [], ...refusal(evidence) };
  },
  inapplicable: evidence => (refused(evidence) ? 'skill nodes, or error nodes that retry' : undefined),
  judge: ({ fails }, seen) => (fails ? [check('IR2', unlessGoesOn(seen))] : []),
});

/** Gives an action that an error node executes again, a skill, a skill whose outputs cannot be mapped, and one that fails. */
function programOf({ fails }: Last): Program {
  const program = draw({
    edges: [
      'r success whole',
      'r failure again',
      'again success whole',
      'whole success odd',
      'odd always part',
      'part success done',
    ],
    nodes: {
      again: { type: 'error', handling: 'retry', max_attempts: 1 },
      whole: { type: 'skill', workflow_ref: 'one@^1.0.0', join_type: 'OR' },
      odd: { type: 'skill', workflow_ref: 'two@^1.0.0', output_mapping: { deep: '${result.out.deep}' } },
      part: { type: 'skill', workflow_ref: 'three@^1.0.0' },
    },
    script: {
      r: [FAILS, gives(0)],
      c1: [gives(1)],
      c2: [gives('flat')],
      c3: [gives(3)],
      c4: fails ? [FAILS, gives(4)] : [gives(4)],
    },
  });
  const workflows = [childOf('one', 'c1'), childOf('two', 'c2'), childOf('three', 'c3', 'c4')];
  return { ...program, registry: { workflows }, resume: true };
}

function childOf(name: string, ...ids: readonly string[]): Workflow {
  const { workflow } = draw({
    edges: ids.map((id, place) => `${id} success ${ids[place + 1] ?? 'done'}`),
    script: {},
    outputs: { out: `\${nodes.${ids[0]}.outputs.value}` },
  });
  return { ...workflow, workflow: { name, version: '1.0.0' } };
}

function went({ resumed }: Observation): boolean {
  return resumed !== undefined && !('error' in resumed.answer);
}

function unlessGoesOn({ ledger, wait, resumed }: Observation): Failure | undefined {
  const invoked = Object.fromEntries(
    Object.keys(INVOKED).map(id => [
      id,
      ledger.filter(({ kind, node_id }) => kind === 'invoke' && node_id === id).length,
    ]),
  );
  const carried = Object.fromEntries(
    Object.keys(CARRIED).map(id => {
      const { outcome, attempts } = resumed?.wait?.trace.find(({ node_id }) => node_id === id) ?? {};
      return [id, `${outcome}, ${attempts} attempts`];
    }),
  );
  const expected = Object.entries(CARRIED).map(([id, outcome]) => [id, `${outcome}, 0 attempts`]);
  return (
    unlessSame('how the two instances ended', ['failed', 'completed'], [wait?.status, resumed?.wait?.status]) ??
    unlessSame('invocations of both instances together', INVOKED, invoked) ??
    unlessSame('how nodes were carried over', Object.fromEntries(expected), carried)
  );
}
