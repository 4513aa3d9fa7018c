import { nearest } from '../../../../schemas/index.js';
import type { VerificationContext } from '../context.js';
import { type FindingDraft, listNames } from '../rule.js';
import { suggest } from '../suggestion.js';
import {
  type JsonType,
  memberSchema,
  membersOf,
  overlap,
  type SchemaPart,
  takesScalar,
  typesOfSchema,
} from './json-schema-shape.js';
import { actionOf, typesOf } from './known-values.js';

/** What a node hands over, and to what. */
export interface Interface {
  readonly node: number;
  /** The action or workflow in words. */
  readonly name: string;
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  /** The only names that there may be; undefined where others are allowed. */
  readonly allowed: readonly string[] | undefined;
  schemaOf(name: string): SchemaPart | undefined;
}

/**
 * What is wrong with the inputs that nodes, but for those that are skipped, hand to their actions: names that are missing,
 * unknown, or of another type.
 */
export function judgeActionInputs(context: VerificationContext, skipped?: Uint8Array): FindingDraft[] {
  const findings: FindingDraft[] = [];
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (context.judged[node] === 0 || skipped?.[node] === 1) continue;
    const action = actionOf(context, node);
    const schema = action?.input_schema;
    if (action === undefined || schema === undefined) continue;
    const part: SchemaPart = { schema, root: schema };
    const subject = context.node(node) as { input_mapping?: Record<string, unknown> };
    const given: Interface = {
      node,
      name: `the action "${action.action_id}@${action.version}"`,
      mapping: subject.input_mapping ?? {},
      ...membersOf(part),
      schemaOf(name) {
        const member = memberSchema(part, name);
        return member === 'none' ? undefined : member;
      },
    };
    for (const finding of judgeInterface(context, given)) findings.push(finding);
  }
  return findings;
}

/** What is wrong with what a node hands over. An unknown name that is like a missing one is one finding. */
export function judgeInterface(context: VerificationContext, given: Interface): FindingDraft[] {
  const { node, name, mapping, required, allowed } = given;
  const { node_id } = context.node(node);
  const place = `${context.nodePointer(node)}/input_mapping`;
  const at = (key: string): string => `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const names = Object.keys(mapping).sort();
  const missing = new Set(required.filter(key => !Object.hasOwn(mapping, key)));
  const findings: FindingDraft[] = [];
  const known = allowed === undefined ? undefined : new Set(allowed);
  for (const key of names) {
    if (known !== undefined && !known.has(key)) {
      const free = [...missing];
      const meant = free.length > 100 ? undefined : nearest(key, free);
      if (meant !== undefined) missing.delete(meant);
      const help =
        meant !== undefined
          ? `Did you mean "${meant}"? It is required, and nothing is mapped to it.`
          : suggest(
              context,
              key,
              allowed ?? [],
              `It takes ${allowed?.length === 0 ? 'nothing' : listNames([...(allowed ?? [])].sort())}.`,
            );
      const message = `"${node_id}" hands "${key}" to ${name}, which does not take it`;
      findings.push({ node_id, pointer: at(key), message, related: [], help });
      continue;
    }
    const schema = given.schemaOf(key);
    const wanted = schema === undefined ? undefined : typesOfSchema(schema);
    const types =
      wanted === undefined ? undefined : typesOf({ kind: 'mapping', mapping: mapping[key], node, within: context });
    if (wanted === undefined || types === undefined) continue;
    if (overlap(wanted, types) && (typeof mapping[key] !== 'number' || takesScalar(wanted, mapping[key]))) continue;
    const message = `"${node_id}" hands ${typeText(types)} as "${key}" to ${name}, which takes ${typeText(wanted)}`;
    const help = `Map "${key}" to ${typeText(wanted)}; a string that is exactly one reference keeps the type of its value.`;
    findings.push({ node_id, pointer: at(key), message, related: [], help });
  }
  if (missing.size === 0) return findings;
  const lacking = [...missing].sort();
  const pointer = 'input_mapping' in context.node(node) ? place : context.nodePointer(node);
  const message = `"${node_id}" does not map ${listNames(lacking)}, which ${name} requires`;
  const help = `Add to input_mapping: { ${lacking[0]}: "\${…}" }.`;
  findings.push({ node_id, pointer, message, related: [], help });
  return findings;
}

/** Returns types in words, as in "a number or null". */
export function typeText(types: ReadonlySet<JsonType>): string {
  const words = [...types]
    .sort()
    .map(type => (type === 'null' ? 'null' : `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`));
  return words.join(' or ');
}
