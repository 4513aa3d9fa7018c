import type { Action } from '../../../../schemas/types.js';
import { ArsError } from '../../error.js';
import { compileExpression, type ExpressionType } from '../../execution/expression.js';
import { compileMapping } from '../../workflow/mapping.js';
import type { VerificationContext } from '../context.js';
import type { FindingDraft, Rule } from '../rule.js';

const PARTIAL = 'only the syntax of references and expressions is looked at, not what they lead to';

/** S8: references and expressions are understood. @requirement S8 */
export const s8: Rule = {
  id: 'S8',
  severity: 'blocking',
  requirement:
    'Every ${…} and expression parses and type-checks, names inputs that exist and nodes that have certainly committed when the reader runs, or has a default.',
  why: 'What cannot be read fails when the node runs, after others have had their effects.',
  help: 'Mend the text at the place that is named.',
  failing: `nodes:
  - { node_id: check, type: condition, expression: 'inputs.amount >' }
  - { node_id: small, type: terminal, status: completed }
  - { node_id: large, type: terminal, status: completed }
edges:
  - { from_node: check, to_node: small, label: 'false' }
  - { from_node: check, to_node: large, label: 'true' }
`,
  passing: `nodes:
  - { node_id: check, type: condition, expression: 'inputs.amount > 100' }
  - { node_id: small, type: terminal, status: completed }
  - { node_id: large, type: terminal, status: completed }
edges:
  - { from_node: check, to_node: small, label: 'false' }
  - { from_node: check, to_node: large, label: 'true' }
`,
  check(context) {
    const findings: FindingDraft[] = [];
    for (let node = 0; node < context.graph.nodeCount; node++) {
      if (context.isJudged(node)) for (const found of checkNode(context, node)) findings.push(found);
    }
    for (const [index, action] of context.input.actions.entries()) {
      const place = `/actions/${context.input.actionPlaces?.[index] ?? index}`;
      for (const [pointer, source] of conditionsOf(place, action))
        for (const found of checkExpression(pointer, source, ['boolean'])) findings.push(found);
    }
    if (context.input.outputs !== undefined)
      for (const found of checkMapping('/outputs', context.input.outputs)) findings.push(found);
    return { findings, notEvaluated: PARTIAL };
  },
};

function conditionsOf(place: string, action: Action): [pointer: string, source: string][] {
  const conditions: [string, string][] = [];
  for (const kind of ['preconditions', 'postconditions'] as const) {
    for (const [at, { expression }] of (action[kind] ?? []).entries())
      conditions.push([`${place}/${kind}/${at}/expression`, expression]);
  }
  if (action.success_condition !== undefined) conditions.push([`${place}/success_condition`, action.success_condition]);
  return conditions;
}

function checkNode(context: VerificationContext, node: number): FindingDraft[] {
  const subject = context.node(node);
  const { node_id, type } = subject;
  const pointer = context.nodePointer(node);
  if (type === 'terminal') return [];
  if (type === 'condition') {
    return checkExpression(
      `${pointer}/expression`,
      subject.expression,
      ['boolean', 'string'],
      context.expressionTypeOf(node),
    ).map(draft => ({
      node_id,
      ...draft,
    }));
  }
  const findings: FindingDraft[] = [];
  for (const field of ['input_mapping', 'output_mapping'] as const) {
    if (subject[field] !== undefined)
      for (const found of checkMapping(`${pointer}/${field}`, subject[field])) findings.push(found);
  }
  return findings.map(draft => ({ node_id, ...draft }));
}

function checkExpression(
  pointer: string,
  source: string,
  types: readonly string[],
  known?: ExpressionType,
): FindingDraft[] {
  try {
    const compiled = compileExpression(source).type;
    const type = compiled === 'unknown' ? (known ?? compiled) : compiled;
    if (type === 'unknown' || types.includes(type)) return [];
    const message = `The expression "${source}" never gives a ${types.join(' or a ')}`;
    return [{ pointer, message, related: [], help: 'Compare the value with another one, for example with == or >.' }];
  } catch (error) {
    return [syntaxFinding(error, pointer, `The expression "${source}" cannot be read`)];
  }
}

function checkMapping(pointer: string, mapping: unknown): FindingDraft[] {
  try {
    compileMapping(mapping);
    return [];
  } catch (error) {
    const inner = error instanceof ArsError && typeof error.details.pointer === 'string' ? error.details.pointer : '';
    return [syntaxFinding(error, pointer + inner, 'The reference cannot be read')];
  }
}

function syntaxFinding(error: unknown, pointer: string, what: string): FindingDraft {
  if (!(error instanceof ArsError)) throw error;
  const { message, offset } = error.details;
  return {
    pointer,
    message: `${what}, at character ${Number(offset) + 1}: ${String(message)}`,
    related: [],
    help: s8.help,
  };
}
