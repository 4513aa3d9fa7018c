import fc from 'fast-check';
import { expect, it } from 'vitest';
import { folderOf, verifyIn } from './verify.fixture.js';

const LIST =
  '{ type: array, items: { type: object, properties: { c: { type: string } }, additionalProperties: false } }';

/** A workflow with a condition, whose expression is written as given. */
const deciding = (written: string): string => `schema_version: "1.0"
workflow: { name: a, version: 1.0.0 }
inputs: { amount: { schema: { type: number } }, ok: { schema: { type: boolean } }, list: { schema: ${LIST} } }
nodes:
  - node_id: check
    type: condition
    expression: ${written}
  - { node_id: done, type: terminal, status: completed }
  - { node_id: '[done]', type: terminal, status: completed }
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
  ['the name beside escapes', '"inputs.amount > 1.0 \\x26& inputs.amuont > 1.0\\x20"', 'inputs.amuont'],
  [
    'the operation with escapes in it',
    String.raw`"inputs.amount > 1.0 && inputs.amount > \"x\""`,
    String.raw`inputs.amount > \"x\"`,
  ],
  ['the name beside quotes that are doubled', '\'"it\'\'s" == "" || inputs.amuont > 1.0\'', 'inputs.amuont'],
  ['the name in brackets', 'inputs.amount > 1.0 && inputs["amuont"] > 1.0', 'inputs["amuont"]'],
  ['a name with a hyphen', "nodes['check-in'].outputs.x == inputs.amount", "nodes['check-in']"],
  ['no name in a text', `'"inputs.amuont" == "a" || inputs.amuont > 1.0'`, 'inputs.amuont'],
  ['the end', "'inputs.amount > '", '>'],
  ['the word', 'amount > 1.0', 'amount'],
  ['the operand', 'inputs.amount && inputs.amount > 1.0', 'inputs.amount'],
  ['the second operand of the same text', 'inputs.amount > 1.0 && inputs.amount', 'inputs.amount'],
  ['the operand of a negation', 'inputs.amount > 1.0 && !(inputs.amount)', 'inputs.amount'],
  ['what is negated', 'inputs.ok && -inputs.ok > 1.0', '-inputs.ok'],
  ['an element of a list', 'inputs.list[0].c == "a" || inputs.list[0].d == 1.0', 'inputs.list[0].d'],
  ['a name with brackets in it', '\'nodes["[x]"].outputs.y == 1.0\'', 'nodes["[x]"]'],
  ['a path with brackets in it', '\'nodes["[done]"].outputs.y == 1.0\'', 'nodes["[done]"].outputs.y'],
])('%s is underlined: %s', async (_, written, part) => {
  expect(await underlined(deciding(written))).toEqual([part]);
});

it('of operands of the same text the one that is no boolean is underlined, and not the first', async () => {
  const text = deciding('inputs.amount > 1.0 && inputs.amount');
  const { out } = await verifyIn(folderOf({ 'a.yaml': text }), ['a.yaml'], { rule: ['S8'] });
  expect(out).toContain('a.yaml:7:40');
});

it.each([
  ['as it is', '|\n      inputs.amount > 1.0 &&\n      inputs.amuont > 2.0', 'inputs.amuont', 9],
  ['folded', '>-\n      inputs.amount > 1.0 &&\n\n      inputs.amount > true', 'inputs.amount > true', 10],
  ['without a mark', 'inputs.amount > 1.0 &&\n      inputs.amuont > 2.0', 'inputs.amuont', 8],
  ['in quotes', '"inputs.amount > 1.0 \\\n      && inputs.amuont > 2.0"', 'inputs.amuont', 8],
  ['to the character', '|\n      inputs.amount > 1.0 &&\n      inputs.amount >> 2.0', '>', 9],
])('of an expression of several lines, written %s, the one is underlined', async (_, written, part, line) => {
  const { out } = await verifyIn(folderOf({ 'a.yaml': deciding(written) }), ['a.yaml'], { rule: ['S8'] });
  expect(marksIn(out)).toEqual([part]);
  expect(out).toContain(`a.yaml:${line}:`);
  expect(out).not.toContain('\\u{a}');
});

