import fc from 'fast-check';

/**
 * Properties draw the same cases in every run, so that a change is judged and not the luck of a draw.
 * `ARS_SEED=random npm run unit` draws others, a number draws those of that seed.
 */
const { ARS_SEED: wanted = '1' } = process.env;
if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });

/**
 * Commands that tests start print without colour unless a test asks for it: vitest tells its workers FORCE_COLOR where
 * the tests themselves are coloured, which is so on a terminal and on most CI machines.
 */
for (const name of ['FORCE_COLOR', 'NO_COLOR']) delete process.env[name];
