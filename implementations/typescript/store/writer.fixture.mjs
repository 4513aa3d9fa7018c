// A process that writes steps until it is killed: node writer.fixture.mjs <compiled store.js> <workspace> <concurrency>.
// It says on standard output which sequences it was told to be durable, one a line.
import { writeSync } from 'node:fs';

const [module, workspace_dir, concurrency] = process.argv.slice(2);
const { openStore } = await import(module);
const store = openStore({ workspace_dir, clock: Date.now });
writeSync(1, `open ${store.incarnation}\n`);

const common = {
  record_type: 'action',
  context_id: 'root',
  parent_execution_id: 'root',
  agent_id: 'agent',
  action_id: 'act',
  action_version: '1.0.0',
  side_effects: [],
  determinism: 'deterministic',
  rollback: 'rollbackable',
  attempt: 1,
  idempotency_key: 'key',
};

async function write(caller) {
  for (let n = 0; ; n++) {
    const execution_id = `e-${store.incarnation}-${caller}-${n}`;
    const inputs = { text: 'x'.repeat((n * 97) % 4000) };
    await append([{ ...common, execution_id, status: 'pending', inputs }]);
    const state_changes = [
      { key: `k${n % 7}`, op: 'put', value: { execution_id } },
      { key: 'last', op: n % 5 === 4 ? 'delete' : 'put', ...(n % 5 === 4 ? {} : { value: n }) },
    ];
    await append([
      { ...common, execution_id, status: 'committed', outputs: {}, state_changes },
      {
        record_type: 'trust',
        execution_id,
        context_id: execution_id,
        agent_id: 'agent',
        status: 'changed',
        trust_after: 'TRUSTED',
      },
    ]);
  }
}

async function append(records) {
  const written = await store.append({ records });
  writeSync(1, `${written.at(-1).sequence}\n`);
}

await Promise.all(Array.from({ length: Number(concurrency) }, (_, caller) => write(caller)));
