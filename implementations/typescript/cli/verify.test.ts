import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../schemas/index.js';
import { readDocuments } from '../workspace/document.js';
import { findingText } from './format/text.js';
import { runVerify } from './verify-files.js';
import type { VerifyOptions } from './verify-options.js';
import { reportOn } from './verify-report.js';

const example = (name: string): string => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));

async function ars(
  files: string[],
  options: VerifyOptions = {},
  stdin = '',
): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await runVerify(files, options, {
    out: text => {
      out += text;
    },
    err: text => {
      err += text;
    },
    stdin: Readable.from([Buffer.from(stdin)]),
    colored: false,
  });
  return { code, out, err };
}

describe('ars verify', () => {
  it('shows where a finding is, related places, and what to do', async () => {
    const { code, out } = await ars([example('invalid/cycle-and-unreachable.yaml')]);
    expect(code).toBe(1);
    expect(out.replaceAll(/^\S*(?=cycle-and)/gm, '')).toMatchInlineSnapshot(`
      "cycle-and-unreachable.yaml:25:14 error S2 No path leads from the start to the node "archive"
       25 |   - node_id: archive
          |              ^^^^^^^
       14 |   - node_id: fetch
          |              ----- execution begins here
          = help: Add an edge that leads here, or remove the node.

      cycle-and-unreachable.yaml:34:5 error S1 The cycle "check" → "fetch" → "check" is closed here
       34 |   - { from_node: fetch, to_node: check, label: success }
          |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       14 |   - node_id: fetch
          |              ----- the cycle goes through "fetch"
       35 |   - { from_node: check, to_node: store, label: "true" }
          |     --------------------------------------------------- an exit: "check" –true→ "store"
       39 |   - { from_node: fetch, to_node: failed, label: failure }
          |     ----------------------------------------------------- an exit: "fetch" –failure→ "failed"
          = help: Remove one edge of the cycle; to repeat a failed node use a retry_policy or an error node that retries.

      safety invoice.collect@1.0.0 is UNKNOWN, at least SAFE: not everything that "fetch" and "store" can come to execute is known (S7, S12)

      ✖ 1 document, 2 errors, 0 warnings; 14 rules not evaluated, 1 in part:
        S2 (in part): impossible joins are looked for once there is no cycle (S1)
        S3, S5, S6, S9, S12–S16: no path leads to "archive" (S2), which is judged once one does
        S7: no registry was given in which "file.write@^2" and "http.get@^1" could be
        S8: which node comes before which is not known: there is a cycle (S1); what 2 actions without a definition take and give is not known (S7)
        S10, S11: there is no definition of "file.write@^2" and "http.get@^1" (S7)
        S17: what "fetch" and "store" execute is not known (S7, S12)
        = help: Name the registry with --registry FILE; "ars builtin" prints that of the actions that come with ars.
      "
    `);
  });

  it('is silent about a good file, but for the summary', async () => {
    const { code, out } = await ars([example('valid/s1-cycle.yaml')]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^safety \S+ is UNKNOWN[^\n]+\n\n✔ 1 document, no findings; \d+ rules not evaluated:\n( {2}S[0-9S, –]+: [^\n]+\n)+ {2}= help: [^\n]+"ars builtin"[^\n]+\n$/,
    );
  });

  it('names the rules that were not evaluated, with the reason', async () => {
    const { out } = await ars([example('invalid/s1-cycle.yaml').replace('s1-cycle', 'cycle-and-unreachable')]);
    expect(out.split('\n').filter(line => line.startsWith('  S'))).toContain(
      '  S17: what "fetch" and "store" execute is not known (S7, S12)',
    );
  });

  it('lists findings in the order of their places', async () => {
    const { out } = await ars(['-'], {}, 'nodes: 1\nedges: 1\nactions: 1\nschema_version: 1\n');
    const lines = [...out.matchAll(/^<stdin>:(\d+):/gm)].map(match => Number(match[1]));
    expect(lines).toEqual(lines.toSorted((a, b) => a - b));
    expect(lines.length).toBeGreaterThan(3);
  });

  it('shows the name of a file without its control characters', () => {
    const [document] = readDocuments('a: 1', { file: 'evil\u001b[31m.yaml', format: 'yaml' });
    const found = document && reportOn(document).report.findings[0];
    expect(document && found && findingText(document, found, pc.createColors(false))).toMatch(
      /^evil\\u\{1b\}\[31m\.yaml:1:1 /,
    );
  });

  it('counts warnings against --max-warnings', async () => {
    const file = example('invalid/s6-undeclared-join.yaml');
    expect((await ars([file])).code).toBe(0);
    expect((await ars([file], { maxWarnings: 1 })).code).toBe(0);
    const none = await ars([file], { maxWarnings: 0 });
    expect(none.code).toBe(1);
    expect(none.out).toMatch(/^error \d+ warnings?, more than --max-warnings 0 allows$/m);
  });

  it('prints reports with places as JSON', async () => {
    const { code, out } = await ars([example('invalid/s1-cycle.yaml'), example('valid/s2-unreachable.yaml')], {
      format: [{ name: 'json' }],
    });
    expect(code).toBe(1);
    const { reports } = JSON.parse(out);
    expect(
      reports.map((entry: { document: number; report: { verdict: string } }) => [entry.document, entry.report.verdict]),
    ).toEqual([
      [0, 'FAIL'],
      [0, 'PASS'],
    ]);
    for (const { report } of reports) expect(validate('verification-report', report)).toEqual([]);
    expect(reports[0].report.findings[0].location).toMatchObject({ line: 11, column: 5 });
  });

  it('reads several documents from standard input', async () => {
    const text =
      'schema_version: "1.0"\nworkflow: {name: a, version: 1.0.0}\nnodes: [{node_id: t, type: terminal, status: completed}]\nedges: []\n';
    const other = text.replace('name: a', 'name: b');
    expect((await ars(['-'], {}, `${text}---\n${other}`)).out).toContain('2 documents, no findings');
    expect((await ars(['-'], {}, `${text}---\n${text}`)).out).toMatch(
      /error S5 The workflow "a@1\.0\.0" is defined already/,
    );
    const { code, out } = await ars(['-'], {}, `${text}---\n${text.replace('1.0.0', '1.0')}`);
    expect(code).toBe(1);
    expect(out).toContain('<stdin>:7:30 error SCHEMA');
  });

  it('looks for skills in each other, and for actions and workflows in registries', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ars-verify-'));
    const write = (name: string, value: unknown): string => {
      writeFileSync(join(folder, name), JSON.stringify(value));
      return join(folder, name);
    };
    const edges = [
      { from_node: 'do', to_node: 'done', label: 'success' },
      { from_node: 'do', to_node: 'refused', label: 'failure' },
    ];
    const workflow = (name: string, node: object): object => ({
      schema_version: '1.0',
      workflow: { name, version: '1.0.0' },
      nodes: [
        { node_id: 'do', ...node },
        { node_id: 'done', type: 'terminal', status: 'completed' },
        { node_id: 'refused', type: 'error', handling: 'fail' },
      ],
      edges,
    });
    const outer = write('outer.json', workflow('outer', { type: 'skill', workflow_ref: 'inner@^1' }));
    const inner = write('inner.json', workflow('inner', { type: 'action', action_def: 'act@^1' }));
    const act = { action_id: 'act', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' };
    const registry = write('registry.json', { schema_version: '1.0', actions: [{ ...act, side_effects: [] }] });
    expect((await ars([outer, inner], { registry: [registry] })).out).toBe(
      '✔ 2 documents, no findings, 1 registry used\n',
    );
    expect((await ars([outer], { registry: [registry] })).out).toMatch(/error S12 .*"inner@\^1"/);
    const empty = write('empty.json', { schema_version: '1.0' });
    expect((await ars([inner], { registry: [empty] })).out).toMatch(/error S7 .*"act@\^1"/);
    const wrong = await ars([inner], { registry: [outer] });
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('is no registry')]);
  });

  it('says what cannot be read, and goes on with the others', async () => {
    const { code, out, err } = await ars(['none.yaml', example('valid/s1-cycle.yaml')]);
    expect(code).toBe(2);
    expect(err).toContain('none.yaml: there is no such file');
    expect(out).toContain('1 document, no findings, 1 problem');
    expect((await ars([])).code).toBe(2);
  });

  it('reports text that is not readable at its place', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'ars-verify-')), 'broken.yaml');
    writeFileSync(file, 'nodes: [a\nedges: \u001b[31mred\n');
    const { code, out } = await ars([file]);
    expect(code).toBe(1);
    expect(out).toMatch(/broken\.yaml:1:8 .* \[ is not closed$/m);
    expect(out).toMatch(/^ {2}2 \| edges: [\s\S]*no \] before this line/m);
    expect(out).not.toContain('\u001b');
    writeFileSync(file, '');
    expect((await ars([file])).out).toMatch(
      /SCHEMA The file is empty[\s\S]*\n {2}S1–S17: the document cannot be read \(SCHEMA\)\n$/,
    );
  });

  it('keeps frames of very long lines short', async () => {
    const nodes = Array.from({ length: 200 }, (_, at) => ({
      node_id: `n${at}`,
      type: 'terminal',
      status: 'completed',
    }));
    const { out } = await ars(
      ['-'],
      {},
      JSON.stringify({ schema_version: '1.0', workflow: { name: 'a', version: '1.0.0' }, nodes, edges: [] }),
    );
    expect(Math.max(...out.split('\n').map(line => line.length))).toBeLessThan(200);
  });

  it('shows the name, and not the value, of an input that something does not take', async () => {
    const text = `schema_version: "1.0"
workflow: { name: user, version: 1.0.0 }
inputs: { a: { schema: { type: string } } }
actions:
  - { action_id: count, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [], input_schema: { type: object, properties: { text: { type: string } }, required: [text], additionalProperties: false } }
nodes:
  - node_id: count
    type: action
    action_def: count@^1
    input_mapping:
      txt: \${inputs.a}
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: count, to_node: done, label: success }
`;
    const { out } = await ars(['-'], { rule: ['S8'] }, text);
    expect(out).toMatch(/^<stdin>:11:7 error S8 "count" hands "txt" to .*, which does not take it$/m);
    expect(out).toContain('Did you mean "text"? It is required, and nothing is mapped to it.');
  });

  it('says that a condition of strings needs a default edge, also where an enum lists its values', async () => {
    const text = `schema_version: "1.0"
workflow: { name: user, version: 1.0.0 }
inputs: { a: { schema: { type: string, enum: [x, y] } } }
nodes:
  - { node_id: ask, type: condition, expression: inputs.a }
  - { node_id: x, type: terminal, status: completed }
  - { node_id: y, type: terminal, status: failed }
edges:
  - { from_node: ask, to_node: x, label: x }
  - { from_node: ask, to_node: y, label: y }
`;
    const { code, out } = await ars(['-'], {}, text);
    expect(code).toBe(1);
    expect(out).toContain('A condition that gives a string always needs one, also where an enum lists its values.');
  });
});
