import fc from 'fast-check';

/**
 * Properties draw the same cases in every run, so that a change is judged and not the luck of a draw.
 * `ARS_SEED=random npm run unit` draws others, a number draws those of that seed.
 */
const { ARS_SEED: wanted = '1' } = process.env;
if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
