import type { Node, State } from '../../schemas/types.js';
import type { Violation } from '../history/violation.js';
import type { Observation, Program } from '../program.js';
import { hasHandlers } from './documents.js';
import { type ExpectedEntry, expectedState, MODEL_TIME, workflowOutputs } from './expected.js';
import { failureOf, finalStatus, fire, type Graph, graphOf, handlesFailure, type Resolution } from './firing.js';
import { mayStart } from './gate.js';
import { type Ended, instanceScope, resolveCondition } from './instance.js';
import { sameJson } from './json.js';
import { judgeInstances } from './judge-instances.js';
import { judgeLog } from './judge-log.js';
import { judgeActionNode } from './judge-node.js';
import { judgeDoubt, judgeOrder } from './judge-order.js';
import { judgePath } from './judge-path.js';
import { judgeIdentifiers } from './judge-sequence.js';
import { judgeCancelled, judgeResumed } from './judge-steered.js';
import { judgeTree } from './judge-tree.js';
import { refusalText } from './refusal.js';
import { compareLevels, riskOf } from './safety.js';
import { applyChanges } from './state.js';
import { hasEnded, type Witness, witnessOf } from './witness.js';

/**
 * The requirements that an observed run of a program breaks, killed or not; an empty list where everything seen is
 * allowed. The log by itself is judged by `checkLog`; here it only serves as witness. A run that was still going when
 * it was given up is judged by what it had done.
 */
export function judge(program: Program, observation: Observation): Violation[] {
  const found: Violation[] = [];
  judgeLevel(program, observation, found);
  if (!judgeStart(program, observation, found)) return found;
  if (hasHandlers(program) || isSteered(program)) return [...found, ...judgeHandled(program, observation)];
  const witness = witnessOf(program, observation);
  const graph = graphOf(program.workflow);
  const ofNodes: Violation[] = [];
  const replayed = replay(program, graph, witness, ofNodes);
  const wrong = judgePath(graph, replayed.resolved, witness, found);
  found.push(...ofNodes.filter(({ node_id }) => node_id === undefined || !wrong.has(node_id)));
  judgeOrder(graph, replayed.resolved, witness, found);
  judgeDoubt(graph, replayed.resolved, witness, found);
  judgeIdentifiers(observation.ledger, found);
  judgeInstance(observation, found);
  judgeLog(program, replayed.resolved, witness, found);
  judgeReports(observation, found);
  if (found.length === 0) judgeEnd(program, graph, replayed, observation, found);
  return found;
}

/** The same for a program with error nodes or skills: undisturbed by the model of the whole tree, and always by its log. */
function judgeHandled(program: Program, observation: Observation): Violation[] {
  const found: Violation[] = [];
  judgeIdentifiers(observation.ledger, found);
  judgeReports(observation, found);
  const steered = isSteered(program)
    ? [...judgeCancelled(program, observation), ...judgeResumed(program, observation)]
    : judgeTree(program, observation);
  return [...judgeInstances(program, observation), ...steered, ...found];
}

/** Whether more is done to the instance than to start it. */
function isSteered({ cancel_at, resume }: Program): boolean {
  return cancel_at !== undefined || resume === true;
}

/** What a gate breaks that denies what it has to allow. */
const DENIERS: ReadonlyMap<string | undefined, string> = new Map([
  ['verification', 'VII4'],
  ['safety', 'SC1'],
]);

/** The dry run says the level that the contracts give: not less than the rule that makes it so, and not more. */
function judgeLevel(program: Program, { dry_run }: Observation, found: Violation[]): void {
  if (dry_run === undefined || 'error' in dry_run) return;
  const { level, requirement } = riskOf(program);
  const by = compareLevels(dry_run.safety_level, level);
  if (by === 0) return;
  found.push({ requirement: by < 0 ? requirement : 'SC1', expected: level, observed: dry_run.safety_level });
}

/** Judges the gate, and gives whether there is an instance to judge. */
function judgeStart(program: Program, { start, ledger }: Observation, found: Violation[]): boolean {
  const allowed = mayStart(program, MODEL_TIME);
  if ('execution_id' in start) {
    if (!allowed) found.push({ requirement: 'G2', expected: 'denied', observed: `started as ${start.execution_id}` });
    return allowed;
  }
  const { kind, gate } = start.error;
  if (kind === 'unsupported') return false;
  const observed = `workflow/start was answered with ${refusalText(start.error)}`;
  if (allowed)
    found.push({
      requirement: (kind === 'denied' ? DENIERS.get(gate) : undefined) ?? (kind === 'denied' ? 'PR1' : 'CF7'),
      expected: 'a start',
      observed,
    });
  else if (kind !== 'denied') found.push({ requirement: 'G2', expected: 'denied', observed });
  const invoked = ledger.find(entry => entry.kind === 'invoke');
  if (invoked !== undefined) {
    const { execution_id, action_id } = invoked;
    found.push({ requirement: 'G2', expected: 'nothing executed', observed: `${action_id} was invoked`, execution_id });
  }
  return false;
}

