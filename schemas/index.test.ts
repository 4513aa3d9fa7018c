import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isValid, loadSchema, MAX_DEFECTS, type SchemaName, validate } from './index.js';
import { resolveSchema, schemaFiles } from './load.js';

const digest = `sha256:${'0'.repeat(64)}`;
const record = {
  schema_version: '1.0',
  sequence: 1,
  incarnation: 1,
  record_type: 'gate',
  execution_id: 'e1',
  context_id: 'e1',
  agent_id: 'agent',
  timestamp: '2026-01-01T00:00:00.000Z',
  status: 'allowed',
  gate: 'governance',
  reasons: [],
  prev_hash: digest,
  hash: digest,
};

function workflow(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    schema_version: '1.0',
    workflow: { name: 'w', version: '1.0.0' },
    nodes: [
      { node_id: 'a', type: 'action', action_def: 'do@^1.0.0' },
      { node_id: 'end', type: 'terminal', status: 'completed' },
    ],
    edges: [{ from_node: 'a', to_node: 'end', label: 'success' }],
    ...change,
  };
}

/** The defects as `pointer keyword`, one a line. */
function places(name: SchemaName, value: unknown): string[] {
  return validate(name, value).map(defect => `${defect.pointer} ${defect.keyword}`);
}

describe('the schemas', () => {
  test('all compile in strict mode, files and entries alike', () => {
    for (const [id, schema] of schemaFiles()) {
      const noun = id.replace(/^ars:\/v1\.0\//, '').replace(/\.schema\.json$/, '');
      const names = Object.keys((schema.$defs ?? {}) as object).map(entry => `${noun}#${entry}`);
      for (const name of [noun, ...names]) expect(() => isValid(name as SchemaName, {})).not.toThrow();
    }
  });

  test('ask for unique items only where the items are strings, which is what the keyword here compares', () => {
    const lists: Record<string, unknown>[] = [];
    const walk = (schema: unknown): void => {
      if (schema === null || typeof schema !== 'object') return;
      if ((schema as Record<string, unknown>).uniqueItems === true) lists.push(schema as Record<string, unknown>);
      Object.values(schema).forEach(walk);
    };
    for (const schema of schemaFiles().values()) walk(schema);
    expect(lists.length).toBeGreaterThan(0);
    for (const { items } of lists) {
      const { $ref } = items as { $ref?: string };
      const item = ($ref === undefined ? items : resolveSchema($ref)) as { type?: string; enum?: unknown[] };
      const strings = item.type === 'string' || item.enum?.every(value => typeof value === 'string') === true;
      expect(strings, JSON.stringify(item)).toBe(true);
    }
  });

  test('are found by name, and only by a name that exists', () => {
    expect(loadSchema('workflow#edge')).toMatchObject({ title: 'Edge' });
    expect(() => loadSchema('nothing' as SchemaName)).toThrow(RangeError);
    expect(() => validate('workflow#nothing' as SchemaName, {})).toThrow();
  });
});

describe('validate', () => {
  test('gives nothing for a value that fits, and leaves the value alone', () => {
    const value = Object.freeze(workflow());
    expect(validate('workflow', value)).toEqual([]);
    expect(isValid('workflow', value)).toBe(true);
    expect(validate('audit-record', record)).toEqual([]);
  });

  test('merges an unknown property and the missing one that it resembles', () => {
    const defects = validate('workflow', workflow({ nodes: [{ node_id: 'a', type: 'action', action_ref: 'do@1' }] }));
    expect(defects).toHaveLength(1);
    expect(defects[0]).toMatchObject({ pointer: '/nodes/0/action_ref', keyword: 'additionalProperties' });
    expect(defects[0]?.message).toBe('"action_ref" is not a property of an action node; did you mean "action_def"?');
    expect(places('workflow#edge', { from: 'a', to: 'b', label: 'success' })).toEqual([
      '/from additionalProperties',
      '/to additionalProperties',
    ]);
  });

  test('keeps an unknown property and a missing one apart where they do not resemble each other', () => {
    expect(places('workflow#edge', { from_node: 'a', label: 'success', colour: 'red' }).sort()).toEqual([
      ' required',
      '/colour additionalProperties',
    ]);
  });

  test('says where a property belongs that stands beside the object that has it', () => {
    const [defect, ...others] = validate('workflow', workflow({ start: 'a' }));
    expect(others).toEqual([]);
    expect(defect).toMatchObject({ pointer: '/start', help: 'Move it there: workflow: { start: … }.' });
    expect(defect?.message).toMatch(/is not a property of a workflow; it belongs in "workflow"$/);
  });

  test('of a text that a comma has cut says that it is to be quoted, and of a word for a boolean which it is', () => {
    const cut = { name: 'a', version: '1.0.0', description: 'Pick', 'then ship.': null };
    expect(validate('workflow', workflow({ workflow: cut }))[0]?.help).toMatch(/^Put the text before it in quotes/);
    const helps = ['yes', 'Off', 'perhaps'].map(
      required => validate('workflow', workflow({ inputs: { a: { schema: {}, required } } }))[0]?.help,
    );
    expect(helps).toEqual(['Write required: true.', 'Write required: false.', 'Write required: true or false.']);
  });

  test('judges a node by its type and says nothing of the other types', () => {
    expect(places('workflow#node', { node_id: 'a', type: 'acton', action_def: 'x@1' })).toEqual([
      '/type discriminator',
    ]);
    expect(validate('workflow#node', { node_id: 'a', type: 'acton' })[0]?.message).toContain('did you mean "action"?');
    const meant = ['Task', 'choice', 'end', 'subflow', 'catch'].map(
      type => /did you mean "(.*)"\?/.exec(validate('workflow#node', { node_id: 'a', type })[0]?.message ?? '')?.[1],
    );
    expect(meant).toEqual(['action', 'condition', 'terminal', 'skill', 'error']);
    expect(places('workflow#node', { node_id: 'a' })).toEqual([' required']);
    expect(places('workflow#node', { node_id: 'a', type: true })).toEqual(['/type discriminator']);
    expect(places('workflow#node', { node_id: 'a', type: 'terminal' })).toEqual([' required']);
  });

  test('tells how to write a string that YAML read as something else', () => {
    const label = validate('workflow#edge', { from_node: 'a', to_node: 'b', label: true })[0];
    expect(label).toMatchObject({ pointer: '/label', keyword: 'type', help: 'Quote it: label: "true".' });
    const version = validate('workflow', workflow({ schema_version: 1 }))[0];
    expect(version).toMatchObject({ pointer: '/schema_version', help: 'Write it in quotes: "1.0".' });
  });

  test('shows what to write where quotes alone would not do', () => {
    const header = { name: 'x', version: 1 };
    expect(validate('workflow', workflow({ workflow: header }))[0]?.help).toBe('Write it like this: version: 1.0.0');
    expect(validate('workflow', workflow({ inputs: { a: 'string' } }))[0]?.help).toContain(
      '{ schema: { type: string } }',
    );
    expect(validate('workflow#node', { node_id: 'a', type: 'terminal' })[0]?.help).toContain(
      'It is "completed", "failed" or "compensated".',
    );
  });

  test('names a property by a pointer whose special characters are escaped', () => {
    expect(places('workflow', workflow({ 'a/b~c': 1 }))).toEqual(['/a~1b~0c additionalProperties']);
    expect(places('workflow', workflow({ inputs: { 'a/b': {} } }))).toEqual(['/inputs/a~1b pattern']);
  });

  test('judges a record by its type once the type is known', () => {
    const { record_type: _, ...untyped } = record;
    expect(places('audit-record', untyped)).toEqual([' required']);
    expect(places('audit-record', { ...record, record_type: 'gat' })).toEqual(['/record_type enum']);
    const status = validate('audit-record', { ...record, status: 'alowed' });
    expect(status).toHaveLength(1);
    expect(status[0]?.message).toBe(
      'With record_type "gate": "status" must be "allowed" or "denied", not "alowed"; did you mean "allowed"?',
    );
    expect(places('state#state_change', { key: 'k', op: 'delete', value: 1 })).toEqual(['/value not']);
    expect(places('state#state_change', { key: 'k', op: 'put' })).toEqual([' required']);
  });

  test('judges alternatives by the one that comes closest', () => {
    expect(places('adapter/action#invoke_result', { error: { error_class: 'E9', detail: '' } })).toEqual([
      '/error/error_class enum',
    ]);
    expect(places('adapter/action#invoke_result', { outputs: 1 })).toEqual(['/outputs type']);
    const stub = { sequence: 1, prev_hash: digest, hash: 'x', redacted: true };
    const broken = { ...record, hash: 'x' };
    expect(places('adapter/audit#query_result', { records: [record, stub, broken, 3] })).toEqual([
      '/records/1/hash pattern',
      '/records/2/hash pattern',
      '/records/3 type',
    ]);
  });

  test('shows a long value cut, and counts the defects beyond the limit', () => {
    const long = validate('workflow#edge', { from_node: 'a', to_node: 'b', label: 'x'.repeat(5000) })[0];
    expect(long?.message).toBe('"label" must have at most 256 characters, not 5000');
    const id = validate('workflow#edge', { from_node: ' '.repeat(5000), to_node: 'b', label: 'x' })[0];
    expect(id?.message.length).toBeLessThan(200);
    const many = validate('workflow', workflow({ edges: Array.from({ length: 250 }, () => 1) }));
    expect(many).toHaveLength(MAX_DEFECTS + 1);
    expect(many.at(-1)).toMatchObject({ keyword: 'more', params: { left: 150 } });
  });
});

describe('hostile values', () => {
  function nested(depth: number): unknown {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  }

  test('nested 100,000 deep neither pass where they must not nor crash', () => {
    const deep = nested(100_000);
    expect(validate('workflow', workflow({ outputs: { x: deep } }))).toEqual([]);
    expect(places('workflow', deep).length).toBeGreaterThan(0);
    expect(places('workflow', workflow({ nodes: deep }))).toEqual(['/nodes type']);
    expect(places('workflow#node', { node_id: deep, type: deep })).not.toEqual([]);
    expect(places('state#state_change', { key: 'k', op: deep, value: deep })).not.toEqual([]);
    expect(places('adapter/action#invoke_result', deep)).not.toEqual([]);
  });

  test('with keys of Object.prototype are judged like any other', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const value = JSON.parse(JSON.stringify(workflow()).replace('{', `{${JSON.stringify(key)}:{"nodes":[]},`));
      expect(places('workflow', value), key).toEqual([`/${key} additionalProperties`]);
    }
    expect(places('workflow', JSON.parse('{"__proto__":{"schema_version":"1.0","nodes":[],"edges":[]}}'))).toContain(
      ' required',
    );
  });

  test('that cannot become a string are described all the same', () => {
    for (const value of [{ toString: 1 }, JSON.parse('{"__proto__":null}'), Object.create(null), nested(100_000)]) {
      expect(places('workflow#terminal_status', value)).toEqual([' enum']);
      expect(places('value#schema_version', value)).toEqual([' const']);
      expect(places('value#digest', value)).toEqual([' type']);
    }
  });

  test('of 100,000 entries and more are judged in linear time', () => {
    const effects = Array.from({ length: 200_000 }, (_, index) => `effect_${index}`);
    const action = { action_id: 'a', version: '1.0.0', determinism: 'deterministic', rollback: 'irreversible' };
    expect(validate('action', { ...action, side_effects: effects })).toHaveLength(MAX_DEFECTS + 1);
    const unknown = Object.fromEntries(effects.map(name => [name, 1]));
    expect(validate('action', { ...action, ...unknown })).toHaveLength(MAX_DEFECTS + 1);
    const nodes = Array.from({ length: 100_000 }, (_, index) => ({ id: `n${index}` }));
    expect(validate('workflow', workflow({ nodes }))).toHaveLength(MAX_DEFECTS + 1);
  });

  test('that are no JSON objects at all get one defect', () => {
    for (const value of [null, undefined, 0, '', true, [], 'x']) expect(places('workflow', value)).toEqual([' type']);
  });
});

