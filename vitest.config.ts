import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, mostly waiting for processes: begun first, they wait while the others compute. */
const LONG = ['compliance/mutants/power.test.ts', 'compliance/enemies.test.ts', 'compliance/cli.test.ts'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => LONG.findIndex(path => moduleId.endsWith(path)) >>> 0;
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

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
    globalSetup: ['vitest.global-setup.ts'],
    setupFiles: ['vitest.setup.ts'],
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // Modules are loaded once for each worker: what a test changes for a whole process, it puts back.
    isolate: false,
    // Many tests wait for processes that they start: no core is kept free for the one that distributes the files.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
  },
});
