import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verify } from '../../verification/index.js';
import { readDocuments } from '../../workspace/document.js';
import { CYCLIC, folderOf, GOOD, UNDECLARED } from '../verify.fixture.js';
import { dot } from './dot.js';
import { drawFile, noteOnOthers } from './draw-file.js';
import { markText } from './marks.js';
import { escapeMermaid, mermaid } from './mermaid.js';
import { type Picture, pictureOf } from './picture.js';
import { SVG_NODES, svg } from './svg.js';

const ODD = `schema_version: "1.0"
workflow: { name: odd, version: 1.0.0 }
inputs: { n: { schema: { type: integer } } }
actions:
  - { action_id: post, version: 1.0.0, determinism: deterministic, rollback: irreversible, side_effects: [external_service] }
nodes:
  - { node_id: "\\"<b>&'|\`]]>#;:%@", type: condition, expression: "inputs.n > 0 && inputs.n < 100000 && inputs.n != 17" }
  - { node_id: end, type: action, action_def: post@^1 }
  - { node_id: done, type: terminal, status: completed, join_type: OR }
  - { node_id: stop, type: error, handling: fail }
edges:
  - { from_node: "\\"<b>&'|\`]]>#;:%@", to_node: end, label: "true" }
  - { from_node: "\\"<b>&'|\`]]>#;:%@", to_node: done, label: "false" }
  - { from_node: end, to_node: done, label: success }
  - { from_node: nowhere, to_node: done, label: success }
  - { from_node: end, to_node: stop, label: failure }
`;

function picture(text: string): Picture {
  const value = readDocuments(text, { file: 'a.yaml' })[0]?.value;
  return pictureOf(value, verify(value));
}

describe('the picture of a workflow', () => {
  it('has the start, what is irreversible, and findings on nodes and edges', () => {
    const { nodes, edges, title } = picture(ODD);
    expect(title).toBe('odd@1.0.0');
    expect(nodes.filter(({ isStart }) => isStart).map(({ key }) => key)).toEqual(['n0']);
    expect(nodes.filter(({ irreversible }) => irreversible).map(({ title: name }) => name)).toEqual(['end']);
    expect(nodes.find(({ title: name }) => name === 'end')?.mark).toEqual({ level: 'warning', rules: ['S17'] });
    expect(edges.map(({ mark }) => mark?.rules)).toEqual([undefined, undefined, undefined, ['S5'], undefined]);
  });

  it('shows a node that is not there where an edge names it', () => {
    expect(picture(ODD).nodes.at(-1)).toMatchObject({ kind: 'missing', title: 'nowhere' });
  });

  it('marks the edge that closes a cycle', () => {
    expect(picture(CYCLIC).edges.map(({ mark }) => mark)).toEqual([
      undefined,
      undefined,
      { level: 'error', rules: ['S1'] },
      undefined,
    ]);
  });

  it('notes findings that are about no node and no edge', () => {
    expect(picture(GOOD.replace('1.0.0', '1.0')).notes).toEqual([
      expect.stringMatching(/^✖ SCHEMA "version" must be a string/),
    ]);
  });

  it('is of any document, also one that is no workflow', () => {
    for (const value of [null, 3, [], { nodes: 3, edges: [null, {}] }, { nodes: [{ node_id: 4 }], edges: {} }])
      expect(pictureOf(value, verify(value)).nodes).toEqual([]);
  });
});

const ENDS = `schema_version: "1.0"
workflow: { name: ends, version: 1.0.0 }
inputs: { n: { schema: { type: integer } } }
nodes:
  - { node_id: ask, type: condition, expression: inputs.n > 0 }
  - { node_id: good, type: terminal, status: completed }
  - { node_id: bad, type: terminal, status: failed }
edges:
  - { from_node: ask, to_node: good, label: "true" }
  - { from_node: ask, to_node: bad, label: "false" }
`;

describe('what a finding is about', () => {
  const invalid = join(import.meta.dirname, '../../../../examples/invalid');
  const drawn = (name: string): string[] => {
    const { nodes, edges, notes } = picture(readFileSync(join(invalid, `${name}.yaml`), 'utf8'));
    const parts = [...nodes.map(({ title, mark }) => [title, mark] as const)];
    for (const { label, mark } of edges) parts.push([`–${label}→`, mark]);
    return [...parts.flatMap(([part, mark]) => (mark === undefined ? [] : `${part} ${markText(mark)}`)), ...notes];
  };

  it.each([
    ['s4-several-starts', ['fetch ✖ S4', 'warm ✖ S4']],
    ['s4-unknown-start', ['fecth ✖ S4']],
    ['s4-entered-start', ['fetch ✖ S4']],
    ['s5-repeated-action', ['fetch ✖ S5']],
    ['s8-action-condition', ['do ✖ S8']],
    ['s8-uncertain-output', ['done ✖ S8']],
    ['s8-default-of-input', [expect.stringMatching(/^✖ S8 The default of the input "days"/)]],
  ])('is marked, or told where it is not drawn: %s', (name, marks) => {
    expect(drawn(name)).toEqual(marks);
  });
});