/** Fires the graph with what action nodes were seen to come to. */
function replay(program: Program, graph: Graph, witness: Witness, found: Violation[]): Ended {
  const scope = instanceScope(program);
  const fold = new Map();
  const resolve = (node: Node): Resolution => {
    const resolution = resolveAsSeen(node);
    const run = resolution.run;
    if (run?.committed === true && resolution.outcome === 'success') applyChanges(fold, run.changes, node.node_id);
    if (run?.undo?.done === true) applyChanges(fold, run.undo.changes, `undo of ${node.node_id}`);
    if (resolution.outputs !== undefined && resolution.outcome === 'success')
      scope.nodes.set(node.node_id, resolution.outputs);
    return resolution;
  };
  const resolveAsSeen = (node: Node): Resolution => {
    if (node.type === 'terminal') return { outcome: node.status, attempts: 0 };
    if (node.type === 'condition') return resolveCondition(node, graph, scope);
    const traced = witness.trace.get(node.node_id)?.outcome;
    if (node.type !== 'action' || traced === 'skipped') return { outcome: 'success', attempts: 0 };
    const handled = handlesFailure(graph, node.node_id);
    const judged = judgeActionNode(node, program, witness, scope, fold, handled, found);
    return judged ?? { outcome: 'running', attempts: 0 };
  };
  return { resolved: fire(graph, resolve), fold, scope };
}

/** All invocations belong to the one instance that was started, also after a restart. */
function judgeInstance({ start, ledger, kills }: Observation, found: Violation[]): void {
  const instance = 'execution_id' in start ? start.execution_id : undefined;
  for (const { kind, instance_id, execution_id } of ledger) {
    if (kind !== 'invoke' || instance_id === undefined || instance_id === instance) continue;
    const requirement = kills > 0 ? 'IR5' : 'IR4';
    found.push({ requirement, expected: `instance ${instance}`, observed: instance_id, execution_id });
    return;
  }
}

/** What recovery decided once it does not decide again (CRC3); only undos are taken up again. */
function judgeReports({ recoveries }: Observation, found: Violation[]): void {
  const decided = new Map<string, string>();
  for (const { execution_id, decision } of recoveries.flatMap(report => report?.decisions ?? [])) {
    const earlier = decided.get(execution_id);
    decided.set(execution_id, decision);
    const undo = decision === 'roll_back' || decision === 'compensate';
    if (earlier === undefined || (undo && earlier === decision)) continue;
    found.push({ requirement: 'CRC3', expected: `${earlier}, once`, observed: `${decision} again`, execution_id });
  }
}

function judgeEnd(program: Program, graph: Graph, ended: Ended, observation: Observation, found: Violation[]): void {
  const { wait, state } = observation;
  if (wait === undefined || wait.status === 'running') return;
  const reached = finalStatus(graph, ended.resolved);
  const outputs = reached === 'completed' ? workflowOutputs(program, ended.scope) : undefined;
  const status = reached === 'completed' && outputs === undefined ? 'failed' : reached;
  if (wait.status !== status) {
    const marked = [...ended.resolved.values()].some(({ drains }) => drains === true);
    const requirement = marked ? 'FB2' : status === 'in_doubt' ? 'FB5' : wait.status === 'failed' ? 'FB1' : 'TN2';
    found.push({ requirement, expected: `it ends ${status}`, observed: `the instance ended ${wait.status}` });
  } else if (status === 'completed' && !sameJson(wait.outputs ?? {}, outputs)) {
    const observed = JSON.stringify(wait.outputs) ?? 'none';
    found.push({ requirement: 'EB3', expected: `outputs ${JSON.stringify(outputs)}`, observed });
  } else if (reached === 'failed') judgeError(graph, ended, observation, found);
  if (state !== undefined && hasEnded(observation)) judgeState(expectedState(graph, ended), state, found);
}

/** The end names the failure that marked the instance, of several that of the smallest node_id; a kill can change its class. */
function judgeError(graph: Graph, { resolved }: Ended, observation: Observation, found: Violation[]): void {
  const error = failureOf(graph, resolved);
  if (error?.node_id === undefined) return;
  const { wait, log = [], kills } = observation;
  const record = log.find(({ status }) => status === 'workflow_failed');
  for (const told of [wait?.error, record]) {
    if (told === undefined) continue;
    const { node_id, error_class } = told;
    if (node_id === error.node_id && (kills > 0 || error_class === error.error_class)) continue;
    const expected = `${error.error_class} of '${error.node_id}'`;
    found.push({ requirement: 'FB2', expected, observed: `${error_class} of '${node_id}'`, node_id: error.node_id });
  }
}

/** Too many writes are CI2, too few CC1, another value AII4. */
function judgeState(expected: ReadonlyMap<string, ExpectedEntry>, state: State, found: Violation[]): void {
  const seen = new Map(Object.entries(state));
  for (const key of new Set([...expected.keys(), ...seen.keys()])) {
    const version = expected.get(key)?.version ?? 0;
    const entry = seen.get(key);
    const observed = entry === undefined ? `"${key}" not there` : `"${key}": ${JSON.stringify(entry)}`;
    if ((entry?.version ?? 0) !== version) {
      const requirement = (entry?.version ?? 0) > version ? 'CI2' : 'CC1';
      found.push({ requirement, expected: `"${key}" at version ${version}`, observed });
      continue;
    }
    const last = expected.get(key)?.last ?? [];
    const fits = last.some(writer => sameJson({ value: writer.value ?? null }, { value: entry?.value ?? null }));
    if (last.length > 0 && !fits) found.push({ requirement: 'AII4', expected: JSON.stringify(last), observed });
  }
}
