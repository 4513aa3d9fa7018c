import type { Workflow } from '../../schemas/types.js';

/** What makes a workflow one of this name, for skill nodes to refer to. */
export const named = (name: string, more: Partial<Workflow> = {}): Partial<Workflow> => ({
  ...more,
  workflow: { name, version: '1.0.0' },
});
