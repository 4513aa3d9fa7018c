import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isValid } from '../../schemas/index.js';
import { readLines } from '../history/read-lines.js';
import { verifyText } from '../history/verify-text.js';
import { doneScenes } from './scenes/done.js';
import { doorScenes } from './scenes/doors.js';
import { grantScenes } from './scenes/grants.js';
import { permissionScenes } from './scenes/permissions.js';
import { policyScenes } from './scenes/policies.js';
import { triedScenes } from './scenes/tried.js';
import { trustScenes } from './scenes/trust.js';
import { ERRANDS, foreignLog } from './scenes.js';

describe('scenes', () => {
  it('have workflows and documents that fit their schemas', () => {
    for (const workflow of Object.values(ERRANDS))
      expect(isValid('workflow', workflow), workflow.workflow.name).toBe(true);
    const drawn = [permissionScenes, policyScenes, grantScenes, doorScenes, trustScenes, doneScenes, triedScenes];
    for (const { acts } of drawn.flatMap(scenes => fc.sample(scenes, { seed: 1, numRuns: 5 }))) {
      for (const act of acts) {
        if (act.do === 'grant') expect(isValid('permission', act.permission)).toBe(true);
        if (act.do === 'policy') expect(isValid('policy', act.policy)).toBe(true);
        if (act.do === 'register') expect(isValid('agent', act.agent)).toBe(true);
      }
    }
  });

  it('come with a foreign log that is one', () => {
    const text = foreignLog();
    expect(verifyText(text)).toMatchObject({ ok: true });
    expect([...readLines(text)].map(({ record }) => record?.record_type)).toEqual([
      'approval',
      'trust',
      'action',
      'action',
    ]);
  });
});
