import type { AuditRecord, WorkflowStartParams } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { digestsOf } from '../model/consent.js';
import { OWNER } from '../program.js';
import type { Act, Asked, Executed, Played, Reply, Scene, Seen } from '../scene.js';
import { violationText } from '../wire/event.js';
import type { RequestName, RequestTypes } from '../wire/methods.js';
import { refusedBy } from './answered.js';
import { replaceIn } from './folder.js';
import { ActionHost } from './host.js';
import type { Session } from './session.js';
import { exportLog, recordsOf } from './setup.js';

/** When a confirmation lapses that is not to lapse. */
const FAR = '2999-12-31T23:59:59.999Z';
/** How long an instance may take to end, or to come to the action that is held, in milliseconds. */
const WAIT_MS = 4000;
const SLICE_MS = 500;

/**
 * Everything that is seen of a scene in a workspace of its own. An instance that no action of holds is followed to its end
 * before the next act. Rejects as running a program does; refusals are observed.
 */
export async function playScene(session: Session, scene: Scene): Promise<Played> {
  const stage = new Stage(session, scene);
  return session.inCase(
    stage.host,
    () => stage.play(),
    () => stage.host.hanging() > 0,
  );
}

class Stage {
  readonly host: ActionHost;
  readonly #session: Session;
  readonly #scene: Scene;
  /** The instances by their labels, and those that have not been followed to their end. */
  readonly #instances = new Map<string, string>();
  readonly #open = new Set<string>();
  /** Whether the runtime does not open the workspace any more. */
  #shut = false;

  constructor(session: Session, scene: Scene) {
    this.#session = session;
    this.#scene = scene;
    this.host = new ActionHost(scene.script);
  }

