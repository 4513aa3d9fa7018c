import { join } from 'node:path';
import { OWNER, Runtime } from '../../../implementations/typescript/runtime.js';
import type { Action, Workflow } from '../../../schemas/types.js';
import { drive, STEPS, type Subject } from './subject.js';

const ACTION: Action = {
  schema_version: '1.0',
  action_id: 'add-one',
  version: '1.0.0',
  input_schema: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
  output_schema: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
  modifies_existing: false,
  idempotent: true,
};

/** Returns the workflow: each step adds one to what the step before it gave. */
export function tenSteps(): Workflow {
  const names = Array.from({ length: STEPS }, (_, at) => `step-${String(at + 1).padStart(2, '0')}`);
  const last = names.at(-1) as string;
  return {
    schema_version: '1.0',
    workflow: { name: 'ten-steps', version: '1.0.0' },
    inputs: { value: { schema: { type: 'number' }, required: true } },
    outputs: { value: `\${nodes.${last}.outputs.value}` },
    actions: [ACTION],
    nodes: [
      ...names.map((node_id, at) => ({
        node_id,
        type: 'action' as const,
        action_def: 'add-one@1',
        input_mapping: { value: at === 0 ? `\${inputs.value}` : `\${nodes.${names[at - 1]}.outputs.value}` },
        output_mapping: { value: `\${result.value}` },
      })),
      { node_id: 'done', type: 'terminal' as const, status: 'completed' as const },
      { node_id: 'failed', type: 'error' as const, handling: 'fail' as const, join_type: 'OR' as const },
    ],
    edges: [
      ...names.flatMap((from_node, at) => [
        { from_node, to_node: names[at + 1] ?? 'done', label: 'success' },
        { from_node, to_node: 'failed', label: 'failure' },
      ]),
    ],
  };
}

/** Opens the reference runtime over a workspace in the folder. */
export async function openReference(folder: string): Promise<Subject & { readonly runtime: Runtime }> {
  const runtime = await Runtime.open({
    workspace: join(folder, 'reference'),
    actions: { 'add-one': ({ inputs }) => ({ outputs: { value: Number(inputs.value) + 1 } }) },
  });
  const workflow = tenSteps();
  return {
    name: 'ARS reference runtime',
    note: 'in process, SQLite with synchronous=FULL',
    runtime,
    run: (instances, parallel) =>
      drive(instances, parallel, async () => {
        const id = await runtime.start({ workflow, inputs: { value: 0 }, agent_id: OWNER });
        const { status, outputs } = await runtime.wait(id, 600_000);
        if (status !== 'completed' || outputs?.value !== STEPS) throw new Error(`an instance ended as ${status}`);
      }),
    close: () => runtime.close(),
  };
}
