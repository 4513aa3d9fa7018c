import type { Plant } from './plants-graph.js';
import { plainAction } from './site.js';

/** Defects of identity: what is defined twice. */
export const NAME_PLANTS: readonly Plant[] = [
  {
    rule: 'S5',
    kind: 'repeated-action',
    plant(site) {
      return site.define(structuredClone(site.pick(site.actions)));
    },
  },
  {
    rule: 'S5',
    kind: 'registry-actions',
    plant(site) {
      const twice = plainAction('twice');
      site.registry.actions = [twice, plainAction('once'), { ...twice, description: 'another one' }];
      const step = site.action({ action_def: 'twice@^1' });
      site.between(step);
      return `${site.pointer(step)}/action_def`;
    },
  },
  {
    rule: 'S5',
    kind: 'registry-workflows',
    plant(site) {
      const step = site.skill();
      const { workflows = [] } = site.registry;
      const first = workflows.at(-1) as (typeof workflows)[number];
      workflows.push({ ...structuredClone(first), outputs: { text: 'another one' } });
      site.between(step);
      return `${site.pointer(step)}/workflow_ref`;
    },
  },
];
