import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './steps.mjs';

const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
for (const path of Object.values(bin)) {
  if (existsSync(join(ROOT, path))) chmodSync(join(ROOT, path), 0o755);
}
