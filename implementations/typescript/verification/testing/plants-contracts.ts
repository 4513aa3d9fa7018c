import type { Action } from '../../../../schemas/types.js';
import type { Plant } from './plants-graph.js';
import { plainAction, type Site } from './site.js';

const IRREVERSIBLE: Partial<Action> = { rollback: 'irreversible', side_effects: ['external_service'] };
const MARKED = { irreversible: 'acknowledged' };
const COMPENSATABLE: Partial<Action> = { rollback: 'compensatable', side_effects: ['remote_server'] };

/** A defect in a definition that a node uses. */
function contract(rule: string, kind: string, more: Partial<Action>, place: string): Plant {
  return {
    rule,
    kind,
    plant(site) {
      const at = `/actions/${site.actions.length}`;
      const step = site.action({}, more);
      if (kind === 'undeclared') delete (site.actions.at(-1) as Partial<Action>).side_effects;
      if (more.revert !== undefined || more.compensation !== undefined) site.define(plainAction('undo'));
      site.between(step);
      return at + place;
    },
  };
}

/** Something that cannot be undone, and after it an error node that undoes; nothing else runs beside the two. */
function undone(kind: string, compensation: Action | undefined): Plant {
  return {
    rule: 'S16',
    kind,
    plant(site) {
      const more = compensation === undefined ? {} : { compensation: 'amends@^1' };
      const first = site.action({}, { ...COMPENSATABLE, ...more });
      if (compensation !== undefined) site.define(compensation);
      const error = failingInto(site, first, { handling: site.pick(['compensate', 'rollback']) });
      return site.pointer(error);
    },
  };
}

/** Puts a step behind another one, and an error node behind its failure. */
function failingInto(site: Site, first: string, handling: object): string {
  const second = site.action();
  const error = site.add({ type: 'error', ...handling });
  (site.edges.at(-1) as { to_node: string }).to_node = error;
  site.edge(first, second, 'success');
  site.end(second);
  site.end(error);
  site.instead(first);
  return error;
}

/** Defects of contracts and of what happens after a failure: S9 to S11, S16, S17. */
export const CONTRACT_PLANTS: readonly Plant[] = [
  {
    rule: 'S9',
    kind: 'too-often',
    plant(site) {
      const [determinism, max_retries] = site.pick([
        ['deterministic', 4],
        ['conditionally_deterministic', 3],
        ['non_deterministic', 1],
      ] as const);
      const step = site.action({ retry_policy: { max_retries } }, { determinism });
      site.between(step);
      return `${site.pointer(step)}/retry_policy/max_retries`;
    },
  },
  {
    rule: 'S9',
    kind: 'skill-too-often',
    plant(site) {
      const step = site.skill();
      const retry = site.add({ type: 'error', handling: 'retry', max_attempts: 4 });
      (site.edges.at(-1) as { to_node: string }).to_node = retry;
      site.fails(retry);
      site.end(retry);
      site.between(step);
      return site.pointer(retry);
    },
  },
  {
    rule: 'S9',
    kind: 'irreversible',
    plant(site) {
      const step = site.action({ ...MARKED, retry_policy: { max_retries: 1 } }, IRREVERSIBLE);
      site.end(step);
      site.aside(step);
      return `${site.pointer(step)}/retry_policy/max_retries`;
    },
  },
  contract('S10', 'no-effects', { rollback: 'compensatable' }, '/rollback'),
  contract('S10', 'modifies-without-effects', { modifies_existing: true }, '/modifies_existing'),
  contract(
    'S10',
    'modifies-existing',
    { side_effects: ['filesystem'], modifies_existing: true, revert: 'undo@1' },
    '/rollback',
  ),
  contract('S10', 'remote-server', { side_effects: ['remote_server'], revert: 'undo@1' }, '/rollback'),
  contract('S10', 'external-service', { side_effects: ['external_service'], revert: 'undo@1' }, '/rollback'),
  contract('S10', 'no-revert', { side_effects: ['memory'] }, '/rollback'),
  contract('S11', 'undeclared', {}, ''),
  contract('S11', 'contradiction', { revert: 'undo@1' }, '/revert'),
  contract('S11', 'not-idempotent', { idempotent: false }, '/idempotent'),
  undone('no-compensation', undefined),
  undone('irreversible-compensation', plainAction('amends', IRREVERSIBLE)),
  undone('compensation-inputs', plainAction('amends', { input_schema: { type: 'object', required: ['booking'] } })),
  {
    rule: 'S16',
    kind: 'irreversible-reference',
    plant(site) {
      site.define(plainAction('amends', IRREVERSIBLE));
      const error = failingInto(site, site.action(), { handling: 'compensate', compensate_ref: 'amends@1' });
      return `${site.pointer(error)}/compensate_ref`;
    },
  },
  {
    rule: 'S17',
    kind: 'unmarked',
    plant(site) {
      const step = site.action({}, IRREVERSIBLE);
      site.end(step);
      site.instead(step);
      return site.pointer(step);
    },
  },
  {
    rule: 'S17',
    kind: 'unrecoverable',
    plant(site) {
      const [step, later] = [site.action(MARKED, IRREVERSIBLE), site.action()];
      site.edge(step, later, 'success');
      site.end(later);
      site.aside(step);
      return site.pointer(step);
    },
  },
  {
    rule: 'S17',
    kind: 'unmarked-unrecoverable',
    plant(site) {
      const [step, later] = [site.action({}, IRREVERSIBLE), site.skill()];
      site.edge(step, later, 'success');
      site.end(later);
      site.aside(step);
      return site.pointer(step);
    },
  },
];
