import { expect, it } from 'vitest';
import type { AuditRecord } from '../../schemas/types.js';
import { bypass } from './bypass.js';

const GATES = ['verification', 'governance', 'safety', 'execution'];

function record(execution_id: string, more: object): AuditRecord {
  return { execution_id, context_id: execution_id, agent_id: 'ada', ...more } as AuditRecord;
}

function passed(id: string, gates = GATES): AuditRecord[] {
  return gates.map(gate => record(id, { record_type: 'gate', gate, status: 'allowed' }));
}

const started = (id: string, more: object = {}) =>
  record(id, { record_type: 'workflow', status: 'workflow_started', ...more });
const ended = (id: string) => record(id, { record_type: 'workflow', status: 'workflow_completed' });
const approved = record('c', { record_type: 'approval', status: 'granted', agent_id: 'bob', granted_to: 'ada' });
const pending = record('x', { record_type: 'action', status: 'pending', parent_execution_id: 'i', context_id: 'i' });

it.each<[string, AuditRecord[], number]>([
  ['four gates', [...passed('i'), started('i'), pending, ended('i')], 0],
  ['a gate missing', [...passed('i', GATES.slice(1)), started('i')], 1],
  ['gates in another order', [...passed('i', [...GATES].reverse()), started('i')], 1],
  ['a gate asked again when it goes on', [...passed('i'), started('i'), ...passed('i', ['governance']), pending], 0],
  ['a confirmation', [approved, ...passed('i'), started('i', { confirmation_id: 'c' })], 0],
  ['a confirmation of nobody', [...passed('i'), started('i', { confirmation_id: 'c' })], 1],
  [
    'a confirmation of its own',
    [{ ...approved, agent_id: 'ada' }, ...passed('i'), started('i', { confirmation_id: 'c' })],
    1,
  ],
  ['a child', [...passed('i'), started('i'), started('j', { parent_execution_id: 'i', context_id: 'i' })], 0],
  [
    'a child of what has ended',
    [...passed('i'), started('i'), ended('i'), started('j', { parent_execution_id: 'i' })],
    1,
  ],
  ['an execution of nothing', [pending], 1],
  ['a denial', [record('i', { record_type: 'gate', gate: 'safety', status: 'denied' }), started('i')], 2],
])('finds of %s what it shows', (_title, log, found) => {
  const reported: unknown[] = [];
  const pass = bypass.begin(violation => reported.push(violation), {});
  for (const one of log) pass.record?.(one);
  expect(reported).toHaveLength(found);
});
