import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'schemas/**/*.test.ts',
      'implementations/typescript/**/*.test.ts',
      'compliance/**/*.test.ts',
      'scripts/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: ['vitest.setup.ts'],
    pool: 'forks',
  },
});
