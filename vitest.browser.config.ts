import { defineConfig } from 'vitest/config';

/** Tests that need a Chromium on the machine; `CHROMIUM` names it where it is not /usr/bin/chromium. */
export default defineConfig({
  test: {
    include: ['compliance/**/testing/*.browser.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: ['vitest.setup.ts'],
    pool: 'forks',
  },
});
