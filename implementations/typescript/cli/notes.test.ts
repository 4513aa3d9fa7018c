import { describe, expect, it } from 'vitest';
import { junitDefects } from './format/junit.fixture.js';
import { escapeXml } from './format/junit.js';
import { folderOf, verifyIn } from './verify.fixture.js';

/** A workflow whose output and condition read names of a result, whose schema is as given. */
const reading = (name: string, more = ''): string => `schema_version: "1.0"
workflow: { name: reading, version: 1.0.0 }
outputs: { s: '\${nodes.rate.outputs.${name}}' }
actions:
  - action_id: rate
    version: 1.0.0
    determinism: deterministic
    rollback: rollbackable
    side_effects: []
    output_schema: { type: object, properties: { score: { type: number } }, required: [score]${more} }
nodes:
  - { node_id: rate, type: action, action_def: rate@^1 }
  - { node_id: check, type: condition, expression: nodes.rate.outputs.${name} > 0.5 }
  - { node_id: done, type: terminal, status: completed, join_type: OR }
  - { node_id: stop, type: error, handling: fail }
edges:
  - { from_node: rate, to_node: check, label: success }
  - { from_node: rate, to_node: stop, label: failure }
  - { from_node: check, to_node: done, label: 'true' }
  - { from_node: check, to_node: done, label: 'false' }
`;
const folder = folderOf({
  'slip.yaml': reading('scor'),
  'right.yaml': reading('score'),
  'other.yaml': reading('reasons'),
  'map.yaml': reading('scor', ', additionalProperties: { type: number }'),
});
const NOTE = 'the output_schema of the action of "rate" does not name "scor"; did you mean "score"?';

describe('a name that is like one of an open schema', () => {
  it('is noted at each place, and no finding', async () => {
    const { code, out } = await verifyIn(folder, ['slip.yaml']);
    expect(code).toBe(0);
    expect(out.split('\n').filter(line => line === `note ${NOTE}`)).toHaveLength(2);
    expect(out).toContain('  = at slip.yaml:3:15\n');
    expect(out).toContain('✔ 1 document, no findings, SAFE');
    for (const file of ['right.yaml', 'other.yaml', 'map.yaml'])
      expect((await verifyIn(folder, [file])).out).not.toContain('note');
    expect((await verifyIn(folder, ['slip.yaml'], { quiet: true })).out).not.toContain('note');
  });

  it('is noted in the other formats', async () => {
    const call = async (name: 'json' | 'github' | 'markdown' | 'sarif' | 'junit'): Promise<string> =>
      (await verifyIn(folder, ['slip.yaml'], { format: [{ name }] })).out;
    const [report] = JSON.parse(await call('json')).reports;
    expect(report.notes[1]).toMatchObject({ pointer: '/nodes/1/expression', message: NOTE, location: { line: 13 } });
    expect(report.report.verdict).toBe('PASS');
    expect(await call('github')).toContain(`::notice file=slip.yaml,line=3,col=15,title=ars verify::${NOTE}\n`);
    expect(await call('markdown')).toContain('(at `slip.yaml:3:15`)');
    const [run] = JSON.parse(await call('sarif')).runs;
    expect(run.invocations[0].toolExecutionNotifications[0]).toMatchObject({ level: 'note', message: { text: NOTE } });
    expect(run.results).toEqual([]);
    const xml = await call('junit');
    expect(junitDefects(xml)).toEqual([]);
    expect(xml).toContain(`<system-out>note: slip.yaml:3:15 ${escapeXml(NOTE)}\nnote: slip.yaml:13:`);
  });
});

describe('a text that reads as a path', () => {
  const handing = (input: string, output: string): string => `schema_version: "1.0"
workflow: { name: handing, version: 1.0.0 }
inputs: { amount: { schema: { type: number }, required: true } }
outputs: { o: '${output}' }
actions:
  - action_id: pay
    version: 1.0.0
    determinism: deterministic
    rollback: rollbackable
    side_effects: []
    input_schema: { type: object, properties: { amount: { type: number } } }
nodes:
  - { node_id: pay, type: action, action_def: pay@^1, input_mapping: { amount: '${input}' } }
  - { node_id: done, type: terminal, status: completed }
  - { node_id: stop, type: error, handling: fail }
edges:
  - { from_node: pay, to_node: done, label: success }
  - { from_node: pay, to_node: stop, label: failure }
`;

  it('is noted where it is handed on as it is, and told with the finding where there is one', async () => {
    const { out } = await verifyIn(folderOf({ 'a.yaml': handing('inputs.amount', '{{ nodes.pay.outputs.x }}') }), [
      'a.yaml',
    ]);
    expect(out).toContain('a number\n');
    expect(out).toContain('help: Did you mean ${inputs.amount}?\n');
    expect(out.match(/^note .*/gm)).toEqual([
      'note "{{ nodes.pay.outputs.x }}" is handed on as a text; did you mean ${nodes.pay.outputs.x}?',
    ]);
  });

  it.each(['$.amount', 'inputs.amount', '{% $inputs.amount %}', '{inputs.amount}'])('is %s', async text => {
    const { code, out } = await verifyIn(folderOf({ 'a.yaml': handing('${inputs.amount}', text) }), ['a.yaml']);
    expect([code, out.match(/^note .*did you mean \$\{inputs\.amount\}\?$/gm)?.length]).toEqual([0, 1]);
  });

  it.each(['$.sum', 'inputs.sum', 'see inputs.amount', '$${inputs.amount}', 'nodes.pay'])('is not %s', async text => {
    const { out } = await verifyIn(folderOf({ 'a.yaml': handing('${inputs.amount}', text) }), ['a.yaml']);
    expect(out).not.toContain('note ');
  });
});
