import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const topics = readdirSync(join(root, 'examples')).filter(name => /^[0-9]{2}-/.test(name));

test('there are examples', () => {
  expect(topics.length).toBeGreaterThan(0);
});

test.each(topics)('%s prints what its output.txt says', topic => {
  const program = join(root, 'dist', 'examples', topic, 'main.js');
  expect(existsSync(program), 'run npm run build first').toBe(true);
  const workspace = mkdtempSync(join(tmpdir(), `ars-${topic}-`));
  try {
    const printed = execFileSync(process.execPath, [program, workspace], { cwd: root, encoding: 'utf8' });
    expect(printed).toBe(readFileSync(join(root, 'examples', topic, 'output.txt'), 'utf8'));
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
});

test.each(topics)('%s names the schema that an editor shows help from', topic => {
  const folder = join(root, 'examples', topic);
  for (const file of readdirSync(folder).filter(name => name.endsWith('.yaml'))) {
    const [first] = readFileSync(join(folder, file), 'utf8').split('\n');
    expect(first).toBe('# yaml-language-server: $schema=../../schemas/editor/workflow.schema.json');
  }
});

test.each(topics)('%s fits on a page', topic => {
  const lines = readFileSync(join(root, 'examples', topic, 'main.ts'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(40);
});
