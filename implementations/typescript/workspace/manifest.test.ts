import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureManifest, MANIFEST_PATH, readManifest } from './manifest.js';

const fresh = { workspace_id: 'w-1', created_at: '2026-01-01T00:00:00.000Z' };
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ars-manifest-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the workspace manifest', () => {
  it('is created once and then kept as it is', () => {
    const nested = join(root, 'a', 'b');
    expect(readManifest(nested)).toBeUndefined();
    expect(ensureManifest(nested, fresh)).toEqual({ schema_version: '1.0', ...fresh });
    expect(ensureManifest(nested, { ...fresh, workspace_id: 'w-2' }).workspace_id).toBe('w-1');
    expect(readdirSync(nested)).toEqual([MANIFEST_PATH]);
  });

  it.each([
    ['no JSON', '{'],
    ['an empty file', ''],
    ['another version', '{"schema_version":"2.0","workspace_id":"w","created_at":"2026-01-01T00:00:00.000Z"}'],
    ['an unknown field', '{"schema_version":"1.0","workspace_id":"w","created_at":"2026-01-01T00:00:00.000Z","x":1}'],
  ])('refuses %s and leaves the file alone', (_, text) => {
    const path = join(root, MANIFEST_PATH);
    writeFileSync(path, text);
    expect(() => ensureManifest(root, fresh)).toThrow(expect.objectContaining({ code: 'workspace_foreign' }));
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('reports a folder that cannot be created', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(() => ensureManifest(join(file, 'sub'), fresh)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(?:storage_failed|workspace_foreign)$/) }),
    );
    expect(existsSync(join(file, 'sub'))).toBe(false);
  });
});
