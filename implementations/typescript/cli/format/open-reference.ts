import type { Location } from '../../../../schemas/types.js';
import type { JudgedReport } from '../judged.js';

/** The fields that refer to an action or a workflow. */
const FIELDS = ['action_def', 'compensate_ref', 'workflow_ref', 'revert', 'compensation'];

/**
 * Returns where the first reference stands that a reason why a rule was not evaluated names, of nodes first; undefined
 * where it names none of the document.
 */
export function placeOfReference({ source }: JudgedReport, reason: string): Location | undefined {
  const { nodes, actions } = (source.value ?? {}) as Readonly<Record<string, unknown>>;
  for (const [section, list] of Object.entries({ nodes, actions })) {
    for (const [index, item] of Array.isArray(list) ? list.entries() : []) {
      for (const field of FIELDS) {
        const reference: unknown = item?.[field];
        if (typeof reference === 'string' && reason.includes(`"${reference}"`))
          return source.locate(`/${section}/${index}/${field}`);
      }
    }
  }
  return undefined;
}
