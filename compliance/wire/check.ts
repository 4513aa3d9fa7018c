import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** One way in which a message does not fit its schema. */
export interface Misfit {
  readonly pointer: string;
  readonly message: string;
}

const root = fileURLToPath(new URL('../../schemas/v1.0/', import.meta.url));
const ajv = new Ajv2020({ strict: false, discriminator: true });
for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
  if (name.endsWith('.schema.json'))
    ajv.addSchema({ ...(JSON.parse(readFileSync(root + name, 'utf8')) as object), $id: `ars:/v1.0/${name}` });
}

/** The ways in which a value does not fit the schema of that name; none where it fits. */
export function misfits(schema: string, value: unknown): readonly Misfit[] {
  const [file, entry] = schema.split('#');
  const check = ajv.getSchema(`ars:/v1.0/${file}.schema.json${entry ? `#/$defs/${entry}` : ''}`);
  if (check === undefined) throw new RangeError(`There is no schema "${schema}".`);
  if (check(value)) return [];
  return (check.errors ?? []).map(error => ({ pointer: error.instancePath, message: error.message ?? error.keyword }));
}