describe('any value', () => {
  const names = [...schemaFiles()].flatMap(([id, schema]) => {
    const noun = id.replace(/^ars:\/v1\.0\//, '').replace(/\.schema\.json$/, '');
    return Object.keys((schema.$defs ?? {}) as object).map(entry => `${noun}#${entry}` as SchemaName);
  });
  const words = fc.constantFrom(
    'type',
    'node_id',
    'status',
    'record_type',
    'nodes',
    'op',
    'value',
    'error',
    'outputs',
    'a/b~',
  );
  const scalar = fc.oneof(fc.constantFrom(null, true, 0, 1.5, '', '1.0', 'action', 'gate', 'put'), fc.string());
  const { value } = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(words, fc.string()), tie('value'), { maxKeys: 5 }),
    ),
  }));

  /** The value at a pointer, or undefined where there is none. */
  function at(root: unknown, pointer: string): unknown {
    const steps = pointer.split('/').slice(1);
    return steps.reduce<unknown>((value, step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      return value !== null && typeof value === 'object' && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined;
    }, root);
  }

  test('gets defects that say something, at places that exist, exactly where it does not fit', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<SchemaName[]>('workflow', 'action', 'audit-record', ...names),
        value,
        (name, root) => {
          const defects = validate(name, root);
          expect(defects.length === 0).toBe(isValid(name, root));
          for (const { pointer, message, help } of defects) {
            expect(at(root, pointer), pointer).not.toBeUndefined();
            expect(message).toMatch(/\S{2}/);
            expect(help).toMatch(/\S{2}/);
          }
        },
      ),
      { numRuns: 2000, seed: 1 },
    );
  });
});
