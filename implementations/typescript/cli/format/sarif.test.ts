import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { CYCLIC, folderOf, GOOD, UNDECLARED, verifyIn } from '../verify.fixture.js';
import type { VerifyOptions } from '../verify-options.js';

/** The public schema, written for draft 4, of which it uses nothing that draft 7 says otherwise but `id`. */
const require = createRequire(import.meta.url);
const { id, ...schema } = JSON.parse(
  readFileSync(require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8'),
) as { id: string } & Record<string, unknown>;
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
ajvFormats.default(ajv);
const isSarif = ajv.compile({ ...schema, $id: id, $schema: 'http://json-schema.org/draft-07/schema#' });

interface Region {
  startLine: number;
  startColumn: number;
}
interface Place {
  physicalLocation: { artifactLocation: { uri: string; uriBaseId?: string }; region: Region };
}
interface Result {
  ruleId: string;
  ruleIndex: number;
  level: string;
  message: { text: string };
  locations: (Place & { logicalLocations?: { name: string }[] })[];
  relatedLocations?: (Place & { message: { text: string } })[];
  partialFingerprints: Record<string, string>;
}
interface Run {
  tool: { driver: { rules: { id: string; help: { text: string }; defaultConfiguration: { level: string } }[] } };
  invocations: { executionSuccessful: boolean; toolExecutionNotifications: { message: { text: string } }[] }[];
  results: Result[];
}

async function runIn(cwd: string, files: string[], options: VerifyOptions = {}): Promise<Run> {
  const { out } = await verifyIn(cwd, files, { format: [{ name: 'sarif' }], ...options });
  const log = JSON.parse(out) as { runs: [Run] };
  expect(isSarif(log), JSON.stringify(isSarif.errors, null, 1)).toBe(true);
  return log.runs[0];
}

const fingerprints = ({ results }: Run): string[] =>
  results.map(result => result.partialFingerprints['arsFinding/v1'] ?? '');

describe('SARIF', () => {
  const folder = folderOf({ 'flows/cy clic%,é.yaml': CYCLIC, 'undeclared.yaml': UNDECLARED, 'good.yaml': GOOD });

  it('has a result with region, related places, rule and fingerprint for each finding', async () => {
    const { results, tool } = await runIn(folder, ['.']);
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['S1', 'error'],
      ['S6', 'warning'],
    ]);
    const [cycle, join] = results as [Result, Result];
    expect(cycle.locations[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: 'flows/cy%20clic%25%2C%C3%A9.yaml', uriBaseId: '%SRCROOT%' },
      region: { startLine: 11, startColumn: 5, endLine: 11, endColumn: 56 },
    });
    expect(cycle.relatedLocations?.length).toBeGreaterThan(0);
    for (const related of cycle.relatedLocations ?? [])
      expect(related.physicalLocation.region.startLine).toBeGreaterThan(0);
    expect(join.locations[0]?.logicalLocations?.[0]?.name).toBe('done');
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    for (const print of fingerprints({ results } as Run)) expect(print).toMatch(/^[0-9a-f]{32}$/);
  });

  it('describes every rule with its level and help', async () => {
    const { rules } = (await runIn(folder, ['good.yaml'])).tool.driver;
    expect(rules.map(rule => rule.id)).toEqual(['SCHEMA', ...Array.from({ length: 17 }, (_, at) => `S${at + 1}`)]);
    for (const { help } of rules) expect(help.text.length).toBeGreaterThan(20);
    expect(rules.find(rule => rule.id === 'S6')?.defaultConfiguration.level).toBe('warning');
  });

  it('keeps fingerprints where lines move and nodes change places, and changes them with what is found', async () => {
    const lines = UNDECLARED.split('\n');
    const swapped = ['# moved', ...lines.slice(0, 4), lines[5], lines[4], ...lines.slice(6)].join('\n');
    const moved = folderOf({
      'undeclared.yaml': swapped,
      'renamed.yaml': UNDECLARED.replaceAll('done', 'finished'),
    });
    const before = fingerprints(await runIn(folder, ['undeclared.yaml']));
    expect(fingerprints(await runIn(moved, ['undeclared.yaml']))).toEqual(before);
    expect(fingerprints(await runIn(moved, ['renamed.yaml']))).not.toEqual(before);
  });

  it('numbers findings that say the same', async () => {
    const text = GOOD.replace('status: completed', 'status: complete');
    const twins = folderOf({ 'twins.yaml': `${text}---\n${text}` });
    const prints = fingerprints(await runIn(twins, ['twins.yaml']));
    expect(prints.length).toBeGreaterThan(1);
    expect(new Set(prints).size).toBe(prints.length);
  });

  it('names what was not evaluated or not readable as notifications', async () => {
    const { invocations, results } = await runIn(folder, ['undeclared.yaml', 'none.yaml'], { skipRule: ['S6'] });
    expect(results).toEqual([]);
    const told = invocations[0]?.toolExecutionNotifications.map(({ message }) => message.text) ?? [];
    expect(told).toContain('S6 was not evaluated: left out by --skip-rule');
    expect(told[0]).toContain('none.yaml');
    expect(invocations[0]?.executionSuccessful).toBe(false);
  });

  it('has the place of the reference for which a rule was not evaluated', async () => {
    const text = `schema_version: "1.0"\nworkflow: { name: open, version: 1.0.0 }\nnodes:\n  - { node_id: a, type: action, action_def: else@^1 }\n`;
    const { invocations } = await runIn(folderOf({ 'open.yaml': text }), ['open.yaml']);
    const region = { startLine: 4, startColumn: 45, endLine: 4, endColumn: 52 };
    expect(invocations[0]?.toolExecutionNotifications).toContainEqual(
      expect.objectContaining({
        level: 'note',
        locations: [{ physicalLocation: expect.objectContaining({ region }) }],
      }),
    );
  });

  it('has no links in its texts, whatever names a document has', async () => {
    const name = '[more](https://example.org)';
    const linked = folderOf({ 'linked.yaml': CYCLIC.replaceAll('again', `"${name}"`).replaceAll('begin', '"[a](0)"') });
    const { results } = await runIn(linked, ['linked.yaml']);
    expect(results.length).toBeGreaterThan(0);
    expect(JSON.stringify(results.map(({ message, relatedLocations }) => [message, relatedLocations]))).not.toContain(
      '](',
    );
  });

  it('takes the level from the configuration', async () => {
    const { results } = await runIn(folder, ['undeclared.yaml'], { preset: 'strict' });
    expect(results.map(({ level }) => level)).toEqual(['error']);
  });

  it('names a file outside the folder in full', async () => {
    const elsewhere = folderOf({ 'x y.yaml': UNDECLARED });
    const { results } = await runIn(folder, [`${elsewhere}/x y.yaml`]);
    const { artifactLocation } = (results[0] as Result).locations[0]?.physicalLocation ?? {};
    expect(artifactLocation?.uri).toMatch(/^file:\/\/\/.*\/x%20y\.yaml$/);
    expect(artifactLocation?.uriBaseId).toBeUndefined();
  });
});