describe('how an end is drawn', () => {
  it('tells a failed one from a completed one', () => {
    const drawn = picture(ENDS);
    expect(drawn.nodes.map(({ kind }) => kind)).toEqual(['condition', 'terminal', 'failed']);
    expect([...mermaid(drawn)].join('')).toContain(':::failed');
    expect([...dot(drawn)].join('')).toContain('class="failed"');
  });
});

describe('a mark', () => {
  it('tells what only warns from what is an error', () => {
    const { nodes } = picture(
      UNDECLARED.replace('inputs.n > 0', 'inputs.m > 0').replace('node_id: done,', 'node_id: done, wrong: 1,'),
    );
    expect(nodes.map(({ mark }) => (mark === undefined ? '' : markText(mark)))).toEqual(['✖ S8', expect.anything()]);
    expect(markText({ level: 'error', rules: ['S8', 'S5'], warnings: ['S6'] })).toBe('✖ S8 S5 ⚠ S6');
    const report = verify(readDocuments(UNDECLARED, { file: 'a.yaml' })[0]?.value);
    const both = [...report.findings, ...report.findings.map(finding => ({ ...finding, rule: 'S5' }))];
    const value = readDocuments(UNDECLARED, { file: 'a.yaml' })[0]?.value;
    const mixed = pictureOf(value, { ...report, findings: both }, ({ rule }) => rule === 'S5');
    expect(mixed.nodes.flatMap(({ mark }) => mark ?? [])).toEqual([
      { level: 'error', rules: ['S5'], warnings: ['S6'] },
    ]);
  });
});

describe('Mermaid', () => {
  it('has a shape for each type, a class for what is found, and no text that ends a label', () => {
    const text = [...mermaid(picture(ODD))].join('');
    expect(text).toContain('n0{"<b>#34;#60;b#62;#38;\'#124;#96;#93;#93;#62;#35;#59;:%@</b>');
    expect(text).toContain('n1["<b>end</b><br/>post@^1<br/><i>irreversible</i><br/><b>⚠ S17</b>"]:::action');
    expect(text).toContain('n2(["<b>done</b>');
    expect(text).toContain('n3{{"<b>stop</b><br/>fail"}}:::error');
    expect(text).toContain('n4 -->|"success ✖ S5"| n2');
    expect(text).toContain('class n1 irreversible');
    expect(text).toContain('class n1 warned');
    // One edge leads to the start, so that the marked one, the fourth, has the index 4.
    expect(text).toContain('linkStyle 4 stroke:#d1242f');
    expect(escapeMermaid('a"b#c')).toBe('a#34;b#35;c');
  });
});

