import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocuments, type SourceDocument } from './document.js';

const yaml = (text: string): SourceDocument[] => readDocuments(text, { file: 'w.yaml' });
const json = (text: string): SourceDocument => readDocuments(text, { file: 'w.json' })[0] as SourceDocument;
const only = (documents: SourceDocument[]): SourceDocument => {
  expect(documents).toHaveLength(1);
  return documents[0] as SourceDocument;
};

describe('YAML', () => {
  it('resolves scalars by the core schema of YAML 1.2', () => {
    const text =
      'a: yes\nb: true\nc: 0o17\nd: 0x1F\ne: 1e3\nf: ~\ng: "1"\nh: 12:30\ni: 2001-01-01\nj: .5\nk: null\nl: +7\nm: !!str 1\nn:\n404: x\n';
    expect(only(yaml(text)).value).toEqual({
      a: 'yes',
      b: true,
      c: 15,
      d: 31,
      e: 1000,
      f: null,
      g: '1',
      h: '12:30',
      i: '2001-01-01',
      j: 0.5,
      k: null,
      l: 7,
      m: '1',
      n: null,
      '404': 'x',
    });
  });

  it('reads several documents and says where each value stands', () => {
    const documents = yaml('a: 1\n---\nb:\n  - c: "x"\n    d: {e: 2}\n');
    expect(documents.map(document => document.value)).toEqual([{ a: 1 }, { b: [{ c: 'x', d: { e: 2 } }] }]);
    const second = documents[1] as SourceDocument;
    expect(second.index).toBe(1);
    expect(second.locate('/b/0/c')).toEqual({ file: 'w.yaml', line: 4, column: 8, end_line: 4, end_column: 11 });
    expect(second.locate('/b/0/c', 'key')).toMatchObject({ line: 4, column: 5, end_column: 6 });
    expect(second.locate('/b/0/d')).toMatchObject({ line: 5, column: 8, end_column: 14 });
    expect(second.locate('/b/0/d/none')).toMatchObject({ line: 5, column: 8 });
    expect(second.locate('/b/7')).toMatchObject({ line: 4, column: 3 });
  });

  it('puts an empty document and a directive of a later one where they stand', () => {
    const documents = yaml('a: "x --- y" # ---\n---\n# empty\n---\n5\n...\n%YAML 1.1\n---\n...\n---\n');
    expect(documents.map(({ value }) => value)).toEqual([{ a: 'x --- y' }, null, 5, undefined, null]);
    expect(documents.map(document => document.locate('').line)).toEqual([1, 2, 5, 8, 10]);
    expect(yaml('1\n...\n\ufeff---\n').map(document => document.locate('').line)).toEqual([1, 3]);
    expect(documents[3]?.defects.map(({ location }) => [location.line, location.column])).toEqual([[7, 1]]);
  });

  it('puts an alias in the place of what it stands for', () => {
    expect(only(yaml('a: &x [1, 2]\nb: *x\n')).value).toEqual({ a: [1, 2], b: [1, 2] });
  });

  it.each([
    ['a: 1\nb: 2\na: 3\n', 3, 1],
    ['"__proto__": 1\n__proto__: 2\n', 2, 1],
    ['a: !ruby/object {}\n', 1, 4],
    ['a: !!binary aGk=\n', 1, 4],
    ['a: !!int x\n', 1, 10],
    ['b: &b {x: 1}\na:\n  <<: *b\n', 3, 3],
    ['? [1]\n: 2\n', 1, 3],
    ['a: 9007199254740993\n', 1, 4],
    ['a: 1e999\n', 1, 4],
    ['a: .inf\n', 1, 4],
    ['a: [.NaN]\n', 1, 5],
    ['a: "\\ud800"\n', 1, 4],
    ['a: &a [*a]\n', 1, 8],
    ['a: *none\n', 1, 4],
    ['a: [1\n', 1, 4],
    ['a: { b: 1\nc: 2\n', 1, 4],
    ['a: { b: [1, "]"], c: "}\nd: 2\n', 1, 22],
    ["# {\nit's: |\n  [ \"\nb: it's {\nc: &x [ # [\n  'a''[', ']\nd: 1\n", 6, 11],
    ['a: [\n  1,\n]\n', 1, 4],
    ['- a: |\n    it\'s [ "\n  b: [1\nc: 2\n', 3, 6],
    ['- - |\n    { "\n  - [x\n- 1\n', 3, 5],
    ['--- |\n[ "\n--- [1,\n', 3, 5],
    ["a: b\n  'tis [\nc: d # '\ne: {f: it\n 's\ng: 1\n", 4, 4],
    ['# [\ra: >\r  {\r\rb: {c: 1\rd: 2\r', 5, 4],
    ['a: !<x[> &b [1\nc: 2\n', 1, 13],
    ["a: {b: [-'s]\nc: 2\n", 1, 4],
    ['a: {b: [1}\n', 1, 10],
    ['a: {\n\tb: 1 }\n', 2, 1],
    ['a: [1, 2,\n  3]\n---\nb: {\tc: 1 }\n', 4, 5],
    ['a:\n\t- 1\n', 2, 1],
    ['%YAML 1.1\n---\na: yes\n', 1, 1],
    ['a: b: c\n', 1, 5],
    ['', 1, 1],
    ['# only a comment\n', 1, 1],
    ['a: \0\n', 1, 4],
  ])('refuses %j', (text, line, column) => {
    const [document] = yaml(text);
    expect(document?.value).toBeUndefined();
    expect(document?.defects[0]?.location).toMatchObject({ line, column });
  });

  it('says what is open where a bracket or a comma is missing', () => {
    const told = ({ defects }: SourceDocument): unknown => defects[0]?.related;
    expect(told(only(yaml('a: { b: 1\nc: 2\n')))).toMatchObject({ location: { line: 2, column: 1 } });
    expect(told(only(yaml('a: { b: 1\n  c: 2 }\n')))).toMatchObject({
      message: 'this { is open',
      location: { line: 1, column: 4 },
    });
    expect(told(json('{"a": [1,\n"b": 2}'))).toMatchObject({
      message: 'this [ is open',
      location: { line: 1, column: 7 },
    });
    expect(told(json('{"a": [1]\n'))).toMatchObject({ location: { line: 1, column: 1 } });
    expect(told(json('1 2'))).toBeUndefined();
  });

  it('bounds the nesting, as JSON does', () => {
    const text = '['.repeat(5000) + ']'.repeat(5000);
    expect(only(yaml(text)).defects[0]?.location).toMatchObject({ line: 1, column: 1000 });
    expect(json(text).defects[0]?.location).toMatchObject({ line: 1, column: 1001 });
    expect(json(text.slice(4000, 6000)).defects).toEqual([]);
  });

  it('bounds what aliases stand for', () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `  - &l${level + 1} [${Array(10).fill(`*l${level}`).join(', ')}]`,
    );
    const document = only(yaml(`a:\n  - &l0 x\n${levels.join('\n')}\n`));
    expect(document.defects).toHaveLength(1);
    expect(document.defects[0]?.message).toContain('100000');
  });

  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value);
        const document = only(readDocuments(text, { file: 'x', format: 'yaml' }));
        fc.pre(!document.defects.some(defect => defect.message.includes('beyond 2^53-1')));
        expect(JSON.stringify(document.value)).toBe(text);
      }),
    );
  });
});

