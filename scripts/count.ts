import { readSources } from './generate-reference.js';
import { countText, coverageOf } from './reference/count.js';

const coverage = coverageOf(readSources());
process.stdout.write(process.argv.includes('--json') ? `${JSON.stringify(coverage, null, 2)}\n` : countText(coverage));
