import type { AuditRecord } from '../../../schemas/types.js';
import { isInScope } from '../../model/governance-gate.js';
import { ANYTHING } from '../../model/scene.js';
import type { Act, Reply, Seen } from '../../scene.js';

/** Tells whether what was seen is what had to come: a refusal may say more than it has to. */
export function agrees(expected: string, observed: string): boolean {
  if (expected === ANYTHING || observed === ANYTHING || expected === observed) return true;
  if (expected === 'refused') return observed.startsWith('denied') || observed.startsWith('refused');
  if (expected === 'denied' || expected.startsWith('at most ')) return observed.startsWith('denied');
  if (expected === 'denied SECURITY_BREACH')
    return observed.startsWith('denied ') && observed.endsWith('SECURITY_BREACH');
  return false;
}

/** What a reply says, in the words of the model; `expected` is taken for what a reply leaves open. */
export function wordOf(
  act: Act,
  reply: Reply,
  { seen, expected, labels }: { seen: Seen; expected: string; labels: ReadonlyMap<string, string> },
): string {
  if ('error' in reply) return refusalWord(act, reply.error);
  const { result } = reply;
  switch (act.do) {
    case 'check': {
      const { gate, decision, reasons, trust_after } = result as {
        gate: string;
        decision: string;
        reasons: readonly { readonly code: string }[];
        trust_after?: string;
      };
      if (gate !== 'governance') return `${decision} ${gate}`;
      return [decision, ...reasons.map(({ code }) => code), trust_after ?? 'no trust'].join(' ');
    }
    case 'start':
    case 'dry_run':
    case 'resume': {
      const label = labels.get(String(result.execution_id));
      if (act.do === 'resume' && result.execution_id === undefined) return 'done';
      return label === undefined ? 'started' : `same ${label}`;
    }
    case 'finish':
      return String(result.status);
    case 'state':
      return stateWord(Object.keys(result.state as object), expected);
    case 'records':
      return recordsWord(result.records as readonly Line[], seen.whole ?? '', expected);
    default:
      return 'done';
  }
}

function refusalWord(act: Act, { kind, gate, reasons }: Extract<Reply, { error: unknown }>['error']): string {
  if (act.do === 'undo' && kind === 'unsupported') return ANYTHING;
  if (kind !== 'denied') return `refused ${kind}`;
  if (gate === 'verification') return 'denied verification';
  if (gate !== undefined) return ['denied', gate, ...reasons].join(' ');
  return reasons.includes('SECURITY_BREACH') ? 'denied SECURITY_BREACH' : 'denied';
}

/** Entries outside the scopes that are expected are everything; none are as good as a refusal where none are certain. */
function stateWord(keys: readonly string[], expected: string): string {
  const scopes = /^(?:given|at most) (.*)$/.exec(expected)?.[1]?.split(' ');
  if (scopes === undefined) return keys.length === 0 ? 'denied' : 'given everything';
  if (keys.length === 0) return expected.startsWith('given ') ? 'given nothing' : expected;
  const within = scopes[0] === 'everything' || keys.every(key => scopes.some(scope => isInScope(key, scope)));
  return within ? expected : 'given everything';
}

type Line = Partial<AuditRecord> & { readonly redacted?: true };

/** The agents whose records are shown as they are. Of an agent without records it is as it should be. */
function recordsWord(lines: readonly Line[], whole: string, expected: string): string {
  const all = whole
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as AuditRecord);
  if (lines.length !== all.length) return `${lines.length} of ${all.length} records`;
  const sees = new Set(expected.split(' ').slice(1));
  const shown = new Map<string, boolean>();
  for (const [at, record] of all.entries()) {
    const line = lines[at] as Line;
    const isStub = same(line, stubOf(record));
    if (!isStub && !same(line, record)) return `record ${record.sequence} otherwise than it is`;
    const before = shown.get(record.agent_id);
    if (before !== undefined && before === isStub) return `some records of ${record.agent_id}`;
    shown.set(record.agent_id, !isStub);
  }
  for (const [agent_id, isShown] of shown) {
    if (isShown) sees.add(agent_id);
    else sees.delete(agent_id);
  }
  return `sees ${[...sees].sort().join(' ')}`;
}

function stubOf({ sequence, prev_hash, hash }: AuditRecord): Line {
  return { sequence, prev_hash, hash, redacted: true };
}

function same(a: Line, b: Line): boolean {
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  return (
    left.length === Object.keys(b).length &&
    left.every(([name, value]) => value === right[name] || JSON.stringify(value) === JSON.stringify(right[name]))
  );
}
