import { freeze } from './freeze/command.js';
import { ROOT } from './project.js';

const date = new Date().toISOString().slice(0, 10);
const { code, text } = freeze(ROOT, date, process.argv.includes('--draft'));
(code === 0 ? process.stdout : process.stderr).write(text);
process.exitCode = code;
