import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { freePorts } from './ports.mjs';
import { versionOf } from './version.mjs';

/** DBOS on a PostgreSQL server of its own, which flushes each commit (fsync and synchronous_commit are on). */
export async function openPeer({ folder, steps, drive }) {
  const server = await startPostgres(join(folder, 'postgres'));
  try {
    const workflow = DBOS.registerWorkflow(
      async () => {
        let value = 0;
        for (let step = 1; step <= steps; step += 1)
          value = await DBOS.runStep(async () => value + 1, { name: `step-${step}` });
        return value;
      },
      { name: 'ten-steps' },
    );
    DBOS.setConfig({
      name: 'bench',
      systemDatabaseUrl: server.url,
      systemDatabasePoolSize: 32,
      logLevel: 'error',
      runAdminServer: false,
    });
    await DBOS.launch();
    return {
      name: 'DBOS',
      note: `${versionOf('@dbos-inc/dbos-sdk')} on ${server.version}, which is asked through a socket`,
      run: (instances, parallel) =>
        drive(instances, parallel, async () => {
          const value = await workflow();
          if (value !== steps) throw new Error(`an instance ended with ${value}`);
        }),
      close: async () => {
        await DBOS.shutdown();
        server.stop();
      },
    };
  } catch (error) {
    server.stop();
    throw error;
  }
}

/** Starts a PostgreSQL server over a new folder; as root under the account that its package made. */
async function startPostgres(data) {
  const bin = binaries();
  const [port] = await freePorts(1);
  const root = process.getuid?.() === 0;
  mkdirSync(data, { recursive: true });
  if (root) {
    const id = what => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }));
    chownSync(data, id('-u'), id('-g'));
    chmodSync(join(data, '..'), 0o755);
  }
  const call = (name, args) => {
    const command = [join(bin, name), ...args];
    const [file, ...rest] = root ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    return execFileSync(file, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' });
  };
  call('initdb', ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync']);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=100`;
  call('pg_ctl', ['-D', data, '-w', '-o', options, '-l', join(data, 'server.log'), 'start']);
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/bench`,
    version: `PostgreSQL ${/[\d.]+/.exec(call('postgres', ['--version']))?.[0]}`,
    stop: () => call('pg_ctl', ['-D', data, '-m', 'immediate', 'stop']),
  };
}

function binaries() {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base)
    ? readdirSync(base)
        .map(Number)
        .sort((a, b) => b - a)
    : [];
  if (versions.length === 0) throw new Error('no PostgreSQL server is installed (Debian: apt-get install postgresql)');
  return join(base, String(versions[0]), 'bin');
}
