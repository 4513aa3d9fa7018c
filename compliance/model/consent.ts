import canonicalize from 'canonicalize';
import type { Agent } from '../../schemas/types.js';
import type { Approach, Inputs, Step } from '../approach.js';
import { digest } from '../history/chain.js';
import { APPROVER, DEFAULT_AGENT } from '../program.js';
import { needsConfirmation } from './safety.js';

/** An agent that may start and approve like DEFAULT_AGENT. */
export const SECOND_AGENT = 'second';
/** A registered agent that may do nothing. */
export const BYSTANDER = 'bystander';
/** An agent that nobody has registered. */
export const STRANGER = 'stranger';

/** The agents of an approach beside DEFAULT_AGENT and APPROVER. */
export function others(): readonly Agent[] {
  return [SECOND_AGENT, BYSTANDER].map(agent_id => ({ agent_id, trust: 'TRUSTED' }));
}

/** What a confirmation or a dry run is of (Ch6): the resolved documents, and the inputs with defaults filled in. */
export interface Digests {
  readonly resolved_digest: string;
  readonly inputs_digest: string;
}

/** The digests of a step; all actions of an approach come inside its workflow. */
export function digestsOf(
  { workflow }: Pick<Approach, 'workflow'>,
  { inputs = {}, other_documents }: { readonly inputs?: Inputs; readonly other_documents?: true },
): Digests {
  const { version } = workflow.workflow;
  const started = other_documents
    ? { ...workflow, workflow: { ...workflow.workflow, version: `${version}-other` } }
    : workflow;
  const declared = Object.entries(workflow.inputs ?? {});
  const defaults = declared
    .filter(([, input]) => input.default !== undefined)
    .map(([name, input]) => [name, input.default]);
  return {
    resolved_digest: digestOf({ workflow: started, actions: [], workflows: [] }),
    inputs_digest: digestOf({ ...Object.fromEntries(defaults), ...inputs }),
  };
}

function digestOf(value: unknown): string {
  return digest(canonicalize(value) ?? '');
}

/** What has to come of one step. */
export type Expected =
  | { readonly do: 'none' }
  | { readonly do: 'simulated'; readonly digests: Digests }
  | { readonly do: 'approved' | 'refused' }
  | {
      readonly do: 'started';
      /** How many of the starts at one time. */
      readonly count: number;
      /** What the others lack: a confirmation (MS1), or only a dry run (MS2). */
      readonly lacking: 'MS1' | 'MS2';
      /** Whether the starts come after a restart of what they depend on. */
      readonly reopened: boolean;
    };

interface Confirmation extends Digests {
  readonly agent_id: string;
  readonly approver: string;
  readonly expires_at: string;
}

/** What has to come of every step of an approach, by chapter 9. `now` is when it takes place, until a clock is set. */
export function expectedOf(approach: Approach, now: string): readonly Expected[] {
  const granted = new Map<string, Confirmation>();
  const used = new Set<string>();
  const simulated = new Set<string>();
  const trust = new Map<string, 'UNKNOWN' | 'TRUSTED'>();
  let time = now;
  let reopened = false;
  const step = (one: Step): Expected => {
    if (one.do === 'clock') time = one.time;
    if (one.do === 'reopen') reopened = true;
    if (one.do === 'trust') trust.set(one.agent_id, one.trust);
    if (one.do === 'clock' || one.do === 'reopen' || one.do === 'trust') return { do: 'none' };
    const digests = digestsOf(approach, one);
    if (one.do === 'dry_run') {
      simulated.add(JSON.stringify(digests));
      return { do: 'simulated', digests };
    }
    const { agent_id = DEFAULT_AGENT, confirmation_id = '' } = one;
    if (one.do === 'approve') {
      if (!mayApprove(one.approver, agent_id) || granted.has(confirmation_id)) return { do: 'refused' };
      granted.set(confirmation_id, { ...digests, agent_id, approver: one.approver, expires_at: one.expires_at });
      return { do: 'approved' };
    }
    const { times = 1 } = one;
    if (!needsConfirmation(approach.level)) return { do: 'started', count: times, lacking: 'MS1', reopened };
    const confirmation = granted.get(confirmation_id);
    const valid =
      confirmation !== undefined &&
      !used.has(confirmation_id) &&
      time < confirmation.expires_at &&
      trust.get(confirmation.approver) !== 'UNKNOWN' &&
      sameStart(confirmation, { ...digests, agent_id });
    const dry = approach.level === 'RISKY' || simulated.has(JSON.stringify(digests));
    if (valid && dry) used.add(confirmation_id);
    return { do: 'started', count: valid && dry ? 1 : 0, lacking: valid && !dry ? 'MS2' : 'MS1', reopened };
  };
  return approach.steps.map(step);
}

function mayApprove(approver: string, agent_id: string): boolean {
  return [APPROVER, DEFAULT_AGENT, SECOND_AGENT].includes(approver) && approver !== agent_id;
}

function sameStart(a: Digests & { agent_id: string }, b: Digests & { agent_id: string }): boolean {
  return a.resolved_digest === b.resolved_digest && a.inputs_digest === b.inputs_digest && a.agent_id === b.agent_id;
}
