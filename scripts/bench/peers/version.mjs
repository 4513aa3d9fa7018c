import { readFileSync } from 'node:fs';

/** Returns the version of a package that is installed here. */
export function versionOf(name) {
  return JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
}
