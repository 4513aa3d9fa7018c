import type { Action } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { Expression, ExpressionType } from '../execution/expression.js';
import type { VerificationContext } from './context.js';
import { listNames } from './rule.js';
import { suggest } from './suggestion.js';
import { type Kinds, kindsOfJson } from './values/cel-types.js';
import { checkTypes, type Misfit, type Surroundings, type Typed } from './values/expression-types.js';
import { elementOf, follow, type Known, memberOf, namesIn, typesOf } from './values/known-values.js';

/** What is known of the value of an expression, from its text and the schemas of what it reads. */
export interface ExpressionCheck {
  /** What it gives; other where it cannot be compiled. */
  readonly type: ExpressionType;
  /** What does not fit in it. */
  readonly misfit?: Misfit;
}

/** Returns what is known of the expression of a condition, which reads what the node reads. */
export function checkCondition(context: VerificationContext, node: number, source: string): ExpressionCheck {
  const compiled = context.expressionOf(source);
  if (compiled instanceof ArsError) return { type: 'other' };
  return check(
    compiled,
    surroundings(context, path => {
      const destination = follow(context, node, path);
      return 'known' in destination ? destination.known : undefined;
    }),
  );
}

/** Returns what is known of a condition of an action, which reads its inputs and its result. */
export function checkOwnCondition(
  context: VerificationContext,
  { input_schema, output_schema }: Action,
  compiled: Expression,
): ExpressionCheck {
  const schemas = new Map(Object.entries({ inputs: input_schema, result: output_schema }));
  return check(
    compiled,
    surroundings(context, ([root = '', ...keys]) => {
      const schema = schemas.get(root);
      let known: Known | 'none' | undefined =
        schema === undefined ? undefined : { kind: 'schema', part: { schema, root: schema } };
      for (const key of keys) {
        if (known === undefined || known === 'none') return undefined;
        known = memberOf(known, key);
      }
      return known === 'none' ? undefined : known;
    }),
  );
}

function check(compiled: Expression, around: Surroundings<Known>): ExpressionCheck {
  if (compiled.references.length === 0) return { type: compiled.type };
  const { kinds, misfit } = checkTypes(compiled.syntax, around);
  const type = typeOf(kinds, compiled.type);
  return misfit === undefined ? { type } : { type, misfit };
}

function typeOf(kinds: Kinds, otherwise: ExpressionType): ExpressionType {
  if (kinds === undefined) return otherwise;
  if (!kinds.has('bool') && !kinds.has('string')) return 'other';
  return kinds.size > 1 ? 'unknown' : kinds.has('bool') ? 'boolean' : 'string';
}

function surroundings(
  context: VerificationContext,
  find: (path: readonly string[]) => Known | undefined,
): Surroundings<Known> {
  const typed = (known: Known | undefined): Typed<Known> =>
    known === undefined || known.kind === 'unknown'
      ? { kinds: undefined }
      : { kinds: kindsOfJson(typesOf(known)), known };
  return {
    path: keys => typed(find(keys)),
    member(known, key) {
      const next = memberOf(known, key);
      return next === 'none' ? next : typed(next);
    },
    element: known => typed(elementOf(known)),
    membersText(known) {
      const names = namesIn(context, known);
      return names.length === 0 ? '' : `, but ${listNames(names)}`;
    },
    helpForMember: (known, key) => suggest(context, key, namesIn(context, known), 'Name what the schema lists.'),
  };
}
