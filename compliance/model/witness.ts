import type { AuditRecord, TraceEntry } from '../../schemas/types.js';
import type { LedgerEntry, Observation, Program } from '../program.js';
import { own } from './json.js';

/** What was observed of a run, indexed by node. */
export interface Witness {
  readonly observation: Observation;
  readonly trace: ReadonlyMap<string, TraceEntry>;
  /** Invocations of the nodes' own actions, in order. */
  readonly invocations: ReadonlyMap<string, readonly LedgerEntry[]>;
  /** Invocations of undo actions by the node whose execution they undo. */
  readonly undos: ReadonlyMap<string, readonly LedgerEntry[]>;
  /** Whether some undo belongs to an execution of which neither the ledger nor a log tells. */
  readonly strayUndos: boolean;
  /** The last answer to a probe by execution. */
  readonly probes: ReadonlyMap<string, LedgerEntry>;
  /** Action records by execution, in log order; empty without a log. */
  readonly records: ReadonlyMap<string, readonly AuditRecord[]>;
  /** The executions that the log knows of a node, undos aside, in log order. */
  readonly executions: ReadonlyMap<string, readonly string[]>;
}

/** The index of an observation. */
export function witnessOf(program: Program, observation: Observation): Witness {
  const invocations = new Map<string, LedgerEntry[]>();
  const undos = new Map<string, LedgerEntry[]>();
  const probes = new Map<string, LedgerEntry>();
  const { records, executions, owners } = indexLog(observation.log ?? []);
  let strayUndos = false;
  for (const entry of observation.ledger) {
    const { execution_id, node_id = '', action_id } = entry;
    if (entry.kind === 'probe') probes.set(execution_id, entry);
    else if (own(program.script.actions, action_id) === undefined) {
      add(invocations, node_id, entry);
      owners.set(execution_id, node_id);
    } else {
      const owner = owners.get(String(own(entry.inputs, 'execution_id'))) ?? entry.node_id;
      if (owner === undefined) strayUndos = true;
      else add(undos, owner, entry);
    }
  }
  const trace = new Map((observation.wait?.trace ?? []).map(entry => [entry.node_id, entry]));
  return { observation, trace, invocations, undos, strayUndos, probes, records, executions };
}

function indexLog(log: readonly AuditRecord[]): {
  records: Map<string, AuditRecord[]>;
  executions: Map<string, string[]>;
  owners: Map<string, string>;
} {
  const records = new Map<string, AuditRecord[]>();
  const executions = new Map<string, string[]>();
  const owners = new Map<string, string>();
  for (const record of log) {
    if (record.record_type !== 'action') continue;
    const isNew = !records.has(record.execution_id);
    add(records, record.execution_id, record);
    const isUndo = record.purpose !== undefined && record.purpose !== 'execute';
    if (!isNew || isUndo || record.node_id === undefined) continue;
    add(executions, record.node_id, record.execution_id);
    owners.set(record.execution_id, record.node_id);
  }
  return { records, executions, owners };
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Whether an incarnation ended by a kill; each but the last one did. */
export function wasKilled(observation: Observation, incarnation: number): boolean {
  return incarnation <= observation.kills;
}

/** Whether the instance came to an end. */
export function hasEnded(observation: Observation): boolean {
  const status = observation.wait?.status;
  return status === 'completed' || status === 'failed' || status === 'compensated';
}
