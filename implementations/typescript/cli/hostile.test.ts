import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runVerify } from './verify-files.js';
import type { VerifyOptions } from './verify-options.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ars-hostile-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Line, column and rule of each finding, in order. */
  readonly places: readonly string[];
}

/** Verifies a file of these contents, or the file of that name where there are none; no case prints a stack or much. */
async function ars(name: string, contents?: string | Uint8Array, options: VerifyOptions = {}): Promise<Printed> {
  if (contents !== undefined) writeFileSync(join(folder, name), contents);
  let out = '';
  let err = '';
  const code = await runVerify([join(folder, name)], options, {
    out: text => {
      out += text;
    },
    err: text => {
      err += text;
    },
    stdin: Readable.from([]),
    colored: false,
  });
  expect(out + err).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
  expect(out.length + err.length).toBeLessThan(60_000);
  const places = [...out.matchAll(/^\S+?:(\d+:\d+) (?:error|warning) (\S+) /gm)].map(([, at, rule]) => `${at} ${rule}`);
  return { code, out, err, places };
}

const HEAD = 'schema_version: "1.0"\nworkflow: { name: a, version: 1.0.0 }\n';
const END = 'nodes: [{ node_id: a, type: terminal, status: completed }]\nedges: []\n';
const yaml = (middle: string): string => HEAD + middle + END;
const condition = (expression: string): string =>
  `${HEAD}nodes:\n  - { node_id: c, type: condition, expression: ${JSON.stringify(expression)} }\nedges: []\n`;
const json = (more: object): string =>
  JSON.stringify({
    schema_version: '1.0',
    workflow: { name: 'a', version: '1.0.0' },
    nodes: [{ node_id: 'a', type: 'terminal', status: 'completed' }],
    edges: [],
    ...more,
  });
const repeat = (text: string, times: number): string => text.repeat(times);

