import type { Program } from '../program.js';
import { TRIVIAL } from './calibration.js';
import { ActionHost } from './host.js';
import type { Session } from './session.js';
import { setUp, startParams } from './setup.js';

/** How long an answer may take that has nothing to wait for, in milliseconds. */
const PROMPT_MS = 2500;

/** How long the adapter may look for the end of an instance, in milliseconds. */
const WAIT_MS = 20_000;

/** The smallest workflow; its action is answered once it is let go. */
const HELD: Program = { ...TRIVIAL, script: { nodes: { only: [{ reply: { outputs: {} }, held: true }] } } };

/** A request that is answered only behind something that it has nothing to do with. */
export interface Delayed {
  readonly method: 'workflow/start' | 'registry/put';
  readonly behind: 'action/invoke' | 'workflow/wait';
}

/**
 * The first request that is not answered while an action is open, as it goes where an adapter answers in the thread that
 * reads; undefined where there is none. Limits of time are multiplied by the scale. Rejects as opening a workspace does.
 */
export function findDelayed(session: Session, scale: number): Promise<Delayed | undefined> {
  const host = new ActionHost(HELD.script);
  const isOpen = () => host.ledger().some(({ kind, replied_at }) => kind === 'invoke' && replied_at === undefined);
  const ask = async (): Promise<Delayed | undefined> => {
    await session.open();
    await setUp(session, HELD);
    const start = await within(session.request('workflow/start', startParams(HELD)), PROMPT_MS * scale);
    if (start === 'late') return isOpen() ? { method: 'workflow/start', behind: 'action/invoke' } : undefined;
    if (start === 'refused') return undefined;
    const { execution_id = '' } = start;
    const wait = session.request('workflow/wait', { execution_id, budget_ms: WAIT_MS });
    const put = within(session.request('registry/put', { actions: [], workflows: [] }), PROMPT_MS * scale);
    const [waited, answer] = [within(wait, 2 * PROMPT_MS * scale), await put];
    if (answer === 'late') return { method: 'registry/put', behind: 'workflow/wait' };
    host.release();
    await waited;
    return undefined;
  };
  return session.inCase(host, ask, isOpen);
}

/** What is answered within so many milliseconds. */
function within<T extends object>(answer: Promise<T>, ms: number): Promise<T | 'refused' | 'late'> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve('late'), ms);
    const done = (result: T | 'refused') => {
      clearTimeout(timer);
      resolve(result);
    };
    answer.then(done, () => done('refused'));
  });
}
