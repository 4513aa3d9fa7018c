import { describe, expect, it } from 'vitest';
import type { AuditRecord, Workflow } from '../../schemas/types.js';
import { end, onError, ran, run, workflowOf } from './nodes.fixture.js';
import { type ReplayReport, replayInstance } from './verification/replay/index.js';
import { sourceOfRecords } from './verification/replay/source.js';
import { planResolved } from './workflow/plan.js';
import type { ResolvedDocuments } from './workflow/resolve.js';

const EVERY = { input_mapping: { value: '$' + '{inputs.flag}' } };
const inputs = { flag: { schema: { type: 'boolean' }, default: true } } as const;

const choose = workflowOf(
  [
    { node_id: 'kind', type: 'condition', expression: 'inputs.flag' },
    run('left', 'pure', EVERY),
    run('right', 'pure'),
    { ...end('done'), join_type: 'OR' },
  ],
  ['kind -true-> left', 'kind -default-> right', 'left -success-> done', 'right -success-> done'],
  { of: '$' + '{nodes.left.outputs.of ?? "none"}' },
  { inputs },
);

const skill = workflowOf(
  [run('s', 'roll'), end('done')],
  ['s -success-> done'],
  {},
  {
    workflow: { name: 'skill', version: '1.0.0' },
    inputs,
  },
);
const tree = workflowOf(
  [
    { node_id: 'sub', type: 'skill', workflow_ref: 'skill@1', input_mapping: { flag: false } },
    run('a', 'pure', { retry_policy: { max_retries: 2, backoff_ms: 1 } }),
    run('b', 'pure'),
    onError('again', 'retry', { max_attempts: 2 }),
    onError('back', 'rollback'),
    end('undone', 'compensated'),
    end('done'),
  ],
  [
    'sub -success-> a',
    'a -success-> b',
    'b -success-> done',
    'b -failure-> again',
    'again -success-> done',
    'again -failure-> back',
    'back -success-> undone',
  ],
);
const script = { a: ['E1', 'ok'], b: ['E4'] } as const;

interface Told {
  readonly records: readonly AuditRecord[];
  replayed(change?: (records: AuditRecord[]) => void): ReplayReport;
}

async function told(workflow: Workflow, skills: readonly Workflow[] = []): Promise<Told> {
  const { memory, id } = await ran(workflow, script, { skills });
  const view = memory.view();
  return {
    records: memory.records,
    replayed(change) {
      const records = structuredClone(memory.records);
      change?.(records);
      const source = sourceOfRecords(records, digest =>
        planResolved(view.document('resolved', digest) as ResolvedDocuments, digest),
      );
      return replayInstance(source, id);
    },
  };
}

/** What can be changed in one record, by what is right in it. */
const CHANGES: readonly (readonly [string, (r: AuditRecord) => boolean, (r: AuditRecord) => Partial<AuditRecord>])[] = [
  ['the attempt', ({ status }) => status === 'pending', ({ attempt = 0 }) => ({ attempt: attempt + 1 })],
  ['the version', ({ status }) => status === 'pending', () => ({ action_version: '1.0.9' })],
  ['the node', ({ status }) => status === 'pending', () => ({ node_id: 'nowhere' })],
  ['the inputs', ({ status }) => status === 'pending', () => ({ inputs: { other: 1 } })],
  ['the workflow', r => r.status === 'workflow_started' && r.node_id !== undefined, () => ({ workflow_id: 'x@1.0.0' })],
  ['the bound inputs', r => r.status === 'workflow_started', () => ({ inputs: { other: 1 } })],
  ['the terminal', r => r.record_type === 'terminal', () => ({ status: 'failed' })],
  [
    'the outcome',
    r => r.record_type === 'error' || r.record_type === 'skill',
    r => (r.status === 'success' ? { status: 'failure', error_class: 'E4' } : { status: 'success' }),
  ],
  ['the outputs', r => r.status === 'workflow_completed', () => ({ outputs: { other: 1 } })],
  ['the end', r => /^workflow_(completed|compensated)$/.test(r.status), () => ({ status: 'workflow_failed' })],
];

const UNDO = (r: AuditRecord) => r.purpose !== undefined;

describe.each([
  ['a choice', choose, []],
  ['a tree with retries and an undo', tree, [skill]],
] as const)('%s', (_, workflow, skills) => {
  it('agrees as it is, with all of its records', async () => {
    const { replayed, records } = await told(workflow, skills);
    const { verdict, instances } = replayed();
    expect([verdict, instances.map(({ extent }) => extent)]).toEqual(['agrees', instances.map(() => 'ended')]);
    const own = records.filter(r => r.record_type !== 'gate');
    expect(instances.reduce((sum, r) => sum + r.records, 0)).toBeGreaterThanOrEqual(own.length);
  });

  it('is told from every log in which a record says something else, at that record', async () => {
    const { records, replayed } = await told(workflow, skills);
    let changed = 0;
    for (const [what, fits, change] of CHANGES)
      for (const [at, record] of records.entries()) {
        if (!fits(record) || UNDO(record)) continue;
        changed += 1;
        const { first_difference } = replayed(copy => Object.assign(copy[at] as AuditRecord, change(record)));
        expect([what, record.node_id, first_difference?.sequence]).toEqual([what, record.node_id, record.sequence]);
      }
    expect(changed).toBeGreaterThanOrEqual(8);
  });

  it('is told from every log that lacks one, after it', async () => {
    const { records, replayed } = await told(workflow, skills);
    for (const [at, record] of records.entries()) {
      if (record.record_type === 'gate' || UNDO(record) || record.status === 'workflow_started') continue;
      const isRootEnd = at === records.length - 1;
      const { verdict, first_difference } = replayed(copy => void copy.splice(at, 1));
      if (isRootEnd) expect(verdict).toBe('agrees');
      else expect(first_difference?.sequence, `${record.sequence} ${record.status}`).toBeGreaterThan(record.sequence);
    }
  });
});

it('finds the record too many of the worked example', async () => {
  const { replayed, records } = await told(choose);
  const left = records.filter(r => r.node_id === 'left');
  const place = (left.at(-1)?.sequence ?? 0) + 1;
  const { first_difference } = replayed(copy => {
    for (const record of copy) if (record.sequence >= place) record.sequence += 1;
    copy.splice(place - 1, 0, { ...(left[0] as AuditRecord), node_id: 'right', execution_id: 'x', sequence: place });
  });
  expect(first_difference).toMatchObject({ sequence: place, expected: expect.stringContaining('skipped') });
});

it('does not judge what only the world knows, and stops where documents are missing', async () => {
  const { replayed, records } = await told(choose);
  const { verdict } = replayed(copy => {
    for (const record of copy) Object.assign(record, { timestamp: '2030-01-01T00:00:00.000Z', agent_id: 'other' });
  });
  expect(verdict).toBe('agrees');
  const report = replayInstance(
    sourceOfRecords(records, () => undefined),
    records.find(r => r.status === 'workflow_started')?.execution_id ?? '',
  );
  expect(report).toMatchObject({ verdict: 'not_replayed', instances: [{ verdict: 'not_replayed', records: 0 }] });
  expect(() =>
    replayInstance(
      sourceOfRecords(records, () => undefined),
      'nobody',
    ),
  ).toThrow(expect.objectContaining({ code: 'not_found' }));
});
