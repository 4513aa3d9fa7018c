import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ask, Dialogue, Quoted, Said, Spoken, Turn } from '../dialogue.js';
import { SuiteError } from '../error.js';
import type { LedgerEntry, Program } from '../program.js';
import { violationText } from '../wire/event.js';
import type { RequestName, RequestTypes } from '../wire/methods.js';
import { answered } from './answered.js';
import { seekConsent } from './consent.js';
import { lookAt, writeInto } from './folder.js';
import { ActionHost } from './host.js';
import type { Session } from './session.js';
import { exportLog, recordsOf, setUp, startParams } from './setup.js';

/** How long an instance may take, in milliseconds. */
const WAIT_MS = 4000;

/**
 * Everything that is seen of a dialogue about a workspace of its own. Rejects as running a program does; refusals are
 * observed.
 */
export async function runDialogue(session: Session, dialogue: Dialogue): Promise<Spoken> {
  const talk = new Talk(session, dialogue);
  return session.inCase(
    talk.host,
    () => talk.hold(),
    () => talk.host.hanging() > 0,
  );
}

class Talk {
  readonly host: ActionHost;
  readonly #session: Session;
  readonly #dialogue: Dialogue;
  readonly #answers = new Map<string, readonly Said[]>();
  readonly #answered_at: Record<string, number> = {};
  #known = false;
  #open = false;
  #kills = 0;

  constructor(session: Session, dialogue: Dialogue) {
    this.#session = session;
    this.#dialogue = dialogue;
    this.host = new ActionHost(dialogue.script ?? { nodes: {} });
  }

  async hold(): Promise<Spoken> {
    const session = this.#session;
    this.#answers.set('case', [{ result: { workspace_dir: session.workspace_dir } }]);
    if (this.#dialogue.unopened !== true) this.#note('opening', [await this.#reopen()]);
    for (const [place, turn] of this.#dialogue.turns.entries()) await this.#take(turn, String(place));
    const violations = session.events.map(violationText);
    const text = this.#open && session.has('audit') ? await answered(exportLog(session)) : undefined;
    const log = text === undefined || 'error' in text ? undefined : recordsOf(text.result, violations);
    this.#answers.delete('case');
    return {
      answers: Object.fromEntries(this.#answers),
      ledger: this.host.ledger(),
      cancelled: [...this.host.cancelled()],
      answered_at: this.#answered_at,
      kills: this.#kills,
      violations,
      ...(log === undefined ? {} : { log }),
    };
  }

  async #take(turn: Turn, place: string): Promise<void> {
    const session = this.#session;
    switch (turn.do) {
      case 'ask':
        return this.#ask(turn, turn.as ?? place);
      case 'together':
        await Promise.all(turn.asks.map((ask, index) => this.#ask(ask, ask.as ?? `${place}.${index}`)));
        return;
      case 'run':
        return this.#note(turn.as ?? place, [await this.#run(turn)]);
      case 'hear':
        return this.#hear(turn.invocations, turn.replied === true);
      case 'write':
        return writeInto(session.workspace_dir, turn.path, turn.text);
      case 'erase':
        return rm(join(session.workspace_dir, turn.path), { force: true });
      case 'look':
        return this.#note(turn.as ?? place, [{ result: await lookAt(session.workspace_dir) }]);
      case 'read': {
        const text = await answered(exportLog(session));
        const read = (whole: string) => ({ text: whole, records: recordsOf(whole, []) });
        return this.#note(turn.as ?? place, ['error' in text ? text : { result: read(text.result) }]);
      }
      case 'kill':
        await session.kill();
        this.#kills += 1;
        this.#open = false;
        return;
      case 'close':
        await session.closeWorkspace();
        this.#open = false;
        return;
      case 'open':
        return this.#note(turn.as ?? place, [await this.#reopen(turn.incarnation)]);
    }
  }

  async #reopen(incarnation?: number): Promise<Said> {
    const said = await answered(this.#session.open(incarnation));
    if ('error' in said) return said;
    this.#open = true;
    if (!this.#known) await setUp(this.#session, this.#setting());
    this.#known = true;
    return { result: { recovery: said.result } };
  }

  async #ask({ method, params, times = 1, unchecked, paged }: Ask, name: string): Promise<void> {
    const quoted = this.#quote(params);
    if (quoted === undefined) return this.#note(name, [{ error: { kind: 'unasked' } }]);
    const sent = quoted.value as RequestTypes[RequestName]['params'];
    const budget_ms = this.#session.request_ms + (method === 'workflow/wait' ? WAIT_MS : 0);
    const options = { budget_ms, ...(unchecked === undefined ? {} : { unchecked }) };
    const request = (more: object): Promise<unknown> =>
      this.#session.request(method, { ...sent, ...more } as RequestTypes[RequestName]['params'], options);
    const ask = () => answered(paged === true ? allPages(request) : request({}));
    this.#note(name, await Promise.all(Array.from({ length: times }, ask)));
  }

  async #run({ program, request_key, unfollowed }: Extract<Turn, { do: 'run' }>): Promise<Said> {
    const session = this.#session;
    const whole: Program = { ...this.#setting(), ...program };
    const { confirmation_id } = await seekConsent(session, whole);
    const more = {
      ...(confirmation_id === undefined ? {} : { confirmation_id }),
      ...(request_key === undefined ? {} : { request_key }),
    };
    const start = await answered(session.request('workflow/start', startParams(whole, more)));
    if ('error' in start || unfollowed === true) return start;
    const { execution_id } = start.result;
    const budget_ms = Math.round(WAIT_MS * session.scale);
    const options = { budget_ms: session.request_ms + budget_ms };
    const wait = await answered(
      session.request('workflow/wait', { execution_id: execution_id ?? '', budget_ms }, options),
    );
    return { result: { execution_id, ...('error' in wait ? wait : { wait: wait.result }) } };
  }

  #hear(invocations: number, replied: boolean): Promise<void> {
    const counts = ({ kind, replied_at }: LedgerEntry) => kind === 'invoke' && (!replied || replied_at !== undefined);
    const heard = () => this.host.ledger().filter(counts).length >= invocations;
    if (heard()) return Promise.resolve();
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        unwatch();
        resolve();
      };
      const timer = setTimeout(done, this.#session.request_ms);
      const unwatch = this.host.watch(() => {
        if (heard()) done();
      });
    });
  }

  #note(name: string, said: readonly Said[]): void {
    if (this.#answers.has(name)) throw new SuiteError('suite_bug', `Two turns of a dialogue are named '${name}'.`);
    this.#answers.set(name, said);
    this.#answered_at[name] = this.host.tick();
  }

  #setting(): Program {
    const { setting, script = { nodes: {} } } = this.#dialogue;
    return { workflow: NOTHING, inputs: {}, kills: [], script, ...setting };
  }

