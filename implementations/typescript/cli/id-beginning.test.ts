import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { recordsOf } from '../opened.fixture.js';
import { ars } from './ars.fixture.js';
import { idAmong } from './id-beginning.js';

const started = (execution_id: string, more: Partial<AuditRecord> = {}) =>
  ({
    record_type: 'workflow',
    status: 'workflow_started',
    execution_id,
    context_id: execution_id,
    workflow_id: 'order@1.0.0',
    timestamp: '2026-03-01T12:00:00.000Z',
    ...more,
  }) as AuditRecord;
const acted = (execution_id: string, of: string) =>
  ({ record_type: 'action', execution_id, context_id: of, parent_execution_id: of, node_id: 'pay' }) as AuditRecord;

describe('a beginning of an id', () => {
  const records = [started('abc-1'), acted('abc-2', 'abc-1'), started('abd-1'), acted('abd-2', 'abd-1')];

  it('means the one that begins so, of what is wanted', () => {
    expect(idAmong(records, 'abd', 'root')).toBe('abd-1');
    expect(idAmong(records, 'abc-2', 'instance')).toBe('abc-1');
    expect(idAmong(records, 'abc-', 'execution')).toBe('abc-2');
    expect(idAmong(records, 'abc', 'any')).toBe('abc-1');
    expect(idAmong(records, 'abd-1', 'execution')).toBe('abd-1');
    expect(idAmong(records, 'x', 'any')).toBe('x');
  });

  it('is found in capitals, where nothing begins so as it is written', () => {
    expect(idAmong(records, 'ABD-2', 'execution')).toBe('abd-2');
    expect(idAmong([...records, started('ABD-9')], 'ABD', 'instance')).toBe('ABD-9');
  });

  it('is a whole id first, and means the root of what is below it', () => {
    const below = started('ab', { context_id: 'abcd', parent_execution_id: 'abcd' });
    expect(idAmong([below, started('abcd')], 'ab', 'instance')).toBe('ab');
    expect(idAmong([below, started('abcd')], 'a', 'instance')).toBe('abcd');
  });

  it('of several is refused with the first few of them', () => {
    const many = Array.from({ length: 30 }, (_, at) => started(`a${at}`));
    const error = (() => {
      try {
        return idAmong(many, 'a', 'root');
      } catch (caught) {
        return caught as ArsError;
      }
    })();
    expect(error).toBeInstanceOf(ArsError);
    expect((error as ArsError).code).toBe('usage');
    expect((error as ArsError).details.candidates).toEqual(many.slice(0, 8).map(record => record.execution_id));
  });
});

describe('commands that take an id', () => {
  let workspace: string;
  let instance: string;
  let execution: string;
  const at = (...args: string[]) => ars(...args, '--workspace', workspace);
  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'ars-ids-'));
    for (const _ of [1, 2]) await at('run', 'examples/01-minimal/hello.yaml', '--input', 'name=Ada', '--quiet');
    const records = recordsOf(workspace);
    instance = records.find(({ status }) => status === 'workflow_started')?.execution_id ?? '';
    execution = records.find(({ status }) => status === 'committed')?.execution_id ?? '';
  });
  afterAll(() => rmSync(workspace, { recursive: true, force: true }));

  it('take a beginning of it', async () => {
    const begins = instance.slice(0, -1);
    expect((await at('show', begins)).stdout).toContain(`${instance}  completed`);
    expect((await at('replay', begins)).stdout).toContain(instance);
    expect((await at('audit', 'show', '--run', begins)).stdout).toContain('workflow_completed');
    expect((await at('audit', 'show', '--execution', execution.slice(0, -1))).stdout).toContain('committed');
    expect((await at('run', '--resume', begins)).stderr).toContain(`'${instance}' completed`);
    expect((await at('show', begins.toUpperCase())).stdout).toContain(`${instance}  completed`);
    expect((await at('show', instance.toUpperCase())).stdout).toContain(`${instance}  completed`);
    for (const inside of [execution, execution.slice(0, -1)]) {
      expect((await at('replay', inside)).stdout).toContain(instance);
      expect((await at('audit', 'show', '--run', inside)).stdout).toContain('workflow_completed');
      expect((await at('run', '--resume', inside)).stderr).toContain(`'${instance}' completed`);
    }
    expect((await at('rollback', begins, '--evidence', 'so')).stderr).toMatch(
      /\[illegal_state\].*no execution of an action/,
    );
    expect((await at('resolve', execution.slice(0, -1), '--absent')).stderr).toContain('[illegal_state]');
    expect((await at('rollback', execution.slice(0, -1), '--evidence', 'so')).stdout).toContain(execution);
  });

  it('name the candidates where there are several, and the command that lists them where there is none', async () => {
    const several = await at('show', '0');
    expect([several.status, several.stderr]).toEqual([2, expect.stringContaining(`  ${instance}  `)]);
    expect((await at('audit', 'show', '--execution', '0')).stderr).toContain(`  ${instance}  hello@1.0.0  `);
    const none = await at('show', 'zzz');
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining(`ars runs --workspace ${workspace}`)]);
  });
});
