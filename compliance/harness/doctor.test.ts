import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scaleOf } from './calibration.js';
import { type DoctorReport, examine } from './doctor.js';
import { type Compiled, compile } from './testing/compiled.js';

let compiled: Compiled;
let temp_root: string;
const toy = './compliance/adapter/example/core-adapter.js';

beforeAll(() => {
  compiled = compile();
  temp_root = mkdtempSync(join(tmpdir(), 'doctor-test-'));
});
afterAll(() => {
  compiled.remove();
  rmSync(temp_root, { recursive: true, force: true });
});

async function report(script: string, scale = 1): Promise<DoctorReport> {
  const path = compiled.write(`adapter-${Math.random().toString(36).slice(2)}.mjs`, script);
  return examine({ command: process.execPath, args: [path] }, { temp_root, scale });
}

const bad = ({ diagnoses }: DoctorReport) => diagnoses.filter(({ ok }) => !ok).map(({ id, fix }) => [id, fix ?? '']);

/** An adapter by hand: what it answers by method, and what it does at the end of its input. */
const byHand = (answers: string, rest = '') => `
import { createInterface } from 'node:readline';
const identity = { runtime: { name: 'hand', version: '1' }, spec_version: '1.0', capabilities: ['core'], durable_scope: 'process' };
const answers = ${answers};
const write = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === undefined) continue;
  const result = answers[method];
  if (result === undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: 'no', data: { kind: 'unsupported' } } }) + '\\n');
  else if (result !== null) write(id, result);
}
${rest}`;

/** An adapter that serves where it reads: it runs an instance when it is started, or when somebody waits for its end. */
const oneByOne = (at_start: boolean) => `
import { readSync, writeSync } from 'node:fs';
const lines = [], later = [], started = new Map();
let rest = '';
const next = () => {
  while (lines.length === 0) {
    const bytes = Buffer.alloc(65536);
    const count = readSync(0, bytes);
    if (count === 0) process.exit(0);
    const parts = (rest + bytes.toString('utf8', 0, count)).split('\\n');
    rest = parts.pop();
    lines.push(...parts.filter(line => line !== ''));
  }
  return JSON.parse(lines.shift());
};
const write = message => writeSync(1, JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const invoke = (instance_id, workflow) => {
  const [node] = workflow.nodes;
  const params = { execution_id: instance_id + '-1', idempotency_key: instance_id, action_id: 'calibrate', version: '1.0.0', node_id: node.node_id, instance_id, attempt: 1, inputs: {}, context: {} };
  write({ id: instance_id, method: 'action/invoke', params });
  for (;;) {
    const message = next();
    if (message.method === undefined) return;
    later.push(message);
  }
};
const answers = {
  initialize: () => ({ runtime: { name: 'hand', version: '1' }, spec_version: '1.0', capabilities: ['core'], durable_scope: 'process' }),
  'workspace/open': () => ({ recovery: null }),
  'workflow/start': ({ workflow }) => {
    const id = 'i' + (started.size + 1);
    started.set(id, workflow);
    if (${at_start}) invoke(id, workflow);
    return { execution_id: id };
  },
  'workflow/wait': ({ execution_id }) => {
    if (!${at_start} && started.has(execution_id)) invoke(execution_id, started.get(execution_id));
    return { status: 'completed', outputs: {}, trace: [] };
  },
};
for (;;) {
  const { id, method, params } = later.shift() ?? next();
  if (method === undefined) continue;
  const known = method in answers || /^(workspace|registry|workflow)\\/(close|put|remove|cancel|resume)$|shutdown/.test(method);
  if (known) write({ id, result: answers[method]?.(params) ?? {} });
  else write({ id, error: { code: -32601, message: 'no', data: { kind: 'unsupported' } } });
  if (method === 'shutdown') process.exit(0);
}`;

const minimal = `{ initialize: identity, 'workspace/open': { recovery: null }, 'workspace/close': {}, shutdown: {},
  'workflow/start': { execution_id: 'e' }, 'workflow/wait': { status: 'completed', trace: [] } }`;

