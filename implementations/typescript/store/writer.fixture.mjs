// A process that writes steps until it is killed:
// node writer.fixture.mjs <store.js> <workspace> <concurrency> <file> <what every record of an execution says, as JSON>.
// It says in the file which sequences it was told to be durable, one a line; a pipe could fill up and stop it.
import { openSync, writeSync } from 'node:fs';

const [module, workspace_dir, concurrency, file, draft] = process.argv.slice(2);
const common = JSON.parse(draft);
const acknowledged = openSync(file, 'a');
const { openStore } = await import(module);
// So that it is killed amid the indexing, too, which else is done once in hundreds of records.
const store = openStore({ workspace_dir, clock: Date.now, longest_tail: 16 });

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

async function snap() {
  for (;;) {
    await store.takeSnapshot();
    await append([
      {
        record_type: 'trust',
        execution_id: 't',
        context_id: 't',
        agent_id: 'a',
        status: 'changed',
        trust_after: 'TRUSTED',
      },
    ]);
  }
}

async function append(records) {
  const written = await store.append({ records });
  writeSync(acknowledged, `${written.at(-1).head.sequence}\n`);
}

// One alone writes pending records by themselves, each of which is a statement and no transaction around it.
const snapping = Number(concurrency) > 1 ? [snap()] : [];
await Promise.all([...snapping, ...Array.from({ length: Number(concurrency) }, (_, caller) => write(caller))]);
