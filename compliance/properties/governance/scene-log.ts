import canonicalize from 'canonicalize';
import type { AuditRecord } from '../../../schemas/types.js';
import { FOREIGN_KEY } from '../../generators/scenes.js';
import { bypass } from '../../history/bypass.js';
import { courseOf, SCENE_TIME, trustChangesOf } from '../../model/scene-course.js';
import type { LedgerEntry } from '../../program.js';
import type { Check, Failure } from '../../runner/verdict.js';
import type { Played, Reply, Scene } from '../../scene.js';

/** What the log of a scene says about a requirement, whatever was answered. */
type LogCheck = (scene: Scene, played: Played, log: readonly AuditRecord[]) => Check;

/** What the log of a scene says about these requirements. */
export function judgeLog(requirements: readonly LogRequirement[], scene: Scene, played: Played): readonly Check[] {
  const { log } = played;
  return log === undefined ? [] : requirements.map(id => LOG_CHECKS[id](scene, played, log));
}

function check(requirement: string, reached: boolean, wrong?: Failure | false): Check {
  return { requirement, reached, ...(wrong === undefined || wrong === false ? {} : { failure: wrong }) };
}

const isStart = ({ record_type, status }: AuditRecord) => record_type === 'workflow' && status === 'workflow_started';

/** Checks of logs by the requirement that they are about. */
const LOG_CHECKS = {
  /** Every record of an instance, its undos included, is its agent's, approvals aside. */
  AI2: (_scene, _played, log) => {
    const roots = new Map(log.filter(isStart).map(({ execution_id, agent_id }) => [execution_id, agent_id]));
    const below = log.filter(
      ({ record_type, context_id, execution_id }) =>
        record_type !== 'approval' && roots.has(context_id) && execution_id !== context_id,
    );
    const other = below.find(({ context_id, agent_id }) => agent_id !== roots.get(context_id));
    return check('AI2', below.length > 0, other && foreign(other, String(roots.get(other.context_id))));
  },
  CA2: (_scene, _played, log) => {
    const agents = new Map(log.filter(isStart).map(({ execution_id, agent_id }) => [execution_id, agent_id]));
    const children = log.filter(record => isStart(record) && record.parent_execution_id !== undefined);
    const parentOf = ({ parent_execution_id = '' }: AuditRecord) => agents.get(parent_execution_id);
    const other = children.find(child => child.agent_id !== parentOf(child));
    return check('CA2', children.length > 0, other && foreign(other, String(parentOf(other))));
  },
  /** The trust of each agent as the log tells it is what it became. */
  AI3: (scene, _played, log) => {
    const { changes, certain } = trustChangesOf(scene, SCENE_TIME);
    const registered = new Map<string, string>();
    for (const act of scene.acts)
      if (act.do === 'register' && !registered.has(act.agent.agent_id))
        registered.set(act.agent.agent_id, act.agent.trust);
    const told = new Map<string, string[]>([...registered.keys()].map(name => [name, []]));
    for (const { record_type, agent_id, trust_after } of log) {
      if ((record_type !== 'gate' && record_type !== 'trust') || trust_after === undefined) continue;
      const list = told.get(agent_id);
      if (list !== undefined && (list.at(-1) ?? registered.get(agent_id)) !== trust_after) list.push(trust_after);
    }
    const wanted = new Map<string, string[]>([...registered.keys()].map(name => [name, []]));
    for (const { agent_id, trust } of changes) wanted.get(agent_id)?.push(trust);
    const expected = Object.fromEntries([...wanted].filter(([, list]) => list.length > 0));
    const observed = Object.fromEntries([...told].filter(([, list]) => list.length > 0));
    const wrong = JSON.stringify(expected) !== JSON.stringify(observed);
    const message = 'the log does not tell what the trust of agents became';
    return check('AI3', certain && changes.length > 0, certain && wrong && { message, expected, observed });
  },
  /** What was read of the log once is read again. */
  G3: (_scene, { seen }, log) => {
    const wholes = seen.flatMap(({ whole }) => (whole === undefined ? [] : [whole]));
    const last = log.map(record => `${canonicalize(record)}\n`).join('');
    const all = [...wholes, last];
    const at = all.findIndex((whole, index) => index > 0 && !whole.startsWith(all[index - 1] as string));
    const message = 'a record that was read before reads otherwise now, or is gone';
    return check(
      'G3',
      wholes.length > 0 && last.length > (wholes[0]?.length ?? 0),
      at > 0 && { message, observed: at },
    );
  },
  /** A log of somewhere else leaves no record. */
  ET3: ({ acts }, { seen }) => {
    const places = acts.flatMap((act, at) =>
      act.do === 'verify_log' && seen[at - 1]?.whole !== undefined ? [at] : [],
    );
    const at = places.find(place => seen[place]?.whole !== seen[place - 1]?.whole);
    const message = 'the log is another one after a log of somewhere else was verified';
    const written = acts.flatMap((act, place) =>
      act.do === 'state' && hasForeign(seen[place]?.replies[0]) ? [place] : [],
    );
    const wrong = at !== undefined ? { message, observed: seen[at]?.whole?.slice(-600) } : undefined;
    const state = { message: 'a log of somewhere else became part of State', observed: FOREIGN_KEY };
    return check('ET3', places.length > 0, wrong ?? (written.length > 0 && state));
  },
  EG5: (_scene, _played, log) => {
    const found: Failure[] = [];
    const pass = bypass.begin(({ expected, observed }) => {
      found.push({ message: 'the log shows what started or was executed past the gates', expected, observed });
    }, {});
    for (const record of log) pass.record?.(record);
    return check('EG5', log.some(isStart), found[0]);
  },
  /** What was asked for once was asked at the gates once. */
  GF5: ({ acts }, { seen }, log) => {
    const asked = seen.flatMap(({ replies }, at) => {
      const { do: what } = acts[at] as Scene['acts'][number];
      return what === 'start' || what === 'dry_run' || what === 'resume' ? replies : [];
    });
    const refused = asked.filter(reply => 'error' in reply && reply.error.kind === 'denied').length;
    const ids = new Set(
      log.filter(({ record_type }) => record_type === 'gate').map(({ execution_id }) => execution_id),
    );
    const message = 'more was asked at the gates than was asked for';
    const more = ids.size > asked.length;
    return check('GF5', refused > 0, more && { message, expected: asked.length, observed: ids.size });
  },
  /** Every invocation is of an execution below a root that passed the gates. */
  MG1: (_scene, { ledger }, log) => {
    const invoked = ledger.filter(({ kind }) => kind === 'invoke');
    const stray = invoked.find(entry => !passedGates(entry, log));
    const message = 'an action was invoked outside an execution whose root passed the gates';
    return check('MG1', invoked.length > 0, stray && { message, observed: stray });
  },
  /** What was invoked before a kill has the records of its gates after it. */
  GF4: (_scene, { ledger, kills }, log) => {
    const early = ledger.filter(({ kind, incarnation }) => kind === 'invoke' && incarnation <= kills);
    const stray = early.find(entry => !passedGates(entry, log));
    const message = 'an instance had begun, and the records of its gates are not there after a kill';
    return check('GF4', early.length > 0, stray && { message, observed: stray });
  },
  /** What goes on after a restart was asked at the governance gate before, and what was denied there ends. */
  GFR2: (scene, played, log) => {
    const [first] = interruptedBy(scene, played).map(id => lackOf(id, log));
    return check('GFR2', first !== undefined, first === undefined || first === '' ? undefined : { message: first });
  },
} as const satisfies Readonly<Record<string, LogCheck>>;