/** A workflow that hands a text on, which is written as given. */
const handing = (written: string): string => `schema_version: "1.0"
workflow: { name: a, version: 1.0.0 }
inputs: { amount: { schema: { type: number } }, note: { required: false } }
nodes:
  - node_id: tell
    type: action
    action_def: tell@^1
    input_mapping:
      text: ${written}
  - { node_id: done, type: terminal, status: completed }
  - { node_id: stop, type: error, handling: fail }
edges:
  - { from_node: tell, to_node: done, label: success }
  - { from_node: tell, to_node: stop, label: failure }
`;

it.each([
  ['no name outside of a reference', '"inputs.amuont: ${inputs.amuont}"', 'inputs.amuont'],
  ['none that only looks like one', '"$${inputs.amuont} ${inputs.amuont}"', 'inputs.amuont'],
  ['beside quotes', '"\\"${inputs.amount}\\" ${inputs.amuont}"', 'inputs.amuont'],
  ['in a block', '|\n        Dear ${inputs.amount},\n        ${nodes.tel.outputs.x} is due.', 'nodes.tel'],
  ['the one without a default', '${inputs.note ?? "}"} ${inputs.note}', 'inputs.note'],
  ['all that is not closed', '"${inputs.amount} ${inputs.amount"', '${inputs.amount'],
  ['the path', '${nodes.tell}', 'nodes.tell'],
  ['the root', '"a ${input.amount}"', 'input'],
  ['a name with a hyphen', '${nodes.tell-all.outputs.x}', 'nodes.tell-all'],
])('of a mapping %s is underlined', async (_, written, part) => {
  expect(await underlined(handing(written))).toEqual([part]);
});

it('of two references the one without a default is underlined, and not the first', async () => {
  const { out } = await verifyIn(folderOf({ 'a.yaml': handing('${inputs.note ?? 1} ${inputs.note}') }), ['a.yaml'], {
    rule: ['S8'],
  });
  expect(out).toContain('a.yaml:9:35');
});

it('every name of a node that may be given is told, whatever characters it has', async () => {
  const names = fc.array(fc.stringMatching(/^[^.{}$\s\p{Cc}]{1,12}$/u), {
    minLength: 1,
    maxLength: 20,
  });
  const ascii = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).filter(
    char => !'.{}$'.includes(char),
  );
  await fc.assert(
    fc.asyncProperty(names, async others => {
      for (const writtenIn of [mappingOf, expressionOf]) {
        const texts = [...ascii.map(char => `a${char}b`), ...others].map(writtenIn);
        const files = Object.fromEntries(texts.map((text, at) => [`${at}.yaml`, text]));
        const { code, err } = await verifyIn(folderOf(files), Object.keys(files), { rule: ['S8'] });
        expect({ code, err }).toEqual({ code: 1, err: '' });
      }
    }),
    { numRuns: 3 },
  );
});

const mappingOf = (name: string): string => handing(JSON.stringify(`\${nodes.${name}.outputs.x}`));
const expressionOf = (name: string): string =>
  deciding(JSON.stringify(`nodes[${JSON.stringify(name)}].outputs.x == inputs.amount`));

/** What is underlined in what is told of a workflow. */
async function underlined(text: string): Promise<string[]> {
  const { out } = await verifyIn(folderOf({ 'a.yaml': text }), ['a.yaml'], { rule: ['S8'] });
  return marksIn(out);
}

function marksIn(out: string): string[] {
  const lines = out.split('\n');
  return lines.flatMap((under, at) => {
    const [marks] = /\^+/.exec(/^ +\| +\^/.test(under) ? under : '') ?? [];
    const from = under.indexOf('^');
    return marks === undefined ? [] : [lines[at - 1]?.slice(from, from + marks.length) ?? ''];
  });
}
