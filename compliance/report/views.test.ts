import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ComplianceProperty } from '../../schemas/types.js';
import { badge } from './badge.js';
import { wantsColor } from './color.js';
import { coverageText, only } from './coverage.js';
import { openEvents } from './events.js';
import { always, background, failedRun } from './failed-run.fixture.js';
import { explain } from './listing.js';
import { judged, reach, standings } from './standing.js';
import { writeViews } from './views.js';
import { quoted, reproduceCommand } from './words.js';
import { writeReport } from './write.js';

describe('the views of a report', () => {
  const out = mkdtempSync(join(tmpdir(), 'ars-views-'));
  const view = (name: string) => readFileSync(join(out, name), 'utf8');
  beforeAll(async () => {
    const { report, counterexamples } = await failedRun();
    writeReport(out, report, counterexamples);
    await writeViews(out, background);
  });
  afterAll(() => rmSync(out, { recursive: true }));

  it('are made again, byte for byte, from what is in the folder', async () => {
    const files = readdirSync(out).filter(name => name.includes('.'));
    expect(files.sort()).toEqual(
      'badge.json badge.svg junit.xml report.html report.json report.tap summary.md'.split(' '),
    );
    const before = files.map(view);
    await writeViews(out, background);
    expect(files.map(view)).toEqual(before);
  });

  it('need nothing from elsewhere, and balance their elements', () => {
    const page = view('report.html');
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(page).not.toMatch(/@import|url\(/);
    for (const name of [
      'section',
      'table',
      'tr',
      'td',
      'div',
      'details',
      'ol',
      'li',
      'p',
      'span',
      'svg',
      'dl',
      'button',
    ]) {
      const opened = page.match(new RegExp(`<${name}[ >]`, 'g'))?.length ?? 0;
      expect([name, page.match(new RegExp(`</${name}>`, 'g'))?.length ?? 0]).toEqual([name, opened]);
    }
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('show clause, program, kill, expected, observed and the command to replay', () => {
    const page = view('report.html');
    for (const part of [
      'At most one <code>committed</code> record.',
      '<svg class="picture" role="img"',
      '<li class="kill"><span class="word">SIGKILL</span> ends incarnation 1',
      '<span class="word good">expected</span> <span class="mono">once</span>',
      'replays/AII1-audit-always.json</code>',
      '<tr id="P0" data-verdict="UNTESTABLE"',
      'it is &lt;b&gt;an aim&lt;/b&gt;',
      '2 of the 4 requirements were judged; 1 no property judges yet, 1 no test can show.',
    ]) {
      expect(page).toContain(part);
    }
  });

  it('name each requirement in JUnit and TAP', () => {
    expect(view('junit.xml')).toContain('tests="2" failures="1" errors="0" skipped="0"');
    expect(view('junit.xml')).toContain('<testcase name="AII3" classname="audit/always" time="0"/>');
    expect(view('report.tap').split('\n').slice(0, 4)).toEqual([
      'TAP version 14',
      '# ARS 1.0: fake 1.2.3, seed 3',
      '1..2',
      'not ok 1 - AII1',
    ]);
    expect(view('summary.md')).toContain('| AII1 | FAIL | 1 of 1 | 0 | twice |');
    expect(JSON.parse(view('badge.json'))).toMatchObject({ message: 'does not conform', color: 'red' });
  });

  it('are refused for a folder without a report, and for one that does not fit', async () => {
    const usage = expect.objectContaining({ code: 'usage' });
    await expect(writeViews(join(out, 'replays'), background)).rejects.toEqual(usage);
    writeFileSync(join(out, 'replays', 'report.json'), '{}');
    await expect(writeViews(join(out, 'replays'), background)).rejects.toEqual(usage);
  });

  it('tell what was found beside the verdicts', async () => {
    const { report } = await failedRun();
    const [first] = report.properties as [ComplianceProperty];
    writeReport(out, { ...report, properties: [{ ...first, notes: ['violated too: <CF4>'] }] }, []);
    await writeViews(out, background);
    expect(view('summary.md')).toContain('- audit/always: violated too: ');
    expect(view('report.html')).toContain('<li>audit/always: violated too: &lt;CF4&gt;</li>');
  });

  it('come after events that are on the disk while the run goes on', () => {
    const events = openEvents(out);
    events.write({ event: 'property_started', property: 'audit/always' });
    expect(JSON.parse(view('events.ndjson'))).toMatchObject({ event: 'property_started', at_ms: expect.any(Number) });
    events.close();
  });
});

describe('standings', () => {
  it('count a profile by its own properties, and nothing that was not run as a pass', async () => {
    const { report } = await failedRun();
    const words = (changed: Partial<typeof report>, properties = [always]) =>
      standings({ ...report, ...changed }, properties).map(({ standing }) => standing);
    expect(words({})).toEqual(Array(4).fill('does_not_conform'));
    const passed = report.properties.map(property => ({
      ...property,
      requirements: property.requirements.map(row => ({ ...row, verdict: 'PASS' as const })),
    }));
    expect(words({ properties: passed })).toEqual(Array(4).fill('conforms'));
    expect(words({ properties: passed, interrupted: true })[0]).toBe('not_run');
    const more = { ...always, id: 'verification/more', requirements: ['V1'], capabilities: ['verification' as const] };
    expect(words({ properties: passed }, [always, more])).toEqual([
      'conforms',
      'not_claimed',
      'not_claimed',
      'not_claimed',
    ]);
    const claiming = { properties: passed, capabilities: ['core' as const, 'verification' as const] };
    expect(words(claiming, [always, more])).toEqual(['conforms', 'not_run', 'not_run', 'not_run']);
    const open = passed.map(property => ({
      ...property,
      requirements: property.requirements.map((row, index) =>
        index === 0 ? { ...row, verdict: 'INCONCLUSIVE' as const, reason: 'thin' } : row,
      ),
    }));
    const gaps = { ...report, properties: open, exit_code: 4 as const };
    expect(standings(gaps, [always])[0]).toMatchObject({ standing: 'conforms_with_gaps', open: ['AII1'] });
    expect(badge(gaps, standings(gaps, [always])).message).toBe('full, with gaps');
  });

  it('put every requirement into exactly one list', async () => {
    const { report } = await failedRun();
    const { total, decided, open, left_out, unjudged, untestable } = reach(judged(report, background));
    expect([decided, open, left_out, unjudged, untestable]).toEqual([['AII1', 'AII3'], [], [], ['P1'], ['P0']]);
    expect(total).toBe(4);
    expect(reach(judged(undefined, background)).left_out).toEqual(['AII1', 'AII3']);
    expect(coverageText(judged(report, background), false)).toMatch(/AII1 +FAIL +1 +1 +0 {2}audit\/always/);
    const some = only(judged(report, background), ['AII3', 'P0']);
    expect(some.map(({ id }) => id).sort()).toEqual(['AII3', 'P0']);
    expect(coverageText(some, false)).not.toContain('AII1');
    expect(() => only(judged(report, background), ['AII8'])).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining("did you mean 'AII") }),
    );
  });
});

