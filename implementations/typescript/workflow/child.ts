import { ArsError } from '../error.js';
import { type Evaluated, inputsOf } from './evaluate.js';
import { executedSkill, type Instance, type InstanceHead, targetOf } from './instance.js';
import { bindInputs } from './plan.js';

/**
 * What the child instance of a skill node is from its start on; a failure where its inputs cannot be made.
 *
 * One that retries resumes the ended child. So does the first one of an instance that resumes another, where its inputs
 * are those that the child had there.
 */
export function childHead(instance: Instance, node: number, execution_id: string): Evaluated<InstanceHead> {
  const step = executedSkill(instance, node);
  const { context_id, agent_id, context, execution_id: parent_id } = instance.head;
  const mapped = inputsOf(instance, step);
  if (!mapped.ok) return mapped;
  try {
    const inputs = bindInputs(step.plan, mapped.value);
    const resumes = resumedChild(instance, node);
    return {
      ok: true,
      value: {
        ...{ execution_id, context_id, agent_id, inputs, context },
        parent: { execution_id: parent_id, node_id: step.node_id },
        ...(resumes === undefined ? {} : { resumes }),
      },
    };
  } catch (error) {
    if (!(error instanceof ArsError) || error.code !== 'invalid_document') throw error;
    return { ok: false, failure: { error_class: 'E4', detail: error.message } };
  }
}

function resumedChild(instance: Instance, node: number): string | undefined {
  return endedChild(instance, node) ?? instance.head.children?.get(executedSkill(instance, node).node_id);
}

/** The child instance that a retrying node has to resume; undefined where none was started before. */
export function endedChild(instance: Instance, node: number): string | undefined {
  return instance.children.get(targetOf(instance, node))?.at(-1);
}
