import type { Workflow } from '../../../schemas/types.js';
import { PlainCondition } from '../workflow/plain-condition.js';
import { PlainReference } from '../workflow/plain-reference.js';
import { createContext } from './context.js';
import { DemandChains } from './demand-chains.js';
import { wholeInput } from './input.js';
import { OutcomeSets } from './outcome-sets.js';
import { PlannedOutcomes } from './scenario-choices.js';
import { Planner } from './scenario-plan.js';
import { findCertainty } from './values/certainty.js';
import { PathTree } from './values/path-tree.js';
import { SoundMappings } from './values/sound-mappings.js';

const WORKFLOW: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'kept', version: '1.0.0' },
  inputs: { limit: { schema: { type: 'number' } } },
  actions: [
    {
      schema_version: '1.0',
      action_id: 'act',
      version: '1.0.0',
      input_schema: { type: 'object', properties: { value: { type: 'number' } } },
      output_schema: { type: 'object', properties: { value: { type: 'number' } } },
      determinism: 'deterministic',
      rollback: 'rollbackable',
      side_effects: [],
    },
  ],
  nodes: [
    { node_id: 'first', type: 'action', action_def: 'act@^1.0.0', input_mapping: { value: '${inputs.limit}' } },
    {
      node_id: 'second',
      type: 'action',
      action_def: 'act@^1.0.0',
      input_mapping: { value: '${nodes.first.outputs.value}' },
    },
    { node_id: 'done', type: 'terminal', status: 'completed' },
  ],
  edges: [
    { from_node: 'first', to_node: 'second', label: 'success' },
    { from_node: 'second', to_node: 'done', label: 'success' },
  ],
};

/**
 * Nodes as documents have them: of each type the members that it needs and, in the order of the schema, each choice of those
 * that many have besides.
 */
function nodesOfEachForm(): object[] {
  const forms = [
    '"action_def":"act@^1.0.0","input_mapping":{}',
    '"expression":"true"',
    '"workflow_ref":"act@^1.0.0","input_mapping":{}',
    '"handling":"fail"',
    '"status":"completed"',
  ];
  const others = ['"retry_policy":{"max_retries":1}', '"timeout_ms":1', '"fan_out":"parallel"', '"join_type":"AND"'];
  return forms.flatMap(form =>
    Array.from({ length: 1 << others.length }, (_, choice) => {
      const chosen = others.filter((_, at) => ((choice >> at) & 1) === 1);
      return JSON.parse(`{${['"node_id":"kept"', '"type":"action"', form, ...chosen].join()}}`) as object;
    }),
  );
}

const kept: object[] = [];

/**
 * Keeps some objects of each class that the rules use for every node, and nodes of the most common forms, from being collected.
 *
 * Once all objects of a class are, V8 forgets how they were laid out, and drops the code that it compiled for that layout:
 * the next large document would be verified by code that is compiled anew, which takes about twice the time.
 */
export function keepShapes(): void {
  if (kept.length === 0) kept.push(...someOfEach(), ...nodesOfEachForm());
}

function someOfEach(): object[] {
  const context = createContext(wholeInput(WORKFLOW), {});
  const mappings = new SoundMappings(context, findCertainty(context));
  for (const node of [0, 1]) mappings.areSound(node);
  const sets = new OutcomeSets(1, 1);
  const chains = new DemandChains(sets, new Int32Array(1), 1, 1);
  const planned = [new Planner(context), new PlannedOutcomes(1)];
  const [tree, reference, condition] = [new PathTree(1), new PlainReference(), new PlainCondition()];
  return [context, context.plainConditions, mappings, sets, chains, ...planned, tree, reference, condition];
}
