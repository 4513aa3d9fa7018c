import { join } from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import { versionOf } from './version.mjs';

/** LangGraph: a node a step, its SQLite checkpointer, which writes each checkpoint before the next node. */
export async function openPeer({ folder, steps, drive }) {
  const db = new Database(join(folder, 'langgraph.sqlite'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  const checkpointer = new SqliteSaver(db);
  checkpointer.setup();
  db.pragma('synchronous = FULL');
  const Value = Annotation.Root({ value: Annotation() });
  const names = Array.from({ length: steps }, (_, at) => `step-${at + 1}`);
  let graph = new StateGraph(Value);
  for (const name of names) graph = graph.addNode(name, ({ value }) => ({ value: value + 1 }));
  for (const [at, name] of [START, ...names].entries()) graph = graph.addEdge(name, names[at] ?? END);
  const app = graph.compile({ checkpointer });
  let thread = 0;
  return {
    name: 'LangGraph',
    note: `${versionOf('@langchain/langgraph')}, in process, SQLite checkpointer with synchronous=${db.pragma('synchronous', { simple: true }) === 2 ? 'FULL' : 'less'}, durability "sync"`,
    run: (instances, parallel) =>
      drive(instances, parallel, async () => {
        thread += 1;
        const config = { configurable: { thread_id: `t${thread}` }, durability: 'sync', recursionLimit: steps * 2 };
        const { value } = await app.invoke({ value: 0 }, config);
        if (value !== steps) throw new Error(`an instance ended with ${value}`);
      }),
    close: async () => db.close(),
  };
}
