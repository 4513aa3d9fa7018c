import { expect } from 'vitest';
import type { ActionInvokeParams, ActionInvokeResult, AuditRecord, Node, Workflow } from '../../schemas/types.js';
import { verifyChain } from './audit/chain.js';
import { checkLifecycle } from './audit/lifecycle.js';
import type { Log, Step } from './audit/log.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import { end, run, skill, World, workflowOf } from './nodes.fixture.js';
import { differencesOf } from './replayed.fixture.js';
import { OWNER, Runtime } from './runtime.js';

export const named = (name: string, workflow: Workflow): Workflow => ({
  ...workflow,
  workflow: { name, version: '1.0.0' },
});
export const par = { fan_out: 'parallel' } as Partial<Node>;
export const ack = { irreversible: 'acknowledged' } as Partial<Node>;
export const and = (node: Node) => ({ ...node, join_type: 'AND' }) as Node;

/** Invocations that wait, by node or `undo node`, until they are let go. */
export class Held extends World {
  readonly #gates = new Map<string, { readonly opened: Promise<void>; readonly open: () => void }>();
  readonly entered: string[] = [];
  now = 0;
  most = 0;

  hold(...names: readonly string[]): this {
    for (const name of names) {
      let open = () => {};
      const opened = new Promise<void>(resolve => {
        open = resolve;
      });
      this.#gates.set(name, { opened, open });
    }
    return this;
  }

  release(...names: readonly string[]): void {
    for (const name of names) this.#gates.get(name)?.open();
  }

  override async invoke(call: ActionInvokeParams): Promise<ActionInvokeResult> {
    const name = call.action_id === 'undo' ? `undo ${call.node_id}` : `${call.node_id}`;
    this.entered.push(name);
    this.now += 1;
    this.most = Math.max(this.most, this.now);
    await this.#gates.get(name)?.opened;
    this.now -= 1;
    return super.invoke(call);
  }
}

/** A log whose steps can be stopped before they are written. */
export class SlowLog {
  readonly memory = new MemoryWorkspace();
  #stopped: ((step: Step) => boolean) | undefined;
  #go = () => {};
  #gone: Promise<void> = Promise.resolve();
  reached = 0;

  stop(at: (step: Step) => boolean): void {
    this.#stopped = at;
    this.#gone = new Promise(resolve => {
      this.#go = resolve;
    });
  }

  go(): void {
    this.#stopped = undefined;
    this.#go();
  }

  open(): Log {
    const log = this.memory.open();
    let before: Promise<unknown> = Promise.resolve();
    return {
      ...log,
      append: step => {
        const after = before.then(async () => {
          if (this.#stopped?.(step) === true) {
            this.reached += 1;
            await this.#gone;
          }
          return log.append(step);
        });
        before = after.catch(() => undefined);
        return after;
      },
    };
  }
}

export async function opened(log: Log, host: World, skills: readonly Workflow[] = []): Promise<Runtime> {
  const runtime = await Runtime.open({ workspace: '', log, host });
  if (skills.length > 0) await runtime.putRegistry({ workflows: [...skills] });
  return runtime;
}

export function sound(memory: MemoryWorkspace): void {
  expect(verifyChain(memory.lines).ok).toBe(true);
  expect(differencesOf(memory)).toEqual([]);
  expect(checkLifecycle(memory.records)).toEqual({ ok: true });
  const ended = new Set<string>();
  const parents = new Map<string, string | undefined>();
  for (const record of memory.records) {
    const { record_type, status, execution_id, parent_execution_id } = record;
    if (record_type === 'workflow' && status === 'workflow_started') parents.set(execution_id, parent_execution_id);
    else if (record_type === 'workflow') ended.add(execution_id);
    if (parent_execution_id !== undefined && (record_type !== 'workflow' || status === 'workflow_started'))
      expect([record.sequence, status, ended.has(parent_execution_id)]).toEqual([record.sequence, status, false]);
  }
}

export const has = (memory: MemoryWorkspace, fields: Partial<AuditRecord>) =>
  memory.records.some(r => Object.entries(fields).every(([k, v]) => r[k as keyof AuditRecord] === v));

export const leaf = named(
  'leaf',
  workflowOf([run('l1', 'pure'), run('l2', 'pure'), end('l-done')], ['l1 -success-> l2', 'l2 -success-> l-done'], {
    x: '${nodes.l2.outputs.of}',
  }),
);
export const one = workflowOf([skill('s', 'leaf'), end('done')], ['s -success-> done']);

const risky = named(
  'risky',
  workflowOf([run('l1', 'once', ack), run('l2', 'pure'), end('l-done')], ['l1 -success-> l2', 'l2 -success-> l-done']),
);

/** A root whose children, run side by side, are in doubt at these nodes. */
export async function doubtfulChild(doubts: readonly string[], children = 1) {
  const memory = new MemoryWorkspace();
  const world = new Held({});
  const invoke = world.invoke.bind(world);
  world.invoke = async call =>
    doubts.includes(call.node_id ?? '')
      ? { error: { error_class: 'E2', detail: 'lost', effect: 'unknown' } }
      : invoke(call);
  world.probe = async () => ({ verdict: 'unknown' });
  const numbers = Array.from({ length: children }, (_, n) => n);
  const workflow = workflowOf(
    [
      ...(children > 1 ? [run('a', 'pure', par)] : []),
      ...numbers.map(n => skill(`s${n}`, 'risky', ack as Record<string, unknown>)),
      children > 1 ? and(end('done')) : end('done'),
    ],
    numbers.flatMap(n => [...(children > 1 ? [`a -success-> s${n}`] : []), `s${n} -success-> done`]),
  );
  const runtime = await opened(memory.open(), world, [risky]);
  const wanted = { workflow, inputs: {}, agent_id: OWNER };
  const id = await runtime.start({ ...wanted, confirmation_id: await confirm(runtime, wanted) });
  await expect
    .poll(() => memory.records.filter(r => r.record_type === 'action' && r.status === 'in_doubt').length)
    .toBe(children);
  return { memory, world, runtime, id };
}
