import type { Shape } from './documents.js';
import { measure } from './measure.js';

const [shape, size, repetitions, warmUp] = process.argv.slice(2);
const measured = measure(shape as Shape, Number(size), Number(repetitions), Number(warmUp));
process.stdout.write(`${JSON.stringify(measured)}\n`);