describe('hostile texts: one finding with its place', () => {
  const bomb = `${HEAD}x:\n  - &l0 [a, a]\n${Array.from({ length: 30 }, (_, at) => `  - &l${at + 1} [${Array(9).fill(`*l${at}`)}]\n`).join('')}`;
  const doubling = `a: &a {b: x}\n${Array.from({ length: 40 }, (_, at) => `k${at}: &k${at} {a: *${at === 0 ? 'a' : `k${at - 1}`}, b: *${at === 0 ? 'a' : `k${at - 1}`}}\n`).join('')}`;

  it.each([
    ['an alias bomb', 'x.yaml', bomb, '9:18'],
    ['an alias bomb of objects', 'x.yaml', doubling, '14:24'],
    ['depth in flow style', 'x.yaml', `a: ${repeat('[', 100_000)}${repeat(']', 100_000)}`, '1:1003'],
    ['depth without an end', 'x.yaml', `a: ${repeat('[', 100_000)}`, '1:1003'],
    ['depth of flow objects', 'x.yaml', repeat('{a: ', 100_000), '1:3994'],
    [
      'depth in block style',
      'x.yaml',
      Array.from({ length: 2000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      '1000:1000',
    ],
    ['depth of block lists in one line', 'x.yaml', `${repeat('- ', 100_000)}x`, '1:2001'],
    ['depth of keys', 'x.yaml', `${repeat('? ', 100_000)}x`, '1:2000'],
    ['depth in JSON', 'x.json', repeat('[', 100_000) + repeat(']', 100_000), '1:1001'],
    ['depth of objects in JSON', 'x.json', `${repeat('{"a":', 100_000)}1${repeat('}', 100_000)}`, '1:5001'],
    ['a repeated key', 'x.yaml', yaml('nodes: []\n'), '4:1'],
    ['a repeated key in JSON', 'x.json', '{"schema_version":"1.0","schema_version":"1.0"}', '1:25'],
    ['half a surrogate pair', 'x.json', '{"workflow":"\\ud800"}', '1:13'],
    ['half a surrogate pair in YAML', 'x.yaml', yaml('x: "\\ud800"\n'), '3:4'],
    [
      'half a surrogate pair in bytes',
      'x.yaml',
      Buffer.concat([Buffer.from(HEAD), Buffer.of(0xed, 0xa0, 0x80)]),
      '3:1',
    ],
    ['an integer beyond 2^53', 'x.json', '{"schema_version":9007199254740993}', '1:19'],
    ['an integer beyond 2^53 in YAML', 'x.yaml', yaml('x: 9007199254740993\n'), '3:4'],
    ['an integer beyond 2^53 in hexadecimal', 'x.yaml', yaml('x: 0xFFFFFFFFFFFFFFFF\n'), '3:4'],
    ['1e400', 'x.json', '[-1e400]', '1:2'],
    ['1e400 in YAML', 'x.yaml', yaml('x: 1e400\n'), '3:4'],
    ['a number of a million digits', 'x.json', `[${repeat('9', 1_000_000)}]`, '1:2'],
    ['a number of a million digits in YAML', 'x.yaml', `a: ${repeat('9', 1_000_000)}`, '1:4'],
    ['a word of a million characters', 'x.json', `[${repeat('x', 1_000_000)}]`, '1:2'],
    [
      'a repeated key of a million characters',
      'x.json',
      `{"${repeat('x', 1_000_000)}":1,"${repeat('x', 1_000_000)}":1}`,
      '1:1000007',
    ],
    ['a tag of a million characters', 'x.yaml', `a: !${repeat('x', 1_000_000)} 1`, '1:4'],
    ['an anchor that is not there, of a million characters', 'x.yaml', `a: *${repeat('x', 1_000_000)}`, '1:4'],
    ['a NUL', 'x.yaml', yaml('x: \0\n'), '3:4'],
    ['a NUL in JSON', 'x.json', '{"a":"\0"}', '1:7'],
    ['random bytes', 'x.yaml', Uint8Array.from({ length: 10_000 }, (_, at) => (at * 7919 + at * at) % 256), '1:1'],
    ['UTF-16', 'x.yaml', Buffer.from(`\ufeff${yaml('')}`, 'utf16le'), '1:1'],
    ['UTF-16 of the other order', 'x.yaml', Buffer.from(`\ufeff${yaml('')}`, 'utf16le').swap16(), '1:1'],
    ['UTF-16 without a mark', 'x.yaml', Buffer.from(yaml(''), 'utf16le'), '1:2'],
    ['UTF-32', 'x.yaml', Buffer.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0), '1:1'],
    ['Latin-1', 'x.yaml', Buffer.from(yaml('# caf\xe9\n'), 'latin1'), '3:6'],
    ['nothing', 'x.yaml', '', '1:1'],
    ['nothing in JSON', 'x.json', '', '1:1'],
    ['white space', 'x.yaml', '  \n \n', '1:1'],
    ['comments', 'x.yaml', '# a\n# b\n', '1:1'],
    ['a tab', 'x.yaml', 'schema_version: "1.0"\nworkflow:\n\tname: a\n', '3:1'],
    ['a merge key', 'x.yaml', 'b: &b { x: 1 }\na: { <<: *b }\n', '2:6'],
    ['a custom tag', 'x.yaml', 'a: !!js/function "x"\n', '1:4'],
    ['text after the end', 'x.json', `${json({})}x`, '1:143'],
    ['a YAML text that is too long', 'x.yaml', `a: ${repeat('x', 2 ** 24)}`, '1:1'],
    ['a million empty lines before the defect', 'x.json', `${repeat('\n', 1_000_000)}x`, '1000001:1'],
  ])('%s', async (_, name, contents, place) => {
    const { code, places, out } = await ars(name, contents);
    expect(code).toBe(1);
    expect(places).toEqual([`${place} SCHEMA`]);
    expect(out.split('\n')[0]?.length).toBeLessThan(folder.length + 200);
  });

  it('UTF-16 is called that', async () => {
    const { out } = await ars('x.yaml', Buffer.from(`\ufeff${yaml('')}`, 'utf16le'));
    expect(out).toContain('UTF-16');
  });
});

describe('texts that only look hostile pass', () => {
  it.each([
    ['a byte order mark', 'x.yaml', `\ufeff${yaml('')}`],
    ['CR LF', 'x.yaml', yaml('').replaceAll('\n', '\r\n')],
    ['CR', 'x.yaml', yaml('').replaceAll('\n', '\r')],
    ['-0', 'x.json', json({ inputs: { a: { default: 0 } } }).replace('"default":0', '"default":-0')],
    ['JSON in a YAML file', 'x.yaml', json({})],
    ['a long default', 'x.json', json({ inputs: { a: { default: repeat('x', 5_000_000) } } })],
    [
      'a pattern that takes exponential time',
      'x.json',
      json({ inputs: { a: { schema: { type: 'string', pattern: '^(a+)+$' } } } }),
    ],
  ])('%s', async (_, name, contents) => {
    const { code, places } = await ars(name, contents);
    expect([code, places]).toEqual([0, []]);
  });

  it('several documents, a comment behind the last', async () => {
    const other = yaml('').replace('name: a', 'name: b');
    const { code, out } = await ars('x.yaml', `${yaml('')}---\n${other}...\n# end\n`);
    expect(code).toBe(0);
    expect(out).toContain('2 documents');
  });

  it('names that JavaScript knows', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const own = (value: string): string =>
      `{ ${names.map(name => `"${name}": ${value.replaceAll('NAME', name)}`).join(', ')} }`;
    const text = `schema_version: "1.0"
workflow: { name: constructor, version: 1.0.0, start: __proto__ }
inputs: ${own('{ schema: { type: string } }')}
outputs: ${own('"${nodes.__proto__.outputs.NAME}"')}
actions:
  - action_id: constructor
    version: 1.0.0
    determinism: deterministic
    rollback: rollbackable
    side_effects: []
    input_schema: { type: object, required: [${names}], properties: ${own('{ type: string }')}, additionalProperties: false }
    output_schema: { type: object, properties: ${own('{ type: string }')}, additionalProperties: false }
nodes:
  - { node_id: __proto__, type: action, action_def: constructor@^1, input_mapping: ${own('"${inputs.NAME}"')} }
  - { node_id: toString, type: terminal, status: completed }
  - { node_id: hasOwnProperty, type: error, handling: fail }
edges:
  - { from_node: __proto__, to_node: toString, label: success }
  - { from_node: __proto__, to_node: hasOwnProperty, label: failure }
`;
    const { out, places } = await ars('x.yaml', text);
    expect([places, out.includes('no findings')]).toEqual([[], true]);
    const misspelt = text.replace('"toString": "${inputs.toString}"', '"valueOf": "${inputs.valueOf}"');
    expect((await ars('x.yaml', misspelt)).places.map(place => place.split(' ')[1])).toEqual(['S8', 'S8', 'S8']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('names that look the same are two, and a reference to the wrong one is told apart', async () => {
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
    const text = `${HEAD}nodes: [{ node_id: ${composed}, type: terminal, status: completed }]\nedges: [{ from_node: ${decomposed}, to_node: ${composed}, label: success }]\n`;
    const { out, places } = await ars('x.yaml', text);
    expect(places).toEqual(['4:22 S5']);
    expect(out).toContain('NFC');
  });
});

describe('hostile values: findings, bounded in number, length and time', () => {
  it.each([
    ['ten thousand brackets', condition(repeat('(', 10_000) + repeat(')', 10_000)), 'SCHEMA'],
    ['as many brackets as fit', condition(`${repeat('(', 2000)}1${repeat(')', 2000)}`), 'S8'],
    ['as many lists as fit', condition(repeat('[', 2000) + repeat(']', 2000)), 'S8'],
    ['as many negations as fit', condition(`${repeat('!', 4090)}true`), 'S8'],
    ['as many choices as fit', condition(`${repeat('a?b:', 1000)}c`), 'S8'],
    ['as many members as fit', condition(`inputs${repeat('.a', 2000)}`), 'S8'],
    ['an expression of ten million characters', condition(repeat('a+', 5_000_000)), 'SCHEMA'],
  ])('an expression with %s', async (_, contents, rule) => {
    const { code, places } = await ars('x.yaml', contents);
    expect(code).toBe(1);
    expect(places.map(place => place.split(' ')[1])).toContain(rule);
  });

  it.each([
    ['nested references', '${'.repeat(50_000)],
    ['a hundred thousand references', '${inputs.a}'.repeat(100_000)],
    ['a nested default', `\${inputs.a ?? ${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
  ])('a mapping with %s', async (_, mapping) => {
    const nodes = [{ node_id: 'a', type: 'action', action_def: 'a@1', input_mapping: { x: mapping } }];
    const { places } = await ars('x.json', json({ nodes }));
    expect(places.filter(place => place.endsWith('S8'))).toHaveLength(1);
  });

  it.each([
    [
      167,
      'refers to itself in a circle',
      { $ref: '#/$defs/x', $defs: { x: { $ref: '#/$defs/y' }, y: { $ref: '#/$defs/x' } } },
    ],
    [167, 'refers to the network', { $ref: 'http://127.0.0.1:1/x.json' }],
    [167, 'refers to what every object has from elsewhere', { $ref: '#/$defs/toString', $defs: {} }],
    [167, 'is 201 levels deep', JSON.parse(`${'{"items":'.repeat(200)}{}${'}'.repeat(200)}`)],
    [167, 'is 900 levels deep', JSON.parse(`${'{"items":'.repeat(900)}{}${'}'.repeat(900)}`)],
    [167, 'has a pattern that is none', { pattern: '(' }],
    [167, 'has a pattern that no check in linear time can follow', { pattern: '(a+)+\\1$' }],
  ])('has the finding at column %i of a schema that %s', async (column, _, schema) => {
    const { out, places } = await ars('x.json', json({ inputs: { a: { schema } } }));
    expect(places).toEqual([`1:${column} SCHEMA`]);
    expect(out).not.toContain('call stack');
  });

  it('names of a million characters are quoted in part', async () => {
    const long = 'x'.repeat(1_000_000);
    const text = json({
      nodes: [{ node_id: long, type: 'terminal', status: 'completed' }],
      edges: [{ from_node: `${long}y`, to_node: long, label: long }],
    });
    const { code, places } = await ars('x.json', text);
    expect(code).toBe(1);
    expect(places.length).toBeGreaterThan(2);
  });

  it('what a terminal would take for orders is shown and not sent', async () => {
    const { out } = await ars(
      'x.json',
      json({ nodes: [{ node_id: 'a\n\u001b[31m\u202e', type: 'terminal', status: 'completed' }] }),
    );
    expect([out.includes('\u001b'), out.includes('\u202e')]).toEqual([false, false]);
  });

  it.each([
    ['yes, no and dates are texts', 'node_id: yes', []],
    ['true is none', 'node_id: true', ['3:20 SCHEMA']],
    ['nor is a number', 'node_id: 1', ['3:20 SCHEMA']],
  ])('%s', async (_, node_id, expected) => {
    const { places } = await ars('x.yaml', yaml('').replace('node_id: a', node_id));
    expect(places.filter(place => place.endsWith('SCHEMA'))).toEqual(expected);
  });

  it('fifty thousand findings, and as many aliases, are no more than a screen shows', async () => {
    const nodes = Array.from({ length: 50_000 }, (_, at) => ({ node_id: `n${at}`, type: 'action', action_def: 'x@1' }));
    const edges = nodes.map(({ node_id }) => ({ from_node: node_id, to_node: node_id, label: 'success' }));
    expect((await ars('x.json', json({ nodes, edges }))).code).toBe(1);
    const aliases = `edges: [${Array(50_000).fill('*a').join(', ')}]\n`;
    expect((await ars('x.yaml', `${HEAD}inputs: { x: &a {} }\nnodes: []\n${aliases}`)).code).toBe(1);
    expect((await ars('x.yaml', `a:\n${'  - !x 1\n'.repeat(50_000)}`)).code).toBe(1);
  });

  it('a registry in which everything refers to everything', async () => {
    const size = 60;
    const skill = (at: number): object => ({ node_id: `n${at}`, type: 'skill', workflow_ref: `w${at}@*` });
    const all = Array.from({ length: size }, (_, at) => skill(at));
    const edges = all.slice(1).map((_, at) => ({ from_node: `n${at}`, to_node: `n${at + 1}`, label: 'always' }));
    const workflows = all.map((_, at) => ({
      schema_version: '1.0',
      workflow: { name: `w${at}`, version: '1.0.0' },
      nodes: all,
      edges,
    }));
    const actions = Array.from({ length: 200 }, (_, at) => ({
      action_id: `a${at}`,
      version: '1.0.0',
      determinism: 'deterministic',
      rollback: 'compensatable',
      side_effects: ['remote_server'],
      compensation: `a${(at + 1) % 200}@*`,
      revert: `a${(at * 7) % 200}@*`,
    }));
    const registry = join(folder, 'registry.json');
    writeFileSync(registry, JSON.stringify({ schema_version: '1.0', actions, workflows }));
    const nodes = [...all, { node_id: 'a', type: 'action', action_def: 'a0@*' }];
    const { places } = await ars('x.json', json({ nodes, edges }), { registry: [registry] });
    expect(places.filter(place => place.endsWith('S14'))).toHaveLength(1);
  });
});

describe('files that are none', () => {
  const reasonOf = async (name: string): Promise<string> => {
    const { code, out, err } = await ars(name);
    expect([code, out]).toEqual([2, '']);
    return err;
  };

  it('are named with the reason', async () => {
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
    symlinkSync('nowhere', join(folder, 'dangling.yaml'));
    mkdirSync(join(folder, 'folder.yaml'));
    expect(await reasonOf('loop.yaml')).toContain('circle');
    expect(await reasonOf('dangling.yaml')).toContain('no such file');
    expect(await reasonOf('folder.yaml')).toContain('folder.yaml');
    expect(await reasonOf(`${'x'.repeat(5000)}.yaml`)).toContain('too long');
    expect((await reasonOf('a\n\u001b[31m.yaml')).includes('\u001b')).toBe(false);
  });

  it('a named pipe is not waited for', async () => {
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    expect(await reasonOf('pipe.yaml')).toContain('named pipe');
  });

  it('a file that may not be read', async () => {
    writeFileSync(join(folder, 'secret.yaml'), yaml(''));
    chmodSync(join(folder, 'secret.yaml'), 0o000);
    const mayReadAll = process.getuid?.() === 0 || process.platform === 'win32';
    const { code, err } = await ars('secret.yaml');
    expect([code, err.includes('may not be read')]).toEqual(mayReadAll ? [0, false] : [2, true]);
  });
});