  /** The value with everything quoted put in; undefined where something quoted is not there. */
  #quote(value: unknown): { readonly value: unknown } | undefined {
    if (typeof value !== 'object' || value === null) return { value };
    if ('$' in value) return this.#part(value as Quoted);
    const entries: [string, unknown][] = [];
    for (const [key, part] of Object.entries(value)) {
      const quoted = this.#quote(part);
      if (quoted === undefined) return undefined;
      entries.push([key, quoted.value]);
    }
    return { value: Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries) };
  }

  #part({ $, but }: Quoted): { readonly value: unknown } | undefined {
    const [name = '', ...members] = $.split('/');
    const [said] = this.#answers.get(name) ?? [];
    let value: unknown = said !== undefined && 'result' in said ? said.result : undefined;
    for (const member of members)
      value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : undefined;
    if (value === undefined) return undefined;
    return { value: but === undefined ? value : { ...(value as object), ...but } };
  }
}

/** After so many pages an answer that always has a cursor is given up. */
const MOST_PAGES = 1000;

async function allPages(request: (more: object) => Promise<unknown>): Promise<{ pages: readonly unknown[] }> {
  const pages: unknown[] = [];
  for (let more: object = {}; pages.length < MOST_PAGES; ) {
    const page = (await request(more)) as { readonly next?: string };
    pages.push(page);
    if (page.next === undefined) break;
    more = { cursor: page.next };
  }
  return { pages };
}

/** Where only the setting of a program counts. */
const NOTHING: Program['workflow'] = {
  schema_version: '1.0',
  workflow: { name: 'nothing', version: '1.0.0' },
  nodes: [{ node_id: 'done', type: 'terminal', status: 'completed' }],
  edges: [],
};
