import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { schemaFiles } from '../../schemas/load.js';
import { uniqueItems } from './unique-items.js';

/** The schemas of what is checked by the million: their files have long lists of conditions. */
export const QUICK: readonly string[] = ['audit-record'];

/** How many conditions one function checks: a longer one is never compiled to machine code. */
const TOGETHER = 6;

/**
 * Gives the text of a module that tells of a value only whether it fits: by noun, the checks of each member by itself, and
 * a list of checks that all have to hold. They are the file without its conditions, and its conditions a few at a time.
 */
export function quickText(): string {
  const ajv = new Ajv2020({
    strict: true,
    validateSchema: false,
    strictRequired: false,
    strictTypes: false,
    discriminator: true,
    code: { source: true },
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(uniqueItems);
  const files = schemaFiles();
  for (const schema of files.values()) ajv.addSchema(schema);
  const names: Record<string, string> = {};
  const lists = QUICK.map(noun => {
    const { allOf = [], $id: _, ...base } = files.get(`ars:/v1.0/${noun}.schema.json`) ?? {};
    const conditions = allOf as readonly object[];
    const add = (part: object, place: string): string => {
      const [name, id] = [`${noun.replaceAll('-', '_')}_${place}`, `quick:/${noun}/${place}`];
      ajv.addSchema({ ...part, $id: id });
      names[name] = id;
      return `exports.${name}`;
    };
    const parts: object[] = [base];
    for (let at = 0; at < conditions.length; at += TOGETHER) parts.push({ allOf: conditions.slice(at, at + TOGETHER) });
    const whole = parts.map((part, at) => add(part, String(at)));
    const members = Object.entries(base.properties as Readonly<Record<string, object>>).map(
      ([member, schema]) => `${member}: ${add(schema, member)}`,
    );
    return `${JSON.stringify(noun)}: { whole: [${whole.join(', ')}], members: { ${members.join(', ')} } }`;
  });
  const text = standalone.default(ajv, names).replace(/^"use strict";/, '');
  return `${text}\nmodule.exports = { ${lists.join(', ')} };\n`;
}
