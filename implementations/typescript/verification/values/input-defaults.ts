import type { VerificationContext } from '../context.js';
import type { FindingDraft } from '../rule.js';
import { typeText } from './action-inputs.js';
import { overlap, takesScalar, typeOfValue, typesOfSchema } from './json-schema-shape.js';

/** What is wrong with the defaults of inputs: one is of a type that its schema does not take. */
export function judgeInputDefaults({ input }: VerificationContext): FindingDraft[] {
  const findings: FindingDraft[] = [];
  for (const [name, declared] of Object.entries(input.inputs ?? {})) {
    const { schema } = declared;
    if (schema === undefined || !Object.hasOwn(declared, 'default')) continue;
    const wanted = typesOfSchema({ schema, root: schema });
    const type = typeOfValue(declared.default);
    if (wanted === undefined || (overlap(wanted, new Set([type])) && takesScalar(wanted, declared.default))) continue;
    findings.push({
      pointer: `/inputs/${name}/default`,
      message: `The default of the input "${name}" is ${typeText(new Set([type]))}, and its schema takes ${typeText(wanted)}`,
      related: [{ pointer: `/inputs/${name}/schema`, message: 'this schema' }],
      help: 'Correct the default or the schema.',
    });
  }
  return findings;
}