  async play(): Promise<Played> {
    const session = this.#session;
    const { workflows, acts } = this.#scene;
    await session.open();
    await session.request('registry/put', { workflows: [...workflows] });
    const seen: Seen[] = [];
    for (const act of acts) seen.push(this.#shut ? { replies: [] } : await this.#take(act));
    if (this.#shut) return { seen, ledger: this.host.ledger(), kills: 0, violations: [] };
    for (const id of [...this.#open]) await this.#finish(id);
    const violations = session.events.map(violationText);
    const log = session.has('audit') ? recordsOf(await exportLog(session), violations) : undefined;
    const kills = acts.filter(act => act.do === 'reopen').length;
    return { seen, ledger: this.host.ledger(), kills, violations, ...(log === undefined ? {} : { log }) };
  }

  async #take(act: Act): Promise<Seen> {
    const session = this.#session;
    switch (act.do) {
      case 'reopen':
        await session.kill();
        await session.open();
        return { replies: [] };
      case 'damage':
        return { replies: [await this.#damage(act)] };
      case 'clock':
        await session.request('clock/set', { time: act.time });
        return { replies: [] };
      case 'records':
      case 'verify_log': {
        const reply =
          act.do === 'records' ? await this.#read(act) : await this.#ask('audit/verify', { text: act.text });
        return { replies: [reply], whole: await exportLog(session) };
      }
      case 'start':
        return { replies: await this.#start(act) };
      case 'check':
        return { replies: await Promise.all([this.#check(act), this.#check(act)]) };
      default:
        return { replies: await this.#one(act) };
    }
  }

  /** What is asked by one request, or by none where it is about an instance that there is not. */
  async #one(
    act: Exclude<Act, { do: 'reopen' | 'damage' | 'clock' | 'records' | 'verify_log' | 'start' | 'check' }>,
  ): Promise<Reply[]> {
    switch (act.do) {
      case 'register':
        return [await this.#ask('governance/register_agent', { agent: act.agent, by: act.by })];
      case 'grant':
        return [await this.#ask('governance/grant', { permission: act.permission })];
      case 'revoke':
        return [await this.#ask('governance/revoke', { permission_id: act.permission_id, by: act.by })];
      case 'policy':
        return [await this.#ask('governance/put_policy', { policy: act.policy, by: act.by })];
      case 'approve': {
        const { confirmation_id, approver, of } = act;
        const digests = digestsOf({ workflow: this.#workflow(of.workflow) }, of);
        const params = { confirmation_id, approver, agent_id: of.agent_id, expires_at: FAR, ...digests };
        return [await this.#ask('governance/approve', params)];
      }
      case 'dry_run':
        return [await this.#ask('workflow/start', { ...this.#asked(act), dry_run: true })];
      case 'state': {
        const keys = act.keys === undefined ? {} : { keys: [...act.keys] };
        return [await this.#ask('state/get', { agent_id: act.agent_id, ...keys })];
      }
      case 'finish': {
        const id = this.#instances.get(act.label);
        return id === undefined ? [] : [await this.#finish(id)];
      }
      case 'resume':
      case 'cancel':
        return this.#steer(act);
      default:
        return this.#about(act);
    }
  }

  async #damage({ text, by }: Extract<Act, { do: 'damage' }>): Promise<Reply> {
    const session = this.#session;
    await session.request('workspace/close', {});
    await session.kill();
    const places = await replaceIn(session.workspace_dir, text, by);
    try {
      await session.open();
    } catch (error) {
      const reply = refusalOf(error);
      this.#shut = true;
      return reply;
    }
    return { result: { places } };
  }

  async #steer(act: Extract<Act, { do: 'resume' | 'cancel' }>): Promise<Reply[]> {
    const execution_id = this.#instances.get(act.label);
    if (execution_id === undefined) return [];
    const { agent_id } = act;
    if (act.do === 'cancel') return [await this.#ask('workflow/cancel', { execution_id, agent_id })];
    const reply = await this.#ask('workflow/resume', { execution_id, agent_id });
    const id = idOf(reply);
    if (id !== undefined && id !== execution_id) await this.#follow(id, act.as, false);
    return [reply];
  }

  async #about(act: Extract<Act, { do: 'undo' | 'resolve' | 'evidence' }>): Promise<Reply[]> {
    const record = await this.#executed(act);
    if (record === undefined) return [];
    const { execution_id, evidence_ref } = record;
    if (act.do === 'undo')
      return [await this.#ask('execution/rollback', { execution_id, agent_id: act.agent_id, evidence: {} }, true)];
    if (act.do === 'resolve')
      return [await this.#ask('recovery/resolve', { execution_id, verdict: 'absent', approver: act.approver })];
    if (evidence_ref === undefined) return [];
    return [await this.#ask('evidence/get', { reference: evidence_ref, agent_id: act.agent_id })];
  }

  async #start(act: Extract<Act, { do: 'start' }>): Promise<readonly Reply[]> {
    const { label, request_key, times = 1 } = act;
    const params = { ...this.#asked(act), ...(request_key === undefined ? {} : { request_key }) };
    const replies = await Promise.all(Array.from({ length: times }, () => this.#ask('workflow/start', params)));
    const held = this.#workflow(act.workflow).nodes.some(
      ({ node_id }) => this.#scene.script.nodes[node_id]?.some(behaviour => behaviour.held === true) === true,
    );
    for (const id of new Set(replies.map(idOf))) if (id !== undefined) await this.#follow(id, label, held);
    return replies;
  }

  /** Follows an instance to its end, or to the invocation that is held. */
  async #follow(execution_id: string, label: string | undefined, held: boolean): Promise<void> {
    const known = this.#open.has(execution_id);
    if (label !== undefined) this.#instances.set(label, execution_id);
    this.#open.add(execution_id);
    if (!held) await this.#finish(execution_id);
    else if (!known) await this.host.received(execution_id, WAIT_MS * this.#session.scale);
  }

  async #finish(execution_id: string): Promise<Reply> {
    const session = this.#session;
    const until = performance.now() + WAIT_MS * session.scale;
    for (;;) {
      this.host.release();
      const budget_ms = Math.round(SLICE_MS * session.scale);
      const reply = await this.#ask('workflow/wait', { execution_id, budget_ms });
      if (!('result' in reply) || reply.result.status !== 'running' || performance.now() > until) {
        this.#open.delete(execution_id);
        return reply;
      }
    }
  }

  #check(act: Asked): Promise<Reply> {
    return this.#ask('governance/check', this.#asked(act));
  }

  async #read({ agent_id, how }: Extract<Act, { do: 'records' }>): Promise<Reply> {
    const lines: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const from = cursor === undefined ? {} : { cursor };
      const reply = await this.#ask(how === 'query' ? 'audit/query' : 'audit/export', { agent_id, ...from });
      if ('error' in reply) return reply;
      const { records, text, next } = reply.result as { records?: unknown[]; text?: string; next?: string };
      lines.push(...(records ?? recordsOf(text ?? '', [])));
      if (next === undefined) return { result: { records: lines } };
      cursor = next;
    }
  }

  async #executed({ label, node_id }: Executed): Promise<AuditRecord | undefined> {
    const context_id = this.#instances.get(label);
    if (context_id === undefined) return undefined;
    const query = { agent_id: OWNER, context_id, record_type: 'action' } as const;
    const { records } = await this.#session.request('audit/query', query);
    return (records as readonly AuditRecord[]).findLast(
      record => record.node_id === node_id && (record.purpose ?? 'execute') === 'execute',
    );
  }

  #asked({ workflow, by_id, agent_id, inputs = {}, context, confirmation_id }: Asked): WorkflowStartParams {
    const document = this.#workflow(workflow);
    const { name, version } = document.workflow;
    return {
      ...(by_id === undefined ? { workflow: document } : { workflow_id: `${name}@${version}` }),
      agent_id,
      inputs: { ...inputs },
      ...(context === undefined ? {} : { context: { ...context } }),
      ...(confirmation_id === undefined ? {} : { confirmation_id }),
    };
  }

  #workflow(name: string) {
    const found = this.#scene.workflows.find(({ workflow }) => workflow.name === name);
    if (found === undefined) throw new SuiteError('suite_bug', `the scene has no workflow '${name}'`);
    return found;
  }

  /** The answer to a request; of a method that may be left out the refusal as unsupported is one too. */
  async #ask<M extends RequestName>(method: M, params: RequestTypes[M]['params'], optional = false): Promise<Reply> {
    try {
      return { result: (await this.#session.request(method, params)) as Readonly<Record<string, unknown>> };
    } catch (error) {
      const reply = refusalOf(error);
      if (reply.error.kind === 'unsupported' && !optional) throw error;
      return reply;
    }
  }
}

function refusalOf(error: unknown): Extract<Reply, { error: unknown }> {
  const refused = refusedBy(error);
  const { reasons = [] } = (error as SuiteError).details as { reasons?: readonly { readonly code: string }[] };
  return { error: { ...refused, reasons: reasons.map(({ code }) => code) } };
}

function idOf(reply: Reply): string | undefined {
  return 'result' in reply ? (reply.result.execution_id as string | undefined) : undefined;
}