describe('examine', () => {
  it('finds nothing wrong with a sound adapter, and measures it', async () => {
    const found = await report(`import '${toy}';`);
    expect(bad(found)).toEqual([]);
    expect(found.diagnoses.map(({ id }) => id)).toEqual([
      'start',
      'workflow',
      'concurrency',
      'capabilities',
      'wire',
      'end_of_input',
    ]);
    expect(found.measurements).toMatchObject({ status: 'completed', invocations: 1 });
  });

  it('finds output on stdout that is no message', async () => {
    const found = await report(`import { writeSync } from 'node:fs'; writeSync(1, 'starting up\\n'); import '${toy}';`);
    expect(bad(found)).toEqual([['wire', expect.stringContaining('stderr')]]);
  });

  it('finds a capability that is declared and not served', async () => {
    const found = await report(byHand(minimal.replace('identity', `{ ...identity, capabilities: ['core', 'state'] }`)));
    const capabilities = found.diagnoses.find(({ id }) => id === 'capabilities');
    expect(capabilities).toMatchObject({
      ok: false,
      finding: expect.stringContaining('state/get of state is answered with unsupported'),
    });
  });

  it('finds a method of core that is not served', async () => {
    const found = await report(byHand(minimal));
    const { ok, finding = '' } = found.diagnoses.find(({ id }) => id === 'capabilities') ?? {};
    expect(ok).toBe(false);
    for (const method of ['registry/put', 'registry/remove', 'workflow/resume', 'workflow/cancel'])
      expect(finding).toContain(method);
  });

  it('says its advice once', async () => {
    const { diagnoses } = await examine({ command: process.execPath, args: ['-e', 'process.exit(7)'] }, { temp_root });
    for (const { finding, fix = '?' } of diagnoses) expect(finding).not.toContain(fix);
  });

  it('finds what is printed, and quotes what is written to stderr, while a workflow is run', async () => {
    const script = byHand(minimal).replace(
      'const result =',
      `if (method === 'workflow/start') { console.log('starting'); console.error('no such engine'); }\n  const result =`,
    );
    const { diagnoses, scale } = await report(script);
    expect(diagnoses.find(({ id }) => id === 'wire')?.finding).toContain('starting');
    expect(diagnoses.find(({ id }) => id === 'workflow')?.finding).toContain('no such engine');
    expect(scale).toBe(1);
  });

  it('finds a workflow that completes without an invocation', async () => {
    const found = await report(byHand(minimal));
    expect(bad(found).map(([id]) => id)).toEqual(['workflow', 'capabilities']);
    expect(bad(found)[0]).toEqual(['workflow', expect.stringContaining('action/invoke')]);
  });

  it.each([
    ['workflow/start', true],
    ['registry/put', false],
  ])('finds %s answered one by one', async (method, at_start) => {
    const { diagnoses } = await report(oneByOne(at_start));
    expect(diagnoses.filter(({ ok }) => !ok)).toEqual([
      {
        id: 'concurrency',
        ok: false,
        finding: expect.stringMatching(`^${method} is answered only once`),
        fix: expect.stringContaining('thread'),
      },
    ]);
  });

  it('finds a process that outlives its input', async () => {
    const found = await report(byHand(minimal, 'setInterval(() => {}, 1000);'), 0.25);
    expect(bad(found).map(([id]) => id)).toContain('end_of_input');
  });

  it('finds output that is held back until the end', async () => {
    const script = byHand(minimal).replace(
      /const write[^\n]*/,
      `const held = []; const write = (id, result) => held.push(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');`,
    );
    const found = await report(`${script}\nprocess.stdout.write(held.join(''));`, 0.1);
    expect(bad(found)).toEqual([['initialize', expect.stringContaining('Flush')]]);
  });

  it('finds answers under ids that are not those of the requests', async () => {
    const found = await report(byHand(minimal).replace('write(id, result)', 'write(String(id), result)'), 0.1);
    expect(bad(found)).toEqual([['start', expect.stringContaining('id')]]);
  });

  it('says what to do about a command that can not be started', async () => {
    const found = await examine({ command: 'no-such-adapter-here' }, { temp_root });
    expect(bad(found)).toEqual([['start', expect.stringContaining('spelling')]]);
  });
});

describe('scaleOf', () => {
  it('grows with slow adapters and has a floor and a ceiling', () => {
    const of = (start_ms: number, first_case_ms: number) => scaleOf({ start_ms, first_case_ms });
    expect([of(10, 10), of(1000, 500), of(2000, 1000), of(90_000, 1)]).toEqual([1, 1, 2, 20]);
  });
});
