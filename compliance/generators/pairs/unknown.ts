import { act, choose, line, type Pair, step } from './pair.js';

type Schema = Readonly<Record<string, unknown>>;

const NUMBER = { type: 'number' };
const CLOSED = { type: 'object', properties: { n: NUMBER }, additionalProperties: false } as const;

/** Two nodes, of which the second reads what the first gave, by a schema that says it or does not. */
function given(name: string, known: Schema, unknown: Schema | undefined, path = 'x'): Pair {
  return {
    rule: 'S8',
    name,
    parts: broken => {
      const output_schema = broken ? known : unknown;
      return line(
        [step('first', 'give@1'), step('do', 'try@1', { input_mapping: { x: `\${nodes.first.outputs.${path}}` } })],
        { actions: [act('give', output_schema === undefined ? {} : { output_schema }), act('try')] },
      );
    },
    found: [{ node_id: 'do' }],
  };
}

/** A condition over an input whose schema says it, or does not. */
function asked(name: string, expression: string, known: Schema, unknown: Schema | boolean | undefined): Pair {
  return {
    rule: 'S8',
    name,
    parts: broken => {
      const schema = broken ? known : unknown;
      return line([choose('ask', expression)], { inputs: { v: schema === undefined ? {} : { schema } } });
    },
    found: [{ node_id: 'ask' }],
  };
}

/** Pairs in which nothing is wrong only because nothing is known: with a schema that tells, the same is a defect. */
export const UNKNOWN_PAIRS: readonly Pair[] = [
  given('outputs of which no schema tells', CLOSED, undefined),
  given('members that a schema does not exclude', CLOSED, { type: 'object', properties: { n: NUMBER } }),
  given('members by a pattern', CLOSED, { ...CLOSED, patternProperties: { '^x': NUMBER } }),
  given(
    'a member of a value of which nothing is known',
    { ...CLOSED, properties: { n: NUMBER } },
    { ...CLOSED, properties: { n: true } },
    'n.more',
  ),
  given('members behind what is not read of a schema', CLOSED, { anyOf: [CLOSED] }),
  asked('an input of any type as a number', 'inputs.v > 1.0', { type: 'string' }, undefined),
  asked('an input whose schema takes anything', 'inputs.v > 1.0', { type: 'string' }, true),
  asked('a type that only a composed schema tells', 'inputs.v', NUMBER, { allOf: [NUMBER] }),
  asked('a type that may be either', 'inputs.v + 1.0 > 2.0', { type: 'string' }, { type: ['string', 'number'] }),
  asked('a value that dyn hides', 'inputs.v == "x"', NUMBER, {}),
  {
    rule: 'S8',
    name: 'the context, of which nothing is ever known',
    parts: broken =>
      line([choose('ask', broken ? 'inputs.v.deep > 1.0' : 'context.v.deep > 1.0')], {
        inputs: { v: { schema: NUMBER } },
      }),
    found: [{ node_id: 'ask' }],
  },
  {
    rule: 'S8',
    name: 'inputs that an action does not tell',
    parts: broken =>
      line([step('do', 'try@1', { input_mapping: { other: 1 } })], {
        actions: [act('try', broken ? { input_schema: { type: 'object', additionalProperties: false } } : {})],
      }),
    found: [{ node_id: 'do' }],
  },
];
