import type { RecordStatus, TerminalStatus } from '../../../schemas/types.js';
import { detailOf } from '../audit/execution-record.js';
import type { RecordDraft } from '../audit/log.js';
import type { Failure, Instance, InstanceEnd, InstanceHead } from './instance.js';
import type { InstanceEffect } from './instance-event.js';
import type { Plan } from './plan.js';

const ENDS: Readonly<Record<TerminalStatus, RecordStatus>> = {
  completed: 'workflow_completed',
  failed: 'workflow_failed',
  compensated: 'workflow_compensated',
};

/** The record of an instance's start. */
export function startedDraft(
  plan: Plan,
  head: InstanceHead,
  inputs_digest: string,
  request_key: string | undefined,
): RecordDraft {
  const { execution_id, context_id, agent_id, inputs, context, resumes, confirmation_id, parent } = head;
  const refers_to = [confirmation_id, resumes].filter(id => id !== undefined);
  return {
    record_type: 'workflow',
    status: 'workflow_started',
    execution_id,
    context_id,
    ...(parent === undefined ? {} : { parent_execution_id: parent.execution_id, node_id: parent.node_id }),
    agent_id,
    workflow_id: plan.workflow_id,
    inputs,
    context,
    resolved_digest: plan.resolved_digest,
    inputs_digest,
    ...(request_key === undefined ? {} : { request_key }),
    ...(confirmation_id === undefined ? {} : { confirmation_id }),
    ...(refers_to.length === 0 ? {} : { refers_to }),
  };
}

const NONE: readonly RecordDraft[] = [];

/** The records that effects of an instance consist of, in their order. */
export function recordsOf(
  instance: Instance,
  effects: readonly InstanceEffect[],
  newId: () => string,
): readonly RecordDraft[] {
  let drafts: RecordDraft[] | undefined;
  for (const effect of effects) {
    const draft = recordOf(instance, effect, newId);
    if (draft === undefined) continue;
    drafts ??= [];
    drafts.push(draft);
  }
  return drafts ?? NONE;
}

function recordOf(instance: Instance, effect: InstanceEffect, newId: () => string): RecordDraft | undefined {
  switch (effect.type) {
    case 'record_terminal':
      return terminalDraft(instance, effect.node, effect.status, newId());
    case 'record_outcome':
      return outcomeDraft(instance, effect.record_type, effect.node, effect.failure, newId());
    case 'end':
      return endDraft(instance, effect.end);
    default:
      return undefined;
  }
}

/** The record of an instance's end. */
function endDraft({ plan, head }: Instance, end: InstanceEnd): RecordDraft {
  const { error } = end;
  return {
    record_type: 'workflow',
    status: ENDS[end.status],
    execution_id: head.execution_id,
    context_id: head.context_id,
    ...(head.parent === undefined ? {} : { parent_execution_id: head.parent.execution_id }),
    agent_id: head.agent_id,
    workflow_id: plan.workflow_id,
    ...(end.outputs === undefined ? {} : { outputs: end.outputs }),
    ...(error === undefined ? {} : { error_class: error.error_class, error_detail: detailOf(error.detail) }),
    ...(error?.node_id === undefined ? {} : { node_id: error.node_id }),
  };
}

/** The record of a terminal that was reached. */
function terminalDraft(
  { plan, head }: Instance,
  node: number,
  status: TerminalStatus,
  execution_id: string,
): RecordDraft {
  return {
    record_type: 'terminal',
    status,
    execution_id,
    context_id: head.context_id,
    parent_execution_id: head.execution_id,
    agent_id: head.agent_id,
    node_id: (plan.steps[node] as { node_id: string }).node_id,
  };
}

/** The record of an error or skill node that was resolved. */
function outcomeDraft(
  { plan, head, children }: Instance,
  record_type: 'error' | 'skill',
  node: number,
  failure: Failure | undefined,
  execution_id: string,
): RecordDraft {
  const own = record_type === 'skill' ? children.get(node) : undefined;
  return {
    record_type,
    status: failure === undefined ? 'success' : 'failure',
    execution_id,
    context_id: head.context_id,
    parent_execution_id: head.execution_id,
    agent_id: head.agent_id,
    node_id: (plan.steps[node] as { node_id: string }).node_id,
    ...(own === undefined ? {} : { refers_to: [...own] }),
    ...(failure === undefined ? {} : { error_class: failure.error_class, error_detail: detailOf(failure.detail) }),
  };
}
