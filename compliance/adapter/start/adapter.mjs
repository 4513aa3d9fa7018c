// @ts-check
// An adapter to begin with. It runs chains of actions in memory: put your runtime in place of `run`.
// Check it with: ars-compliance doctor -- node adapter.mjs
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdapterError, serve } from 'agent-runtime-spec/adapter';

/** @typedef {import('agent-runtime-spec/adapter').AdapterHost} AdapterHost */

serve(host => {
  const registry = new Map();
  const instances = new Map();
  const byKey = new Map();
  const find = ({ execution_id }) => {
    const instance = instances.get(execution_id);
    if (instance === undefined) throw new AdapterError('not_found', `there is no instance ${execution_id}`);
    return instance;
  };
  return {
    runtime: { name: 'my-runtime', version: '0.1.0', language: 'JavaScript' },
    limits: { max_nodes: 100, max_parallel: 1 },
    core: {
      open: () => ({ recovery: null }),
      close: () => {
        for (const known of [registry, instances, byKey]) known.clear();
        return {};
      },
      put: ({ actions = [] }) => {
        for (const action of actions) registry.set(`${action.action_id}@${action.version}`, action);
        return {};
      },
      remove: ({ actions = [] }) => {
        for (const name of actions) registry.delete(name);
        return {};
      },
      start: ({ workflow, context = {}, request_key }) => {
        const known = byKey.get(request_key);
        if (known !== undefined) return { execution_id: known };
        if (workflow === undefined || !isChain(workflow))
          throw new AdapterError('unsupported', 'only chains of actions that come with the start');
        const instance = { id: randomUUID(), context, trace: [], cancelled: false };
        const actions = [...(workflow.actions ?? []), ...registry.values()];
        const done = run(host, workflow, actions, instance).catch(broken => {
          console.error(broken);
          const error = { error_class: /** @type {const} */ ('E0'), detail: String(broken) };
          return { status: /** @type {const} */ ('failed'), error, trace: instance.trace };
        });
        instances.set(instance.id, { instance, done });
        if (request_key !== undefined) byKey.set(request_key, instance.id);
        return { execution_id: instance.id };
      },
      wait: ({ execution_id, budget_ms }) => {
        const { instance, done } = find({ execution_id });
        const running = { status: /** @type {const} */ ('running'), trace: instance.trace };
        return Promise.race([done, sleep(Math.min(budget_ms, 60_000), running, { ref: false })]);
      },
      cancel: params => {
        find(params).instance.cancelled = true;
        return {};
      },
      resume: params => {
        find(params);
        return {};
      },
    },
  };
});

function isChain({ nodes, edges }) {
  const sources = new Set(edges.map(edge => edge.from_node));
  if (sources.size < edges.length || edges.some(({ label }) => label !== 'success' && label !== 'always')) return false;
  return nodes.every(({ node_id, type }) => type === 'terminal' || (type === 'action' && sources.has(node_id)));
}

/** One run of a workflow. Your runtime does this, and calls host.invoke for every attempt of an action. */
async function run(/** @type {AdapterHost} */ host, workflow, actions, instance) {
  const { trace } = instance;
  const targets = new Set(workflow.edges.map(edge => edge.to_node));
  let node = workflow.nodes.find(({ node_id }) => !targets.has(node_id));
  while (node?.type === 'action') {
    const { node_id } = node;
    if (instance.cancelled) return { status: 'failed', error: { error_class: 'E0', detail: 'cancelled' }, trace };
    const action_id = node.action_def.split('@')[0];
    const result = await host.invoke({
      execution_id: randomUUID(),
      idempotency_key: `${instance.id}/${node_id}`,
      action_id,
      version: actions.find(action => action.action_id === action_id)?.version ?? '1.0.0',
      node_id,
      instance_id: instance.id,
      attempt: 1,
      inputs: node.input_mapping ?? {},
      context: instance.context,
    });
    trace.push({ node_id, outcome: 'error' in result ? 'failure' : 'success', attempts: 1 });
    if ('error' in result) {
      const { error_class, detail } = result.error;
      return { status: 'failed', error: { error_class, detail, node_id }, trace };
    }
    const edge = workflow.edges.find(
      ({ from_node, label }) => from_node === node_id && (label === 'success' || label === 'always'),
    );
    node = workflow.nodes.find(candidate => candidate.node_id === edge?.to_node);
  }
  trace.push({ node_id: node.node_id, outcome: node.status, attempts: 0 });
  return node.status === 'completed' ? { status: 'completed', outputs: {}, trace } : { status: node.status, trace };
}
