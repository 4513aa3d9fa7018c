// A process that opens a store, which brings it to the layout of today: node upgrader.fixture.mjs <store.js> <workspace> <file>.
// It says in the file when it begins and when it has the store.
import { appendFileSync } from 'node:fs';

const [module, workspace_dir, file] = process.argv.slice(2);
const { openStore } = await import(module);
appendFileSync(file, 'begins\n');
const store = openStore({ workspace_dir, clock: Date.now });
appendFileSync(file, 'open\n');
await store.close();