describe('DOT and SVG', () => {
  it('draw every node and edge, and mark what is found', async () => {
    const drawn = picture(ODD);
    const text = [...dot(drawn)].join('');
    expect(text.match(/^ {2}n\d+ \[/gm)).toHaveLength(drawn.nodes.length);
    expect(text.match(/^ {2}n\d+ -> n\d+ /gm)).toHaveLength(drawn.edges.length);
    const image = await svg(drawn);
    expect(image).toMatch(/^<svg /);
    expect(image.match(/<g id="node\d+" class="node (?:action|condition|terminal|error|missing|start)/g)).toHaveLength(
      drawn.nodes.length + 1,
    );
    expect(image).toContain('&quot;&lt;b&gt;&amp;');
    expect(image).toContain('prefers-color-scheme: dark');
    expect(image).toContain('✖ S5');
  });

  it('have a title that is centred in whatever font it is shown', async () => {
    expect(await svg(picture(GOOD))).toMatch(/<text[^>]* text-anchor="middle"[^>]*>[^<]*good@1\.0\.0[^<]*<\/text>/);
  });

  it('are drawn of texts that no picture can hold, or that are cut off within a character', async () => {
    const odd = `\u{1f600}a${'\u{1f600}'.repeat(600)}`;
    for (const text of [odd, odd.slice(2), '\ufffe\uffff']) {
      const value = { start: text, nodes: [{ node_id: `${text}1`, type: 'condition', expression: text }] };
      const image = await svg(pictureOf(value, verify(value)));
      expect(image).toContain('<g id="node1"');
      expect(image).not.toMatch(/[\ufffe\uffff]|\p{Surrogate}/u);
    }
  });

  it('quote whatever stands in labels', () => {
    const [first] = picture(GOOD).nodes;
    const edges = [{ from: 'n0', to: 'n0', label: 'a"\\b' }];
    expect([...dot({ title: '"', nodes: first === undefined ? [] : [first], edges, notes: [] })].join('')).toContain(
      'label=" a\\"\\\\b "',
    );
  });

  it('tell beside the nodes, in short lines, what is about nothing that is drawn, with room for the title', () => {
    const about = `✖ S8 ${'the "input" of a '.repeat(30)}${'x'.repeat(80)}`;
    const text = [...dot({ ...picture(GOOD), notes: [about] })].join('');
    const [, lines = ''] = /^ {2}note0 \[label="(.*)" shape=note /m.exec(text) ?? [];
    expect(lines.split('\\n').map(line => line.replaceAll('\\"', '"').length)).toEqual(
      Array(6).fill(expect.any(Number)),
    );
    expect(lines.split('\\n').every(line => line.replaceAll('\\"', '"').length <= 38)).toBe(true);
    expect(lines).toMatch(/^✖ S8 the \\"input\\" of a .* …$/);
    expect(text).toMatch(/ label=" {4,}good@1\.0\.0 {4,}" labelloc=t/);
  });

  it('have a bound, and say what to do beyond it', async () => {
    const [first] = picture(GOOD).nodes;
    const nodes =
      first === undefined ? [] : Array.from({ length: SVG_NODES + 1 }, (_, at) => ({ ...first, key: `n${at}` }));
    await expect(svg({ title: 'a', nodes, edges: [], notes: [] })).rejects.toMatchObject({
      code: 'usage',
      details: { nodes: SVG_NODES + 1 },
    });
  });
});

describe('ars graph', () => {
  const folder = folderOf({ 'cyclic.yaml': CYCLIC, 'two.yaml': `${GOOD}---\n${CYCLIC}`, 'broken.yaml': 'a: [' });
  const out = join(mkdtempSync(join(tmpdir(), 'ars-graph-')), 'deep', 'flow.svg');

  it('writes a picture to a file', async () => {
    expect(await drawFile(join(folder, 'cyclic.yaml'), { format: 'svg', out })).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('✖ S1');
    await drawFile(join(folder, 'two.yaml'), { format: 'dot', out, document: '1' });
    expect(readFileSync(out, 'utf8')).toMatch(/^digraph "good@1\.0\.0"/);
  });

  it('takes the levels of rules from a configuration', async () => {
    const folder = folderOf({ 'ars.config.yaml': 'rules: { S6: off }\n', 'a.yaml': UNDECLARED });
    await drawFile(join(folder, 'a.yaml'), { format: 'dot', out });
    expect(readFileSync(out, 'utf8')).not.toContain('S6');
    await drawFile(join(folder, 'a.yaml'), { format: 'dot', out, config: false });
    expect(readFileSync(out, 'utf8')).toContain('⚠ S6');
  });

  it('says which of several documents it draws', () => {
    expect(noteOnOthers('two.yaml', 0, 2)).toBe(
      'document 1 of 2 of two.yaml is drawn; --document NUMBER chooses another',
    );
    expect(noteOnOthers('one.yaml', 0, 1)).toBeUndefined();
  });

  it.each([
    ['there is no such document', 'two.yaml', { document: '3' }],
    ['the text cannot be read', 'broken.yaml', {}],
    ['there is no such file', 'none.yaml', {}],
  ])('is a usage error where %s', async (_, file, options) => {
    await expect(drawFile(join(folder, file), options)).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('the file that a picture goes to', () => {
  it('is none that is read', async () => {
    const folder = folderOf({ 'good.yaml': GOOD, 'r.yaml': 'schema_version: "1.0"\nactions: []\n' });
    const [good, registry] = [join(folder, 'good.yaml'), join(folder, 'r.yaml')];
    for (const out of [good, join(folder, '.', 'good.yaml'), registry])
      await expect(drawFile(good, { out, registry: [registry] })).rejects.toMatchObject({ code: 'usage' });
    expect(readFileSync(good, 'utf8')).toBe(GOOD);
  });
});
