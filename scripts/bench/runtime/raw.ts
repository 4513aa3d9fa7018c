import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalize, digestText } from '../../../implementations/typescript/state/canonical.js';
import { makeDurable, openDatabase } from '../../../implementations/typescript/store/driver.js';
import { drive, STEPS, type Subject } from './subject.js';

/**
 * The limit of the store: for each step two transactions, each of which inserts the text of the record that the runtime
 * writes there, over the same driver with the same durability. It does nothing else.
 */
export function openRaw(folder: string, texts: readonly [pending: string, committed: string]): Subject {
  return openInserts(folder, 'raw', texts, {
    name: 'raw SQLite',
    note: 'the same driver and durability, two inserts in two transactions a step, nothing else',
  });
}

/** What no runtime with a chained log can leave out: as {@link openRaw}, each record brought to its canonical form and hashed. */
export function openFloor(folder: string, texts: readonly [pending: string, committed: string]): Subject {
  const records = texts.map(text => JSON.parse(text) as object);
  return openInserts(folder, 'floor', records, {
    name: 'raw + canonical form + SHA-256',
    note: 'as raw SQLite, each record brought to its canonical form and hashed before',
  });
}

function openInserts(
  folder: string,
  file: string,
  records: readonly (string | object)[],
  told: Pick<Subject, 'name' | 'note'>,
): Subject {
  const path = join(folder, `${file}.sqlite`);
  const db = openDatabase(path);
  makeDurable(db, path);
  db.exec('CREATE TABLE records (sequence INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const insert = db.prepare('INSERT INTO records (text) VALUES (?)');
  const commit = db.prepare('COMMIT');
  const textOf = (record: string | object): string => {
    if (typeof record === 'string') return record;
    const text = canonicalize(record);
    return `{"hash":"${digestText(text)}",${text.slice(1)}`;
  };
  return {
    ...told,
    run: (instances, parallel) =>
      drive(instances, parallel, async () => {
        for (let step = 0; step < STEPS; step += 1)
          for (const record of records) {
            begin.run();
            insert.run(textOf(record));
            commit.run();
          }
      }),
    close: async () => db.close(),
  };
}

/** The control: for each step two times a record is appended to a file and flushed to the disk. */
export function openControl(folder: string, texts: readonly [pending: string, committed: string]): Subject {
  const file = openSync(join(folder, 'control.jsonl'), 'a');
  const lines = texts.map(text => `${text}\n`);
  return {
    name: 'append + fdatasync',
    note: 'two appended lines a step, each flushed',
    run: (instances, parallel) =>
      drive(instances, parallel, async () => {
        for (let step = 0; step < STEPS; step += 1)
          for (const line of lines) {
            writeSync(file, line);
            fdatasyncSync(file);
          }
      }),
    close: async () => closeSync(file),
  };
}
