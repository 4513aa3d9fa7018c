import type { Permission, PermittedAction } from '../../../schemas/types.js';

/** Something that an agent wants to do: an action of a domain, on what has this name. */
export interface Demand {
  readonly domain: Permission['domain'];
  readonly action: PermittedAction;
  /** Absent: on anything at all. */
  readonly name?: string;
}

/**
 * Whether one of the permissions allows it at this time (RFC 3339); ends of validity are exclusive.
 *
 * @requirement PR2
 * @requirement DI2
 */
export function isPermitted(permissions: readonly Permission[], demand: Demand, now: string): boolean {
  return permissions.some(
    p =>
      p.domain === demand.domain &&
      p.actions.includes(demand.action) &&
      isValidAt(p, now) &&
      (demand.name === undefined || inScope(p.scope, demand.name)),
  );
}

/** Whether the name is in the scope; a trailing * stands for any ending, an absent scope for everything. */
export function inScope(scope: string | undefined, name: string): boolean {
  if (scope === undefined) return true;
  return scope.endsWith('*') ? name.startsWith(scope.slice(0, -1)) : scope === name;
}

/** Whether the permission has not lapsed. */
export function isValidAt(permission: Permission, now: string): boolean {
  return permission.valid_until === undefined || now < permission.valid_until;
}

/**
 * Whether everything that the permission allows is allowed by permissions that its grantor holds.
 *
 * @requirement PR4
 */
export function isWithin(wanted: Permission, held: readonly Permission[], now: string): boolean {
  return wanted.actions.every(action =>
    held.some(
      p =>
        p.domain === wanted.domain &&
        p.actions.includes(action) &&
        isValidAt(p, now) &&
        coversScope(p.scope ?? '*', wanted.scope ?? '*') &&
        (p.valid_until === undefined || (wanted.valid_until !== undefined && wanted.valid_until <= p.valid_until)),
    ),
  );
}

function coversScope(wide: string, narrow: string): boolean {
  if (!wide.endsWith('*')) return wide === narrow;
  const prefix = wide.slice(0, -1);
  return narrow.endsWith('*') ? narrow.slice(0, -1).startsWith(prefix) : narrow.startsWith(prefix);
}
