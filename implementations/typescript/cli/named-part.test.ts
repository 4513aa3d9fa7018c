import { expect, it } from 'vitest';
import { folderOf, verifyIn } from './verify.fixture.js';

/** A workflow with a condition, whose expression is written as given. */
const deciding = (written: string): string => `schema_version: "1.0"
workflow: { name: a, version: 1.0.0 }
inputs: { amount: { schema: { type: number } } }
nodes:
  - node_id: check
    type: condition
    expression: ${written}
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: check, to_node: done, label: 'true' }
  - { from_node: check, to_node: done, label: default }
`;

it.each([
  ['the name', 'inputs.amount > 1.0 && inputs.amuont > 2.0', 'inputs.amuont'],
  ['the name in quotes', "'inputs.amuont > 1.0'", 'inputs.amuont'],
  ['no part of a longer name', 'inputs.amount > 1.0 || inputs.amoun > 1.0', 'inputs.amoun'],
  ['the path', '"nodes.check.text == inputs.amount"', 'nodes.check.text'],
  ['the operation', 'inputs.amount > 1.0 && inputs.amount > true', 'inputs.amount > true'],
  ['a part that has quotes', `inputs.amount > 1.0 && inputs.amount == "x"`, 'inputs.amount == "x"'],
  ['a part that has both', `inputs.amount > 1.0 && inputs.amount + "'" == "x"`, `inputs.amount + "'"`],
  ['the character', 'inputs.amount >> 1.0', '>'],
  ['all of it where it has escapes', '"inputs.amuont > 1.0\\x20"', '"inputs.amuont > 1.0\\x20"'],
  ['all of it where it has another form', `inputs["amuont"] > 1.0`, 'inputs["amuont"] > 1.0'],
])('%s is underlined: %s', async (_, written, part) => {
  const { out } = await verifyIn(folderOf({ 'a.yaml': deciding(written) }), ['a.yaml'], { rule: ['S8'] });
  const lines = out.split('\n');
  const at = lines.findIndex(line => line.startsWith('  7 |'));
  const [source = '', under = ''] = lines.slice(at, at + 2);
  const from = under.indexOf('^');
  expect(source.slice(from, under.lastIndexOf('^') + 1)).toBe(part);
});
