import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { background, failedRun } from '../failed-run.fixture.js';
import { writeViews } from '../views.js';
import { writeReport } from '../write.js';

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

const out = mkdtempSync(join(tmpdir(), 'ars-browser-'));
let browser: Browser;
const complaints: string[] = [];
const asked: string[] = [];

beforeAll(async () => {
  const { report, counterexamples } = await failedRun();
  writeReport(out, report, counterexamples);
  await writeViews(out, background);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
});
afterAll(async () => {
  await browser?.close();
  rmSync(out, { recursive: true, force: true });
});

async function open(options: { width?: number; colorScheme?: 'light' | 'dark'; javaScriptEnabled?: boolean } = {}) {
  const { width = 1200, ...rest } = options;
  const context = await browser.newContext({ viewport: { width, height: 900 }, ...rest });
  const page = await context.newPage();
  page.on('console', message => complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(error.message));
  page.on('request', request => asked.push(request.url()));
  await page.goto(pathToFileURL(join(out, 'report.html')).href);
  return page;
}

const shown = (page: Page) => page.locator('#clauses tbody tr:visible').count();

describe('the report in a browser', () => {
  it.each([320, 360, 768, 1280])('never scrolls sideways, %i pixels wide', async width => {
    const page = await open({ width });
    await page.locator('details').evaluateAll(all => {
      for (const one of all) (one as unknown as { open: boolean }).open = true;
    });
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(wide).toBeLessThanOrEqual(0);
  });

  it.each(['light', 'dark'] as const)('has text that can be read on its ground, in %s', async colorScheme => {
    const page = await open({ colorScheme });
    expect(await page.evaluate(FAINT)).toEqual([]);
  });

  it('is filtered by keyboard alone', async () => {
    const page = await open();
    expect(await shown(page)).toBe(4);
    await page.keyboard.press('/');
    await page.keyboard.type('aii1');
    expect(await shown(page)).toBe(1);
    expect(await page.locator('#shown').textContent()).toBe('1 of 4 shown');
    await page.keyboard.press('Escape');
    expect(await shown(page)).toBe(4);
    for (let step = 0; step < 2; step += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await shown(page)).toBe(1);
    expect(await page.locator('#clauses tbody tr:visible').getAttribute('data-verdict')).toBe('FAIL');
    await page.locator('#find').fill('nothing like that');
    expect(await page.locator('#none-left').isVisible()).toBe(true);
  });

  it('goes from a clause to its failure, also where that is closed', async () => {
    const page = await open();
    await page.locator('#failure-1 > summary').click();
    expect(await page.locator('#failure-1 .kill').isVisible()).toBe(false);
    await page.locator('a[href="#failure-1"]').click();
    expect(await page.locator('#failure-1 .kill').isVisible()).toBe(true);
    expect(await page.locator('#failure-1 svg.picture').isVisible()).toBe(true);
  });

  it('turns from light to dark, and can be read without a script', async () => {
    const page = await open({ colorScheme: 'light' });
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const before = await ground();
    await page.locator('#theme').click();
    expect(await ground()).not.toBe(before);
    const plain = await open({ javaScriptEnabled: false });
    expect(await plain.locator('#filters').isVisible()).toBe(false);
    expect(await shown(plain)).toBe(4);
  });

  it('asks for nothing but itself and has nothing to complain of', () => {
    expect(asked.filter(url => !url.startsWith('file:'))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** Every visible text whose contrast with its ground is below 4.5, with the contrast. */
const FAINT = `(() => {
  const channel = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const parts = color => color.match(/[\\d.]+/g).map(Number);
  const groundOf = element => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, a = 1] = parts(getComputedStyle(at).backgroundColor);
      if (a === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (texts.currentNode.textContent.trim() === '' || element.closest('svg, script, style, .skip') || !element.checkVisibility()) continue;
    const [a, b] = [light(parts(getComputedStyle(element).color)), light(groundOf(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) found.push(texts.currentNode.textContent.trim().slice(0, 40) + ' ' + contrast.toFixed(2));
  }
  return found;
})()`;
