import type { Location } from '../../../../schemas/types.js';
import type { JudgedReport } from '../judged.js';

/** The fields that refer to an action or a workflow. */
const FIELDS = ['action_def', 'compensate_ref', 'workflow_ref', 'revert', 'compensation'];

/**
 * Returns where each rule of a report that was not evaluated has its reason in the document: the rule and the place of
 * the reference that is open. Rules whose reason is no reference of the document are not in it.
 */
export function placesNotEvaluated(report: JudgedReport): [rule: string, place: Location][] {
  const placeOf = new Map<string, Location | undefined>();
  const places: [string, Location][] = [];
  for (const { rule, status, reason = '' } of report.report.rules) {
    if (status !== 'not_evaluated') continue;
    if (!placeOf.has(reason)) placeOf.set(reason, placeOfReference(report, reason));
    const place = placeOf.get(reason);
    if (place !== undefined) places.push([rule, place]);
  }
  return places;
}

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
