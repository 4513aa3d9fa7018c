import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { createServer } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from './ports.mjs';
import { versionOf } from './version.mjs';

// The SDK wants this of the language, which Node has from 22 on.
Promise.withResolvers ??= function withResolvers() {
  let resolve;
  let reject;
  const promise = new this((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
};

/** Restate: its server beside the process, the steps as `ctx.run` of a handler in it. */
export async function openPeer({ folder, steps, drive }) {
  const restate = await import('@restatedev/restate-sdk');
  const clients = await import('@restatedev/restate-sdk-clients');
  const [handlerPort, ingress, admin, node] = await freePorts(4);
  const bench = restate.service({
    name: 'bench',
    handlers: {
      tenSteps: async ctx => {
        let value = 0;
        for (let step = 1; step <= steps; step += 1) value = await ctx.run(`step-${step}`, () => value + 1);
        return value;
      },
    },
  });
  const handlers = createServer(restate.createEndpointHandler({ services: [bench], logger: () => undefined }));
  handlers.listen(handlerPort, '127.0.0.1');
  await once(handlers, 'listening');
  const stop = await startServer(join(folder, 'restate'), { ingress, admin, node });
  try {
    await register(`http://127.0.0.1:${admin}/deployments`, `http://127.0.0.1:${handlerPort}`);
    const client = clients.connect({ url: `http://127.0.0.1:${ingress}` }).serviceClient({ name: 'bench' });
    return {
      name: 'Restate',
      note: `SDK ${versionOf('@restatedev/restate-sdk')}, server ${versionOf('@restatedev/restate-server')}, which is asked through sockets`,
      run: (instances, parallel) =>
        drive(instances, parallel, async () => {
          const value = await client.tenSteps();
          if (value !== steps) throw new Error(`an instance ended with ${value}`);
        }),
      close: async () => {
        stop();
        handlers.close();
      },
    };
  } catch (error) {
    stop();
    handlers.close();
    throw error;
  }
}

async function startServer(base, { ingress, admin, node }) {
  mkdirSync(base, { recursive: true });
  const bin = fileURLToPath(new URL('./node_modules/.bin/restate-server', import.meta.url));
  const local = port => `127.0.0.1:${port}`;
  // What is started here starts the server itself, and both end together as one group.
  const child = spawn(bin, ['--base-dir', base, '--node-name', 'bench'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      RESTATE_BIND_ADDRESS: local(node),
      RESTATE_ADVERTISED_ADDRESS: `http://${local(node)}`,
      RESTATE_INGRESS__BIND_ADDRESS: local(ingress),
      RESTATE_INGRESS__ADVERTISED_INGRESS_ENDPOINT: `http://${local(ingress)}`,
      RESTATE_ADMIN__BIND_ADDRESS: local(admin),
      RESTATE_ADMIN__ADVERTISED_ADMIN_ENDPOINT: `http://${local(admin)}`,
      RESTATE_LOG_FILTER: 'warn',
      DO_NOT_TRACK: '1',
    },
  });
  const log = createWriteStream(join(base, 'server.log'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const stop = () => process.kill(-child.pid, 'SIGKILL');
  for (let tries = 0; tries < 300; tries += 1) {
    if (child.exitCode !== null) throw new Error(`restate-server ended with ${child.exitCode}`);
    try {
      if (
        (await fetch(`http://${local(admin)}/health`)).ok &&
        (await fetch(`http://${local(ingress)}/restate/health`)).ok
      )
        return stop;
    } catch {
      // It does not listen yet.
    }
    await sleep(200);
  }
  stop();
  throw new Error('restate-server does not answer');
}

async function register(url, uri) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri }),
  });
  if (!response.ok) throw new Error(`the deployment was refused: ${response.status} ${await response.text()}`);
}
