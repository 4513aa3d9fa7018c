import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../schemas/types.js';
import { verify } from '../index.js';

/** The findings of S8 about a condition behind the node "do-it", and what else a document has. */
function about(expression: string, definition: object = {}, more: object = {}): Finding[] {
  const report = verify({
    schema_version: '1.0',
    workflow: { name: 'a', version: '1.0.0' },
    inputs: { text: { schema: { type: 'string' } } },
    actions: [
      {
        action_id: 'act',
        version: '1.0.0',
        determinism: 'deterministic',
        rollback: 'rollbackable',
        side_effects: [],
        output_schema: { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] },
        ...definition,
      },
    ],
    nodes: [
      { node_id: 'do-it', type: 'action', action_def: 'act@^1' },
      { node_id: 'check', type: 'condition', expression },
      { node_id: 'done', type: 'terminal', status: 'completed' },
    ],
    edges: [
      { from_node: 'do-it', to_node: 'check', label: 'success' },
      { from_node: 'check', to_node: 'done', label: 'true' },
      { from_node: 'check', to_node: 'done', label: 'default' },
    ],
    ...more,
  });
  return report.findings.filter(({ rule }) => rule === 'S8');
}

describe('an expression that cannot be read', () => {
  it('says how a node is written whose id is no name', () => {
    const [finding, ...others] = about('nodes.do-it.outputs.score > 0.5');
    expect(others).toEqual([]);
    expect(finding?.help).toBe('Write nodes["do-it"].outputs.score.');
    expect(about('nodes["do-it"].outputs.score > 0.5')).toEqual([]);
    expect(about('nodes.do-not.outputs.score > 0.5')[0]?.help).toContain('Write inputs.x');
  });

  it('is quoted in marks that it does not have', () => {
    const quotedIn = (expression: string): string | undefined =>
      /^The expression (.*) cannot be read, /s.exec(about(expression)[0]?.message ?? '')?.[1];
    expect(quotedIn('inputs.text >')).toBe('"inputs.text >"');
    expect(quotedIn('inputs.text == "x" &&')).toBe(`'inputs.text == "x" &&'`);
    expect(quotedIn(`inputs.text == "it's" &&`)).toBe('`inputs.text == "it\'s" &&`');
  });

  it('lists the variables of its place', () => {
    expect(about('score > 0.5')[0]?.message).toMatch(/there are inputs, context, nodes, error$/);
    const success = { success_condition: 'score > 0.5' };
    expect(about('true', success)[0]?.message).toMatch(/there are inputs, context, result, exit_code$/);
  });

  it.each([
    ['size(inputs.text > 3', /: a \) is missing$/, 'Write ) where it belongs.'],
    ['size(inputs.text)) > 3', /: "\)" is not expected here$/, 'Remove the ), or open it before.'],
    ['size(inputs.text, > 3', /: ">" is not expected here$/, /./],
    ['len(inputs.text) > 3', /no function 'len'$/, 'Write size(x).'],
    ['inputs.text.startWith("a")', /no function 'startWith'$/, 'Did you mean "startsWith"?'],
    ['$.text == ""', /: "\$" is not expected here$/, 'There is no $ in an expression: write inputs.text.'],
    ['$inputs.text == ""', /: "\$" is not expected here$/, 'There is no $ in an expression: write inputs.text.'],
    ['"{{ a }}" != {{ inputs.text }}', /at character 14: \{\{ \}\} marks no/, /: write inputs\.text\.$/],
    ['${{ inputs.text }} == ""', /at character 1: \{\{ \}\} marks no/, /: write inputs\.text\.$/],
    ['{inputs.text} == ""', /at character 1: \{ \} marks no/, /: write inputs\.text\.$/],
    [
      'inputs.score % 2.0 == 0.0',
      /: any value % double is not defined$/,
      'Only ints have a remainder: write int(x) % 2.',
    ],
    ['inputs.text == "" and true', /: "and" is not expected here$/, 'Write && for and.'],
    ['inputs.text == "a', /: the quotation mark is not closed$/, 'End the text with the mark that it begins with.'],
  ])('is told in plain words: %s', (expression, message, help) => {
    const [finding] = about(expression);
    expect(finding?.message).toMatch(message);
    expect(finding?.help).toMatch(help);
  });
});

it.each(['inputs["text"]', 'nodes["do-it"].outputs.score'])(
  'a reference with brackets is told that there are none: %s',
  path => {
    const [finding] = about('inputs.text == ""', {}, { outputs: { o: `\${${path}}` } });
    expect(finding?.help).toMatch(/^A reference has no brackets: .*\$\{(?:inputs|nodes)\.x\}\.$/);
  },
);

it.each([
  ['${{ inputs.text }}', /one pair of braces/],
  ['${size(inputs.text)}', /^A mapping reads a path and computes nothing: /],
  ['${inputs.text[0]}', /: write \$\{inputs\.text\.0\}\.$/],
])('a reference as other languages write it is told how it is written: %s', (reference, help) => {
  expect(about('inputs.text == ""', {}, { outputs: { o: reference } })[0]?.help).toMatch(help);
});
