import { setTimeout as sleep } from 'node:timers/promises';
import type { Action, WorkflowWaitResult } from '../../../schemas/types.js';
import { AdapterError, serve } from '../index.js';
import { runChain, type ToyInstance } from './toy-engine.js';

/** A whole adapter of the capability core, of a toy that conforms to no profile and forgets all when it dies. */
serve(host => {
  const instances = new Map<string, ToyInstance>();
  const registry = new Map<string, Action>();
  const by_key = new Map<string, ToyInstance>();
  const find = (execution_id: string): ToyInstance => {
    const instance = instances.get(execution_id);
    if (instance === undefined) throw new AdapterError('not_found', `There is no instance ${execution_id}.`);
    return instance;
  };
  return {
    runtime: { name: 'toy', version: '1.0.0', language: 'TypeScript' },
    limits: { max_nodes: 100, max_parallel: 1 },
    core: {
      open: () => ({ recovery: null }),
      close: () => {
        instances.clear();
        registry.clear();
        by_key.clear();
        return {};
      },
      start: ({ workflow, inputs, context, request_key }) => {
        if (workflow === undefined) throw new AdapterError('unsupported', 'The toy keeps no workflows.');
        const known = request_key === undefined ? undefined : by_key.get(request_key);
        const instance = known ?? runChain(workflow, [...registry.values()], inputs, context ?? {}, host);
        instances.set(instance.execution_id, instance);
        if (request_key !== undefined) by_key.set(request_key, instance);
        return { execution_id: instance.execution_id };
      },
      wait: async ({ execution_id, budget_ms }) => {
        const { done, trace } = find(execution_id);
        const running: WorkflowWaitResult = { status: 'running', trace };
        return Promise.race([done, sleep(Math.min(budget_ms, 2 ** 31 - 1), running, { ref: false })]);
      },
      cancel: ({ execution_id }) => {
        find(execution_id).cancelled = true;
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
      resume: ({ execution_id }) => {
        find(execution_id);
        return {};
      },
    },
  };
});
