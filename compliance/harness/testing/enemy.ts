import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * A fixture: the adapter whose command follows, between it and the suite somebody with a vice. `ENEMY` names the vice, and
 * after a colon the method that it is about.
 */
const [vice = '', about = ''] = (process.env.ENEMY ?? '').split('|');
const [command = '', ...args] = process.argv.slice(2);

interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: unknown;
}

const child: ChildProcess = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const methods = new Map<unknown, string>();
const cache = new Map<string, unknown>();
const dropped = new Set<unknown>();
let stale: Record<string, unknown> | undefined;
let first_id: unknown;
let more = 1_000_000;

child.on('exit', code => process.exit(code ?? 1));
const say = (text: string | Buffer) => process.stdout.write(text);
const toSuite = (message: object) => say(`${JSON.stringify(message)}\n`);
const toRuntime = (message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`);

/** From the suite; false keeps it from the runtime. */
function onRequest(message: Message): boolean {
  const { id, method } = message;
  if (method === undefined) {
    return !dropped.delete(id);
  }
  methods.set(id, method);
  // Each page of an endless export is the first one.
  if (vice === 'endless' && method === 'audit/export') delete message.params?.cursor;
  if (vice === 'hang' && method === about) return false;
  if (vice === 'die' && method === about) process.kill(process.pid, 'SIGABRT');
  if (vice === 'exit' && method === about) process.exit(0);
  if (vice === 'unsupported' && method === about) {
    toSuite({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no', data: { kind: 'unsupported' } } });
    return false;
  }
  if (vice === 'internal' && method === about) {
    toSuite({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no', data: { kind: 'internal' } } });
    return false;
  }
  return true;
}

/** From the runtime; false keeps it from the suite. */
function onAnswer(message: Message): boolean {
  if (message.method === 'action/invoke') return onInvoke(message);
  const method = methods.get(message.id);
  const { result } = message;
  if (result === undefined || method === undefined) return true;
  if (vice === 'slow' && method === about) {
    setTimeout(() => toSuite(message), 10_500);
    return false;
  }
  if (vice === 'spec' && method === 'initialize') result.spec_version = '2.0';
  if (vice === 'boast' && method === 'initialize') result.capabilities = ['core', 'audit', 'state', 'governance'];
  if (vice === 'stale' && method === 'workflow/wait') {
    if (result.status === 'completed') stale ??= structuredClone(result);
    if (stale !== undefined) message.result = stale;
  }
  if (vice === 'trace' && method === 'workflow/wait') {
    for (const entry of (result.trace ?? []) as { outcome: string }[])
      if (entry.outcome === 'success') entry.outcome = 'failure';
  }
  if (vice === 'tail' && method === 'audit/export') {
    const lines = String(result.text).split('\n');
    result.text = `${lines.slice(0, Math.max(1, lines.length - 4)).join('\n')}\n`;
  }
  if (vice === 'bad-hash' && method === 'audit/export')
    result.text = String(result.text).replace('"workflow_started"', '"workflow_failed"');
  if (vice === 'export' && method === 'audit/export') result.text = spoilt(String(result.text));
  if (vice === 'endless' && method === 'audit/export') result.next = 'x';
  if (vice === 'twice') toSuite(message);
  if (vice === 'both') message.error = { code: 1, message: 'both', data: { kind: 'internal' } };
  if (vice === 'string-ids') message.id = String(message.id);
  return true;
}

/** The text of a log that is none any more, in the way that is asked for. */
function spoilt(text: string): string {
  const lines = text.split('\n').slice(0, -1);
  const each = (change: (record: Record<string, unknown>) => unknown) =>
    lines.map(line => `${JSON.stringify(change(JSON.parse(line)))}\n`).join('');
  switch (about) {
    case 'scalars':
      return 'null\n5\n"x"\n[]\n';
    case 'numbers':
      return each(record => ({
        ...record,
        execution_id: 5,
        refers_to: 7,
        state_changes: 'x',
        sequence: 'y',
        inputs: null,
      }));
    default:
      return text;
  }
}

function onInvoke(message: Message): boolean {
  const { id, params = {} } = message;
  const answer = (result: unknown) => toRuntime({ jsonrpc: '2.0', id, result });
  const key = JSON.stringify([params.action_id, params.inputs]);
  switch (vice) {
    case 'claims':
      answer({ outputs: {} });
      return false;
    case 'invokes-twice': {
      more += 1;
      dropped.add(more);
      toSuite({ ...message, id: more });
      return true;
    }
    case 'cache':
      if (cache.has(key)) {
        answer({ outputs: {} });
        return false;
      }
      cache.set(key, true);
      return true;
    case 'deep-invoke':
      say(
        `${JSON.stringify({ ...message, params: { ...params, inputs: { a: 'DEEP' } } }).replace('"DEEP"', nested(100_000))}\n`,
      );
      return false;
    case 'old-ids':
      first_id ??= params.execution_id;
      params.execution_id = first_id;
      return true;
    default:
      return true;
  }
}

if (vice === 'deaf') setInterval(() => {}, 1000);
else
  createInterface({ input: process.stdin })
    .on('line', line => {
      const message = JSON.parse(line) as Message;
      if (onRequest(message)) child.stdin?.write(vice === 'endless' ? `${JSON.stringify(message)}\n` : `${line}\n`);
    })
    .on('close', () => {
      if (vice !== 'stays') child.stdin?.end();
    });
if (child.stdout !== null)
  createInterface({ input: child.stdout }).on('line', line => {
    const message = JSON.parse(line) as Message;
    if (!onAnswer(message)) return;
    if (vice === 'garbage') say('loading… 100%\n{"not": "a message"}\n[1,2]\nnull\n');
    if (vice === 'utf8') say(Buffer.from([0xff, 0xfe, 0x0a]));
    if (vice === 'huge') say(`${'x'.repeat(9 * 1024 * 1024)}\n`);
    if (vice === 'deep' && methods.get(message.id) === about) {
      say(
        `${JSON.stringify({ ...message, result: { ...message.result, outputs: { a: 'DEEP' } } }).replace(
          '"DEEP"',
          nested(100_000),
        )}\n`,
      );
    } else if (vice === 'split') {
      const text = Buffer.from(`${JSON.stringify(message)}\r\n`);
      say(text.subarray(0, 7));
      setTimeout(() => say(text.subarray(7)), 5);
    } else toSuite(message);
  });
if (vice === 'flood') {
  const line = `${'flood '.repeat(2000)}\n`;
  const flood = () => {
    while (process.stdout.write(line));
  };
  process.stdout.on('drain', flood);
  flood();
}
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
if (vice === 'leaves') {
  spawn(process.execPath, ['-e', 'setTimeout(()=>{},20000)//left-by-enemy'], {
    stdio: 'inherit',
    detached: true,
  }).unref();
}
if (vice === 'stays') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}
if (vice === 'grandchild') {
  spawn(process.execPath, ['-e', "setInterval(()=>{require('fs').writeSync(1,'.')},200)//grandchild-of-enemy"], {
    stdio: 'inherit',
  });
}
