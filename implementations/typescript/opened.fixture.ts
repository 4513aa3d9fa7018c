import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Action, AuditRecord, Edge, Node, Workflow } from '../../schemas/types.js';
import { ArsError } from './error.js';
import type { ActionFunctions } from './execution/functions.js';
import { pure as inert } from './nodes.fixture.js';
import { OWNER, Runtime } from './runtime.js';
import { openReader } from './store/store.js';

/** The one action of these workflows. */
export const pure: Action = { ...inert, idempotent: true };

export function workflow(nodes: Node[], edges: [string, string, string][], more: Partial<Workflow> = {}): Workflow {
  const list: Edge[] = edges.map(([from_node, to_node, label]) => ({ from_node, to_node, label }));
  return {
    schema_version: '1.0',
    workflow: { name: 'flow', version: '1.0.0' },
    actions: [pure],
    nodes,
    edges: list,
    ...more,
  };
}

export const step = (node_id: string, more: object = {}): Node =>
  ({ node_id, type: 'action', action_def: 'pure@^1', ...more }) as Node;
export const done: Node = { node_id: 'done', type: 'terminal', status: 'completed' };

/** A workflow of one action. */
export const one = (more: object = {}, rest: Partial<Workflow> = {}) =>
  workflow([step('a', more), done], [['a', 'done', 'success']], rest);

/** A runtime over a workspace of each test, which is closed and removed at its end. */
export function runtimeOfTests() {
  const at = {
    workspace: '',
    runtime: undefined as unknown as Runtime,
    async open(actions: ActionFunctions, more: object = {}): Promise<void> {
      at.runtime = await Runtime.open({ workspace: at.workspace, actions, ...more });
    },
    async run(document: Workflow, inputs: Record<string, unknown> = {}) {
      const execution_id = await at.runtime.start({ workflow: document, inputs, agent_id: OWNER });
      return at.runtime.wait(execution_id, 20_000);
    },
  };
  beforeEach(() => {
    at.workspace = mkdtempSync(join(tmpdir(), 'ars-runtime-'));
  });
  afterEach(async () => {
    await at.runtime?.close();
    rmSync(at.workspace, { recursive: true, force: true });
  });
  return at;
}

/** The records of a workspace, as a reader finds them. */
export function recordsOf(folder: string): AuditRecord[] {
  const reader = openReader(folder);
  try {
    return [...reader.records()];
  } finally {
    reader.close();
  }
}

/** The code of what is thrown, or undefined where nothing is. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    error => (error instanceof ArsError ? error.code : `${error}`),
  );
}
