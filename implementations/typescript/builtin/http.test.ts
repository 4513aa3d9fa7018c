import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActionInvokeParams } from '../../../schemas/types.js';
import type { ActionFunction } from '../execution/functions.js';
import { type HttpOptions, httpActions, isUnsent } from './http.js';

let server: Server;
let base: string;
let seen: { method?: string; key?: string; authorization?: string; body: string } = { body: '' };

function answer(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.on('data', part => {
    body += part;
  });
  request.on('end', () => {
    const { authorization } = request.headers;
    const key = request.headers['idempotency-key'] as string;
    seen = { method: request.method ?? '', key, ...(authorization === undefined ? {} : { authorization }), body };
    const path = request.url ?? '';
    if (path === '/json') response.setHeader('content-type', 'application/json').end('{"a":1}');
    else if (path === '/huge-number')
      response.setHeader('content-type', 'application/json').end('{"a":12345678901234567890}');
    else if (path === '/away') response.writeHead(302, { location: 'http://elsewhere.invalid/' }).end();
    else if (path === '/moved') response.writeHead(302, { location: '/json' }).end();
    else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else if (path === '/cookies') response.setHeader('set-cookie', ['a=1', 'b=2; Path=/']).end();
    else if (path === '/cut') response.destroy();
    else if (/^\/\d+$/.test(path)) response.writeHead(Number(path.slice(1))).end('no');
    else response.end('plain');
  });
}

beforeAll(async () => {
  server = createServer(answer);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise(resolve => server.close(resolve)));

const ask = (name: 'get' | 'send', inputs: Record<string, unknown>, options: HttpOptions = {}) => {
  const call = { execution_id: 'e', idempotency_key: 'i/a/0', action_id: 'a', version: '1.0.0', attempt: 1 };
  const code = httpActions(options).functions[`http.${name}@1.0.0`] as ActionFunction;
  return code({ ...call, inputs, context: {} } as ActionInvokeParams, new AbortController().signal);
};
const post = (path: string) => ask('send', { url: base + path, method: 'POST', json: { a: 1 } });

describe('http actions', () => {
  it('get text, JSON, and where a redirect leads', async () => {
    expect(await ask('get', { url: `${base}/` })).toMatchObject({ outputs: { status: 200, body: 'plain' } });
    expect(await ask('get', { url: `${base}/moved` })).toMatchObject({ outputs: { status: 200, json: { a: 1 } } });
    const wide = (await ask('get', { url: `${base}/huge-number` })) as { outputs: object };
    expect(wide.outputs).not.toHaveProperty('json');
  });

  it('keep every cookie', async () => {
    const cookies = { outputs: { headers: { 'set-cookie': 'a=1\nb=2; Path=/' } } };
    expect(await ask('get', { url: `${base}/cookies` })).toMatchObject(cookies);
  });

  it('know that nothing is sent to whom a certificate does not name, and of other failures of TLS that something may be', () => {
    const bad = ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED', 'ECONNREFUSED'];
    expect([...bad, 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'].every(isUnsent)).toBe(true);
    expect(['ECONNRESET', 'UND_ERR_SOCKET', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', ''].some(isUnsent)).toBe(
      false,
    );
  });

  it('send what they are given under the idempotency key of the execution', async () => {
    const options = { headers: { authorization: 'Bearer t' } };
    const inputs = { url: `${base}/json`, method: 'PUT', json: { a: [1] }, headers: { 'Idempotency-Key': 'mine' } };
    expect(await ask('send', inputs, options)).toMatchObject({ outputs: { json: { a: 1 } } });
    expect(seen).toEqual({ method: 'PUT', key: 'i/a/0', authorization: 'Bearer t', body: '{"a":[1]}' });
  });

  it.each([
    ['404', '/404', 'E4', 'none', 'none'],
    ['409', '/409', 'E4', 'none', 'unknown'],
    ['503', '/503', 'E2', 'none', 'unknown'],
    ['a connection that is cut', '/cut', 'E1', 'none', 'unknown'],
  ] as const)('tell what %s means', async (_, path, error_class, effect, sent) => {
    expect(await ask('get', { url: base + path })).toMatchObject({ error: { error_class, effect } });
    expect(await post(path)).toMatchObject({ error: { error_class, effect: sent } });
  });

  it('know that a port that is never asked has had no effect', async () => {
    const nothing = { error: { error_class: 'E5', effect: 'none' } };
    expect(await ask('send', { url: 'http://127.0.0.1:22/', method: 'POST' })).toMatchObject(nothing);
    const headers = { 'transfer-encoding': 'chunked' };
    expect(await ask('send', { url: base, method: 'POST', headers })).toMatchObject({ error: { effect: 'none' } });
  });

  it('know that a refused connection has had no effect', async () => {
    const closed = createServer();
    await new Promise<void>(resolve => closed.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/`;
    await new Promise(resolve => closed.close(resolve));
    expect(await ask('send', { url, method: 'POST' })).toMatchObject({ error: { error_class: 'E1', effect: 'none' } });
  });

  it('ask nobody else than they may', async () => {
    const { host } = new URL(base);
    for (const url of [
      'no url',
      'file:///etc/passwd',
      `http://user@${host}/`,
      `http://:secret@${host}/`,
      'http://elsewhere.invalid/',
    ])
      for (const name of ['get', 'send'] as const)
        expect([url, await ask(name, { url, method: 'POST' }, { hosts: [host] })]).toMatchObject([
          url,
          { error: { error_class: 'E5', effect: 'none' } },
        ]);
    expect(await ask('get', { url: `${base}/away` }, { hosts: [host] })).toMatchObject({
      error: { error_class: 'E5' },
    });
    expect(await ask('get', { url: `${base}/loop` })).toMatchObject({ error: { error_class: 'E4', effect: 'none' } });
    expect(await post('/moved')).toMatchObject({ error: { error_class: 'E4', effect: 'unknown' } });
  });

  it('refuse what can be no header before anything is sent', async () => {
    for (const headers of [{ 'a b': 'x' }, { a: 'x\ny' }])
      for (const name of ['get', 'send'] as const)
        expect(await ask(name, { url: base, method: 'POST', headers })).toMatchObject({
          error: { error_class: 'E5', effect: 'none' },
        });
  });

  it('take no longer answer than they may', async () => {
    expect(await ask('get', { url: base }, { max_bytes: 4 })).toMatchObject({ error: { error_class: 'E4' } });
    expect(await ask('get', { url: base }, { max_bytes: 5 })).toMatchObject({ outputs: { body: 'plain' } });
  });
});