describe('explain', () => {
  it('tells of a requirement without a property, and why where none can be', () => {
    expect(explain('AII1', background)).toContain('broken by twice: it commits twice');
    expect(explain('P1', background)).toContain('No property of this suite judges it yet');
    expect(explain('P0', background)).toContain('No test from outside can show it: it is <b>an aim</b>.');
    expect(() => explain('AII9', background)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('words', () => {
  it('quote what a shell would take apart', async () => {
    const { report } = await failedRun();
    expect(quoted("it's")).toBe(`'it'\\''s'`);
    expect(reproduceCommand({ ...report, command: ['a b', 'c'] })).toBe(
      "ars-compliance run --seed 3 --runs 1 -- 'a b' c",
    );
    expect(reproduceCommand({ ...report, profile: 'core', asked: ['CF4', 'S1'], scale: 3 })).toContain(
      'ars-compliance run --profile core --req CF4,S1 --seed 3 --runs 1 --scale 3 -- ',
    );
  });

  it.each([
    [{ isTTY: false, env: { CI: 'true' } }, false],
    [{ isTTY: true, env: {} }, true],
    [{ isTTY: true, env: { TERM: 'dumb' } }, false],
    [{ isTTY: true, env: { FORCE_COLOR: '0' } }, false],
    [{ isTTY: false, env: { FORCE_COLOR: '1' } }, true],
    [{ isTTY: true, env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, false],
  ])('take colours in %j: %s', (surroundings, wanted) => {
    expect(wantsColor(surroundings)).toBe(wanted);
  });
});
