import canonicalize from 'canonicalize';
import * as fc from 'fast-check';
import type { AuditRecord } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { oddValues } from '../../generators/odd.js';
import { digest } from '../../history/chain.js';
import { OWNER, type Program } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, withAnswer } from '../dialogue-property.js';
import { draw } from '../drawn.js';

/** Evidence that a host gives: none, a value, or a text of which the canonical form has so many bytes. */
type Given =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'sized'; readonly bytes: number; readonly unit: string };

interface Case {
  readonly given: readonly Given[];
  /** Whether the runtime is killed before the evidence is asked for. */
  readonly killed?: true;
}

/** Up to so many bytes of canonical form evidence is in its record. */
const INLINE = 10_240;

const UNITS = ['x', 'é', '😀', '"', '\u0001', '\n'];

const sized = fc.record({
  kind: fc.constant('sized' as const),
  bytes: fc.oneof(fc.constantFrom(INLINE - 1, INLINE, INLINE + 1), fc.integer({ min: 9000, max: 12_000 })),
  unit: fc.constantFrom(...UNITS),
});

const given: fc.Arbitrary<Given> = fc.oneof(
  sized,
  fc.record({ kind: fc.constant('value' as const), value: oddValues }),
  fc.constant<Given>({ kind: 'none' }),
);

const at = (bytes: number): Given => ({ kind: 'sized', bytes, unit: 'é' });
const UNSORTED: Given = { kind: 'value', value: { b: 1, a: [{ d: 1, c: 2 }] } };

/** Evidence is where its size puts it, and is what its digest says. */
export const evidence = dialogueProperty<Case>({
  id: 'execution/evidence',
  title: 'evidence is in its record up to 10,240 bytes and in the store beyond, under the digest of its canonical form',
  requirements: ['EC4', 'PC2', 'SO2'],
  capabilities: ['audit'],
  cases: fc.array(given, { minLength: 2, maxLength: 4 }).map(list => ({ given: list })),
  weight: 0.3,
  examples: [
    { given: UNITS.map(unit => ({ kind: 'sized', bytes: INLINE + 1, unit })) },
    { given: [UNSORTED, at(INLINE)] },
  ],
  control: {
    title: 'none, a small one, one at the border and one beyond it, killed before they are asked for',
    case: { given: [{ kind: 'none' }, UNSORTED, at(INLINE), at(INLINE + 1)], killed: true },
  },
  twins: [
    {
      requirement: 'EC4',
      title: 'one byte more, and it is in the store',
      case: { given: [{ kind: 'none' }, UNSORTED, at(INLINE + 1), at(INLINE + 1)] },
      contrast: (control, twin) =>
        unlessSame(
          'the size did not decide where the evidence is',
          { control: 'in the record', twin: 'in the store' },
          { control: placeOf(recordOf(control, 2)), twin: placeOf(recordOf(twin, 2)) },
        ),
    },
    {
      requirement: 'PC2',
      title: 'the store gives another value',
      tamper: spoken => withAnswer(spoken, 'get 3', { result: { content: 'another' } }),
    },
    {
      requirement: 'SO2',
      title: 'a record with another checksum',
      tamper: spoken => ({
        ...spoken,
        log: (spoken.log ?? []).map(record =>
          record.checksum === undefined ? record : { ...record, checksum: digest('another') },
        ),
      }),
    },
  ],
  dialogue: ({ given: list, killed }): Dialogue => {
    const programs = list.map((one, index) => programOf(one, index));
    return {
      script: { nodes: Object.assign({}, ...programs.map(({ script }) => script.nodes)) },
      turns: [
        ...programs.map((program): Turn => ({ do: 'run', program })),
        ...(killed === true ? ([{ do: 'kill' }, { do: 'open' }] as const) : []),
        ...list.flatMap((one, index): Turn[] => {
          const { text, large } = formOf(one);
          if (!large) return [];
          const params = { reference: digest(text), agent_id: OWNER };
          return [{ do: 'ask', method: 'evidence/get', params, as: `get ${index}` }];
        }),
      ],
    };
  },
  judge: ({ given: list }, spoken) => list.flatMap((one, index) => judgeEvidence(one, index, spoken)),
});

function judgeEvidence(one: Given, index: number, spoken: Spoken): readonly Check[] {
  const record = recordOf(spoken, index);
  if (record === undefined) return [];
  const { text, large, value } = formOf(one);
  const where = one.kind === 'none' ? 'nowhere' : large ? 'in the store' : 'in the record';
  const observed = placeOf(record);
  const misplaced = unlessSame('the evidence is not where its size puts it', where, observed);
  if (one.kind === 'none') return [check('EC4', misplaced)];
  const content = large ? resultOf<{ content: unknown }>(spoken, `get ${index}`)?.content : record.evidence;
  const kept = unlessSame('the evidence that the record names is not what was given', { value }, { value: content });
  const checksum = unlessSame('the checksum is not the digest of the canonical form', digest(text), record.checksum);
  const known = observed === where;
  return [
    check('EC4', misplaced),
    ...(known ? [check('PC2', kept ?? checksum)] : []),
    ...(known ? [check('SO2', checksum)] : []),
  ];
}

function placeOf(record: AuditRecord | undefined): string {
  if (record === undefined) return 'no record';
  if (record.evidence_ref !== undefined)
    return record.evidence === undefined && record.evidence_ref === record.checksum ? 'in the store' : 'in two places';
  if (record.evidence !== undefined) return record.checksum === undefined ? 'without checksum' : 'in the record';
  return record.checksum === undefined ? 'nowhere' : 'checksum only';
}

function recordOf({ log = [] }: Spoken, index: number): AuditRecord | undefined {
  return log.find(({ status, node_id }) => status === 'committed' && node_id === `n${index}`);
}

function formOf(one: Given): { readonly value?: unknown; readonly text: string; readonly large: boolean } {
  if (one.kind === 'none') return { text: '', large: false };
  const value = one.kind === 'value' ? one.value : textOf(one.bytes, one.unit);
  const text = canonicalize(value) ?? '';
  return { value, text, large: Buffer.byteLength(text) > INLINE };
}

/** A text whose canonical form has exactly so many bytes: many of a unit, and a few plain letters. */
function textOf(bytes: number, unit: string): string {
  const size = Buffer.byteLength(JSON.stringify(unit)) - 2;
  const units = Math.floor((bytes - 2) / size);
  return unit.repeat(units) + 'x'.repeat(bytes - 2 - units * size);
}

function programOf(one: Given, index: number): Program {
  const { value } = formOf(one);
  const reply = { outputs: {}, ...(one.kind === 'none' ? {} : { evidence: value }) };
  return draw({ edges: [`n${index} success done`], script: { [`n${index}`]: [{ reply }] } });
}