describe('JSON', () => {
  it('says where each value stands, with Windows line ends', () => {
    const document = json('{\r\n  "a": [1, {"b/c": true}]\r\n}\r\n');
    expect(document.value).toEqual({ a: [1, { 'b/c': true }] });
    expect(document.locate('/a/1/b~1c')).toEqual({ file: 'w.json', line: 2, column: 20, end_line: 2, end_column: 24 });
    expect(document.locate('')).toMatchObject({ line: 1, column: 1, end_line: 3, end_column: 2 });
  });

  it.each([
    ['{"a": 1, "a": 2}', 10],
    ['{"a": 1,}', 9],
    ['[1,]', 4],
    ['{a: 1}', 2],
    ["{'a': 1}", 2],
    ['[1 2]', 4],
    ['{"a" 1}', 6],
    ['[01]', 2],
    ['[1.]', 2],
    ['[+1]', 2],
    ['[NaN]', 2],
    ['[nul]', 2],
    ['["a\tb"]', 2],
    ['["a', 2],
    ['["\\x"]', 2],
    ['[9007199254740993]', 2],
    ['[-1e999]', 2],
    ['["\\ud800"]', 2],
    ['[1] 2', 5],
    ['[1', 3],
    ['', 1],
    ['// comment\n1', 1],
    ['[]]', 3],
    ['{"a":1]', 7],
  ])('refuses %j', (text, column) => {
    const document = json(text);
    expect(document.value).toBeUndefined();
    expect(document.defects[0]?.location).toMatchObject({ line: 1, column });
  });

  it.each(['[1,]', '{"a":}', '[1,,2]'])('says of %j that a value is missing', text => {
    expect(json(text).defects[0]?.message).toContain('A value is missing before');
  });

  it('accepts and refuses exactly what JSON.parse does, and gives the same value', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b\\n"',
      '1',
      '-0',
      '1.5e3',
      'true',
      'null',
      ' ',
      '\n',
      '.',
      '"',
      '\\',
      'x',
      '0',
    );
    const texts = fc.oneof(
      fc.array(token, { maxLength: 10 }).map(tokens => tokens.join('')),
      fc.json(),
    );
    fc.assert(
      fc.property(texts, text => {
        let expected: unknown;
        let accepted = true;
        try {
          expected = JSON.parse(text);
        } catch {
          accepted = false;
        }
        const document = json(text);
        const refused = document.defects.some(
          defect => !/appears twice|beyond 2|not finite|surrogate/.test(defect.message),
        );
        expect(!refused).toBe(accepted);
        if (document.defects.length === 0) expect(JSON.stringify(document.value)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps keys that JavaScript knows', () => {
    const { value } = json('{"__proto__": {"a": 1}, "constructor": 2}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
  });
});

describe('bytes and formats', () => {
  it('refuses bytes that are not UTF-8, at their place', () => {
    const [document] = readDocuments(Buffer.from([0x61, 0x3a, 0x0a, 0x20, 0xff]), { file: 'w.yaml' });
    expect(document?.defects[0]?.location).toMatchObject({ line: 2, column: 2 });
    expect(readDocuments(Buffer.from('a: 1', 'utf16le'), { file: 'w.yaml' })[0]?.defects).toHaveLength(1);
  });

  it('drops a byte order mark', () => {
    expect(readDocuments(Buffer.from('\ufeff{"a":1}'), { file: 'w.json' })[0]?.value).toEqual({ a: 1 });
    expect(readDocuments('\ufeffa: 1', { file: '-' })[0]?.value).toEqual({ a: 1 });
  });

  it('tells the format of a stream from its text', () => {
    expect(readDocuments('{"a":\t1}', { file: '-' })[0]?.value).toEqual({ a: 1 });
    expect(readDocuments('{a: 1}', { file: '-' })[0]?.value).toEqual({ a: 1 });
    expect(readDocuments('a: 1', { file: '-' })[0]?.value).toEqual({ a: 1 });
    expect(readDocuments('{"a": 1,,}', { file: '-' })[0]?.defects[0]?.location).toMatchObject({ column: 9 });
  });

  it('never throws', () => {
    const token = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '&x ',
      '*x',
      '!t ',
      '{',
      '}',
      '[',
      ']',
      ',',
      '"',
      "'",
      '|',
      '>',
      '? ',
      '---\n',
      '#',
      '%',
      '\t',
      '1',
      '<<',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 20 }), fc.uint8Array({ maxLength: 20 }), (tokens, bytes) => {
        for (const document of [
          ...readDocuments(tokens.join(''), { file: '-' }),
          ...readDocuments(bytes, { file: 'x.yaml' }),
        ]) {
          expect(document.value === undefined).toBe(document.defects.length > 0);
          expect(document.locate('/a/0').line).toBeGreaterThan(0);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a slip in YAML', () => {
  const defectsOf = (text: string) => readDocuments(text, { file: 'a.yaml' }).flatMap(({ defects }) => defects);

  it('is one defect where a dash is missing', () => {
    const [defect, ...others] = defectsOf('- a: 1\n  b: [1, { c: 2 }]\n  a: 3\n  b: 4\n  c: 5\n');
    expect(others).toEqual([]);
    expect(defect).toMatchObject({ location: { line: 3 }, related: { location: { line: 1, column: 3 } } });
    expect(defect?.help).toMatch(/^Does a new entry of the list begin here\?/);
    const two = defectsOf('a: 1\nb: [1, { c: 2 }]\na: 3\nb: 4\n');
    expect(two.map(({ related }) => related?.location.line)).toEqual([1, 2]);
    expect(defectsOf('- { a: 1, b: 2, a: 3, b: 4 }\n')).toHaveLength(2);
  });

  it.each([
    ['- a: x\n  type terminal\n  b: y\n', 2, 3, /behind "type"$/, /^Is it a key\?/],
    ['a: 1\nnodes\n  - b: 1\n', 2, 1, /behind "nodes"$/, /^Is it a key\?/],
    ['a:\n\tb: 1\n', 2, 1, /a tab/, /^Indent with spaces/],
    ['\ta: 1\n', 1, 3, /a tab/, /^Indent with spaces/],
    ['a:\n  b: 1\n   c: 2\n', 3, 5, /not indented as/, /^Indent the keys/],
    ['a: 1\n- b\n', 2, 1, /does not belong/, /^Indent the keys/],
    ['a: b: c\n', 1, 5, /a second ": "/, /^Put the text/],
    ['a: "\\d+"\n', 1, 6, /a backslash/, /single quotes/],
    ['a: "C:\\users"\n', 1, 9, /\\u four/, /single quotes/],
    ["a: 'it's'\n", 1, 8, /follows the '/, /^Write ''/],
    ['a: "x" y\n', 1, 8, /follows the "/, /^Write \\"/],
    ['a: @x\n', 1, 4, /begin with @$/, /in quotes/],
    ['a: - b\n', 1, 4, /a list begins/, /next line/],
    ['a: > 5\n', 1, 6, /\| or >/, /next line/],
    ['a: * x\n', 1, 4, /the name of an anchor/, /in quotes/],
    ['a: [1,,2]\n', 1, 7, /before this comma/, /^Remove/],
    ['a: x\u0007\n', 1, 5, /a control character/, /^Remove it/],
    ['a: "x\u0007"\n', 1, 6, /a control character/, /^Remove it/],
    ['a: !x!y z\n', 1, 4, /a tag/, /in quotes/],
    ['a: !<x\nb: 1\n', 1, 4, /a tag/, /in quotes/],
    ['a: !!str !!str x\n', 1, 10, /two tags/, /^Keep one/],
    ['%FOO\na: 1 % 2\n', 1, 1, /a directive/, /^Remove/],
    ['# a\n%YAML 1.2\n%YAML 1.2\n---\na: 1\n', 3, 1, /a directive/, /^Remove/],
    ['a: |+-\n  x\n', 1, 6, /one sign/, /alone/],
    ['{{ a }}: 1\n', 1, 1, /A key is/, /strings/],
    ['a: *.txt\n', 1, 4, /no anchor ".txt"/, /in quotes/],
    ['a: {{ inputs.x }}\n', 1, 4, /\{\{ \}\}/, /\$\{inputs\.x\}/],
    ['a:\n  g: {{ inputs.a }}/{{ inputs.b }}\n  h: 1\n', 2, 6, /\{\{ \}\}/, /\$\{inputs\.x\}/],
    ['- g: {{ inputs.name }}x\n  h: 1\n', 1, 6, /\{\{ \}\}/, /\$\{inputs\.x\}/],
    ['- {{ inputs.a }} {{ inputs.b }}\n', 1, 3, /\{\{ \}\}/, /\$\{inputs\.x\}/],
    ['a: { g: {{ inputs.a }}/{{ b }}, h: 1 }\n', 1, 9, /\{\{ \}\}/, /\$\{inputs\.x\}/],
    ["a: {{ nodes.b.outputs['x'] }}\n", 1, 4, /\{\{ \}\}/, /\$\{inputs\.x\}/],
    ['a: "{{ x }}" y\n', 1, 14, /follows the "/, /Write \\"/],
    ['a: { b: "c: {{ x" "y" }\n', 1, 19, /a comma is missing/, /./],
    ['a: {inputs.a}/x\n', 1, 4, /follows the \} that ends an object/, /in quotes/],
    ['a: [b, c] d\n', 1, 4, /follows the \] that ends a list/, /in quotes/],
    ['? [1]\n: { c: 2 }\n? { d: 1 }\n: 3\n', 1, 3, /A key is/, /strings/],
    ['a: &x 1\n*x : 2\n*x : 3\n', 2, 1, /alias/, /^Write/],
  ])('is shown where it is: %j', (text, line, column, message, help) => {
    const [defect, ...others] = defectsOf(text);
    expect(defect?.message).toMatch(message);
    expect(defect?.location).toMatchObject({ line, column });
    expect(defect?.help).toMatch(help);
    expect(others.filter(other => other.message !== defect?.message)).toEqual([]);
  });
});
