import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { runVerify } from './verify-files.js';
import type { VerifyOptions } from './verify-options.js';

/** A workflow in YAML without findings, of one terminal. */
export const GOOD = `schema_version: "1.0"
workflow: { name: good, version: 1.0.0 }
nodes: [{ node_id: done, type: terminal, status: completed }]
edges: []
`;

/** A workflow with one error, S1, and no warning: a condition that leads back to itself. */
export const CYCLIC = `schema_version: "1.0"
workflow: { name: cyclic, version: 1.0.0, start: begin }
inputs: { n: { schema: { type: integer } } }
nodes:
  - { node_id: begin, type: condition, expression: inputs.n > 0 }
  - { node_id: again, type: condition, expression: inputs.n > 1, join_type: OR }
  - { node_id: done, type: terminal, status: completed, join_type: OR }
edges:
  - { from_node: begin, to_node: again, label: "true" }
  - { from_node: begin, to_node: done, label: "false" }
  - { from_node: again, to_node: again, label: "true" }
  - { from_node: again, to_node: done, label: "false" }
`;

/** A workflow with one warning, S6, and no error. */
export const UNDECLARED = `schema_version: "1.0"
workflow: { name: undeclared, version: 1.0.0 }
inputs: { n: { schema: { type: integer } } }
nodes:
  - { node_id: begin, type: condition, expression: inputs.n > 0 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: begin, to_node: done, label: "true" }
  - { from_node: begin, to_node: done, label: "false" }
`;

/** Returns a new folder with files in it, by their paths. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'ars-cli-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** What a call of `ars verify` has printed, and its exit code. */
export interface VerifyCall {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Calls `ars verify` in a folder, without colours. */
export async function verifyIn(
  cwd: string,
  files: readonly string[],
  options: VerifyOptions = {},
  stdin = '',
): Promise<VerifyCall> {
  let out = '';
  let err = '';
  const code = await runVerify(files, options, {
    out: text => {
      out += text;
    },
    err: text => {
      err += text;
    },
    stdin: Readable.from([Buffer.from(stdin)]),
    colored: false,
    cwd,
  });
  return { code, out, err };
}
