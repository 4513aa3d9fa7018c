import type { Shape } from './documents.js';
import { measure } from './measure.js';

const [shape, size, effort = '{}'] = process.argv.slice(2);
const measured = measure(shape as Shape, Number(size), JSON.parse(effort));
process.stdout.write(`${JSON.stringify(measured)}\n`);
