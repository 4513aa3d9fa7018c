import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultPoint, Workflow, WorkflowWaitResult } from '../../../schemas/types.js';
import { AdapterError, serve } from '../../adapter/index.js';

interface Step {
  readonly kind: 'started' | 'pending' | 'committed';
  readonly node_id?: string;
  readonly workflow?: Workflow;
}

/** A fixture: runs chains of action nodes, one instance a workspace, and knows after a kill how far it came. */
serve(host => {
  let file = '';
  let done: Promise<WorkflowWaitResult> | undefined;
  let armed: { name: FaultPoint; left: number } | undefined;
  const pass = (name: FaultPoint) => {
    if (armed?.name !== name) return;
    armed.left -= 1;
    if (armed.left === 0) host.faultPoint(name, 'only');
  };
  const steps = (): Step[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter(line => line !== '')
          .map(line => JSON.parse(line) as Step)
      : [];
  const append = (step: Step) => appendFileSync(file, `${JSON.stringify(step)}\n`);
  const run = async (workflow: Workflow): Promise<WorkflowWaitResult> => {
    const trace: WorkflowWaitResult['trace'] = [];
    for (const node of workflow.nodes) {
      if (node.type !== 'action') continue;
      const { node_id } = node;
      if (!steps().some(step => step.kind === 'committed' && step.node_id === node_id)) {
        append({ kind: 'pending', node_id });
        pass('pending_durable');
        const ids = { execution_id: `x-${node_id}`, idempotency_key: node_id, action_id: 'act', version: '1.0.0' };
        await host.invoke({ ...ids, node_id, attempt: 1, inputs: {}, context: {} });
        pass('invoked');
        append({ kind: 'committed', node_id });
        pass('committed');
      }
      trace.push({ node_id, outcome: 'success', attempts: 1 });
    }
    return { status: 'completed', outputs: {}, trace };
  };
  const workflow = () => steps().find(step => step.kind === 'started')?.workflow;
  const follow = (): Promise<WorkflowWaitResult> => {
    const known = workflow();
    if (known === undefined) throw new AdapterError('not_found', 'Nothing was started.');
    done ??= run(known);
    return done;
  };
  return {
    runtime: { name: 'durable-fixture', version: '1.0.0' },
    continuation: 'resume',
    core: {
      open: ({ workspace_dir, incarnation }) => {
        mkdirSync(workspace_dir, { recursive: true });
        file = join(workspace_dir, 'steps.jsonl');
        done = undefined;
        if (incarnation > 1) pass('recovery_recorded');
        return { recovery: null };
      },
      close: () => {
        armed = undefined;
        return {};
      },
      start: params => {
        if (workflow() === undefined) append({ kind: 'started', workflow: params.workflow as Workflow });
        follow();
        return { execution_id: 'only' };
      },
      wait: ({ budget_ms }) => {
        if (done === undefined) throw new AdapterError('not_found', 'Resume it first.');
        const late = new Promise<WorkflowWaitResult>(resolve => {
          setTimeout(() => resolve({ status: 'running', trace: [] }), budget_ms).unref();
        });
        return Promise.race([done, late]);
      },
      resume: () => {
        follow();
        return {};
      },
    },
    faults: {
      points: ['pending_durable', 'invoked', 'committed', 'recovery_recorded'],
      arm: ({ name, occurrence }) => {
        armed = { name, left: occurrence };
        return {};
      },
    },
  };
});