/** One of the requirements that the log of a scene tells of. */
export type LogRequirement = keyof typeof LOG_CHECKS;

function hasForeign(reply: Reply | undefined): boolean {
  return reply !== undefined && 'result' in reply && FOREIGN_KEY in ((reply.result.state ?? {}) as object);
}

function foreign({ record_type, status, agent_id, sequence }: AuditRecord, expected: string): Failure {
  const message = `record ${sequence}, ${record_type} ${status}, is not of the agent on whose behalf it was made`;
  return { message, expected, observed: agent_id };
}

const GATES = ['verification', 'governance', 'safety', 'execution'];

function passedGates({ execution_id, instance_id }: LedgerEntry, log: readonly AuditRecord[]): boolean {
  const record = log.find(one => one.execution_id === execution_id);
  const root = record?.context_id ?? instance_id ?? execution_id;
  const end = record?.sequence ?? Number.POSITIVE_INFINITY;
  const passed = log.filter(
    one => one.record_type === 'gate' && one.execution_id === root && one.status === 'allowed' && one.sequence < end,
  );
  return GATES.every(gate => passed.some(one => one.gate === gate));
}

/** The instances that were running when the runtime was killed. */
function interruptedBy(scene: Scene, { seen }: Played): readonly string[] {
  const ids = new Map<string, string>();
  const running = new Set<string>();
  for (const [at, { world }] of courseOf(scene, SCENE_TIME).entries()) {
    const act = scene.acts[at];
    if (act?.do === 'start' && act.label !== undefined) {
      const id = idOf(seen[at]?.replies[0]);
      if (id !== undefined) ids.set(act.label, id);
    }
    if (act?.do !== 'reopen') continue;
    for (const [label, { status }] of world.instances) {
      const id = ids.get(label);
      if (status === 'held' && id !== undefined) running.add(id);
    }
  }
  return [...running];
}

function idOf(reply: Reply | undefined): string | undefined {
  const id = reply !== undefined && 'result' in reply ? reply.result.execution_id : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** What is missing after the restart of an instance, in words. */
function lackOf(id: string, log: readonly AuditRecord[]): string {
  const start = log.find(record => isStart(record) && record.execution_id === id);
  const later = log.filter(
    ({ context_id, incarnation }) =>
      context_id === id && incarnation > (start?.incarnation ?? Number.POSITIVE_INFINITY),
  );
  const gate = later.find(({ record_type, gate: name }) => record_type === 'gate' && name === 'governance');
  const goesOn = later.find(({ record_type, status }) => record_type === 'action' && status === 'pending');
  const end = later.find(({ record_type, execution_id }) => record_type === 'workflow' && execution_id === id);
  if (gate === undefined) return 'governance was not asked before the instance went on';
  if (goesOn !== undefined && goesOn.sequence < gate.sequence) return 'governance was asked after the instance went on';
  if (gate.status === 'allowed') return '';
  if (goesOn !== undefined) return 'something was executed in spite of the denial';
  return end?.status === 'workflow_failed' ? '' : 'the instance did not end with workflow_failed';
}
