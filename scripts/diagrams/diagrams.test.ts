import { describe, expect, test } from 'vitest';
import { generateDiagrams } from '../generate-diagrams.js';
import { readChapters } from '../generate-requirements.js';
import { CHAPTERS, projectFiles, readProjectFile } from '../shape.js';
import { executionLifeCycle, quote, recoveryDecisions, wrap } from './from-chapters.js';
import { workflowDiagram } from './from-workflow.js';
import { finish, readDiagram, renderDiagram } from './render.js';

const DOT = '// title: Two & two\n// desc: one\n// desc: leads to two\ndigraph { one -> two [class="bad"] }\n';

describe('a picture', () => {
  test('tells in words what it shows', () => {
    expect(readDiagram('x', DOT)).toMatchObject({ name: 'x', title: 'Two & two', description: 'one leads to two' });
  });

  test('has a title, a description, colours by class only, and both schemes', async () => {
    const svg = await renderDiagram(readDiagram('x', DOT));
    expect(svg).toContain('<title id="x-title">Two &amp; two</title>');
    expect(svg).toContain('aria-labelledby="x-title x-desc"');
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg).toContain('class="edge bad"');
    expect(svg.replace(/<style>.*<\/style>/s, '')).not.toMatch(/ (?:fill|stroke)="/);
    expect(await renderDiagram(readDiagram('x', DOT))).toBe(svg);
  });

  test('keeps nothing of what Graphviz says of itself', () => {
    const drawn =
      '<?xml?>\n<!-- g -->\n<svg viewBox="0 0 10 20"><g class="graph"><title>g</title><polygon points=""/></g>\n</svg>';
    const svg = finish(drawn, { name: 'x', title: 't', description: 'd', dot: '' });
    expect(svg).toContain('width="10" height="20"');
    expect(svg).toContain('<g class="graph"><polygon class="paper" points=""/></g>');
  });

  test('of a broken source says what is wrong', async () => {
    await expect(renderDiagram(readDiagram('x', 'digraph { ->'))).rejects.toThrow(/syntax error/);
  });
});

test('the architecture has arrows from who uses to what is used, the store included', () => {
  const dot = readProjectFile('assets/architecture.dot');
  expect(dot).toContain('audit -> store');
  expect(dot).not.toMatch(/store\s*->/);
});

test('text is quoted for Graphviz, and broken between words', () => {
  expect(quote('a "b"\nc\\')).toBe('"a \\"b\\"\\nc\\\\"');
  expect(wrap('one two three four', 10)).toBe('one two\nthree four');
});

test('the life cycle and the decisions of recovery have every row of the tables of the chapter', () => {
  const chapters = readChapters();
  const life = executionLifeCycle(chapters);
  for (const step of ['"pending" -> "committed"', '"in_doubt" -> "failed"', '"committed" -> "rolled_back"'])
    expect(life.dot).toContain(step);
  const recovery = recoveryDecisions(chapters);
  expect(recovery.dot).toContain('"c3" -> "in doubt" [label="partial, unknown"');
  expect(recovery.dot.match(/ -> "commit" /g)).toHaveLength(4);
  expect(recovery.description).toContain('irreversible, probe partial, unknown: in doubt.');
});

test('a workflow is drawn with all of its nodes and edges', () => {
  const { dot, title } = workflowDiagram('w', {
    schema_version: '1.0',
    workflow: { name: 'w', version: '1.0.0' },
    nodes: [
      { node_id: 'a', type: 'action', action_def: 'a@^1' },
      { node_id: 'end', type: 'terminal', status: 'completed', join_type: 'OR' },
    ],
    edges: [
      { from_node: 'a', to_node: 'end', label: 'success' },
      { from_node: 'a', to_node: 'end', label: 'always' },
    ],
  });
  expect(title).toBe('The workflow w');
  expect(dot).toContain('"end" [label="end\\nOR join"');
  expect(dot).toContain('"a" -> "end" [label="always"];');
});

test('the architecture has every folder of a chapter with sources, and no edge upwards', () => {
  const dot = readProjectFile('assets/architecture.dot');
  const order = new Map(CHAPTERS.map(({ noun, number }) => [noun, number]));
  for (const { noun, number } of CHAPTERS.slice(2)) expect(dot).toContain(`${noun} [label="${number}  ${noun}/"`);
  const chains = [...dot.matchAll(/\w+(?: -> \w+)+/g)].map(match => match[0].split(' -> '));
  const steps = chains.flatMap(names => names.slice(1).map((to, index) => [names[index] ?? '', to] as const));
  const between = steps.filter(([from, to]) => order.has(from) && order.has(to));
  expect(between.length).toBeGreaterThanOrEqual(6);
  expect(between.filter(([from, to]) => (order.get(from) ?? 0) <= (order.get(to) ?? 0))).toEqual([]);
});

test('every picture stands in a document, with words in its place', async () => {
  const { files, problems } = await generateDiagrams();
  expect(problems).toEqual([]);
  const texts = projectFiles()
    .filter(path => path.endsWith('.md'))
    .map(readProjectFile);
  const isShown = (path: string): boolean =>
    texts.some(text => new RegExp(`!\\[[^\\]]{20,}\\]\\([^)]*${path.replaceAll('.', '\\.')}\\)`).test(text));
  expect(Object.keys(files).filter(path => !isShown(path))).toEqual([]);
});
