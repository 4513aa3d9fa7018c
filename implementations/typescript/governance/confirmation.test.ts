import { describe, expect, it } from 'vitest';
import type { SafetyLevel } from '../../../schemas/types.js';
import { type ConfirmationFacts, decideSafety, type SafetyFacts } from './confirmation.js';

const now = '2026-03-01T12:00:00.000Z';
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const start = { resolved_digest: digest('a'), inputs_digest: digest('b'), agent_id: 'ada' };
const given: ConfirmationFacts = {
  confirmation_id: 'c',
  confirmation: { confirmation_id: 'c', ...start, approver: 'bob', expires_at: '2026-03-01T12:00:00.001Z' },
  approver_fit: true,
};
const granted = given.confirmation as NonNullable<ConfirmationFacts['confirmation']>;

function decide(level: SafetyLevel, more: Partial<SafetyFacts> = {}) {
  const { decision, reasons } = decideSafety({ level, start, dry_run: true, now, ...more });
  return [decision, ...reasons.map(({ code }) => code)];
}

describe('the safety gate', () => {
  it('asks nothing of what is safe, and warns of what is so conditionally', () => {
    expect(decide('SAFE', { dry_run: false })).toEqual(['allowed']);
    expect(decide('CONDITIONALLY_SAFE', { dry_run: false })).toEqual(['allowed', 'RISK_WARNING']);
  });

  it('wants a confirmation, and for what is irreversible a dry run as well', () => {
    expect(decide('RISKY')).toEqual(['denied', 'CONFIRMATION_NEEDED']);
    expect(decide('RISKY', { given, dry_run: false })).toEqual(['allowed']);
    expect(decide('IRREVERSIBLE', { given })).toEqual(['allowed']);
    expect(decide('IRREVERSIBLE', { given, dry_run: false })).toEqual(['denied', 'DRY_RUN_NEEDED']);
    expect(decide('IRREVERSIBLE', { dry_run: false })).toEqual(['denied', 'CONFIRMATION_NEEDED', 'DRY_RUN_NEEDED']);
  });

  it.each([
    ['nobody granted', { confirmation_id: 'c', approver_fit: false }, 'CONFIRMATION_UNKNOWN'],
    [
      'for other documents',
      { ...given, confirmation: { ...granted, resolved_digest: digest('c') } },
      'CONFIRMATION_MISMATCH',
    ],
    [
      'for other inputs',
      { ...given, confirmation: { ...granted, inputs_digest: digest('c') } },
      'CONFIRMATION_MISMATCH',
    ],
    ['for another agent', { ...given, confirmation: { ...granted, agent_id: 'eve' } }, 'CONFIRMATION_MISMATCH'],
    ['that lapses now', { ...given, confirmation: { ...granted, expires_at: now } }, 'CONFIRMATION_EXPIRED'],
    ['that was used up', { ...given, used_by: 'x' }, 'CONFIRMATION_USED'],
    ['by somebody who may not approve any more', { ...given, approver_fit: false }, 'APPROVER_UNFIT'],
    ['by the agent itself', { ...given, confirmation: { ...granted, approver: 'ada' } }, 'APPROVER_UNFIT'],
  ] as [string, ConfirmationFacts, string][])('does not take a confirmation %s', (_what, facts, code) => {
    expect(decide('RISKY', { given: facts })).toEqual(['denied', code]);
  });

  it('gives every reason at once', () => {
    const worst = { ...given, confirmation: { ...granted, agent_id: 'eve', expires_at: now }, used_by: 'x' };
    expect(decide('IRREVERSIBLE', { given: worst, dry_run: false })).toEqual([
      'denied',
      'CONFIRMATION_MISMATCH',
      'CONFIRMATION_USED',
      'CONFIRMATION_EXPIRED',
      'DRY_RUN_NEEDED',
    ]);
  });
});
