import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionFunctions } from '../../implementations/typescript/execution/functions.js';
import { OWNER, Runtime } from '../../implementations/typescript/runtime.js';
import { AGENT, workflow } from './workflow.js';

/** How many instances run at one time. */
const AT_ONCE = 4;
const EXPIRES_MS = 3_600_000;

const [folder = '', first = '0', drain = ''] = process.argv.slice(2);
const ledger = join(folder, 'ledger.jsonl');

/** The effect is one appended line, which survives the process; a probe reads them again. */
function effect(kind: string, key: string): void {
  appendFileSync(ledger, `${JSON.stringify({ kind, key })}\n`);
}
function has(kind: string, key: string): boolean {
  return existsSync(ledger) && readFileSync(ledger, 'utf8').includes(JSON.stringify({ kind, key }));
}
const probed = (kind: string) => ({
  invoke: ({ idempotency_key }: { idempotency_key: string }) => {
    effect(kind, idempotency_key);
    return { outputs: {} };
  },
  probe: ({ idempotency_key }: { idempotency_key: string }) =>
    has(kind, idempotency_key) ? ({ verdict: 'applied', outputs: {} } as const) : ({ verdict: 'absent' } as const),
});
const actions: ActionFunctions = {
  pure: ({ inputs }) => ({
    outputs: {},
    state_changes: [{ key: `last of ${inputs.lane}`, op: 'put', value: inputs.lane ?? null }],
  }),
  save: probed('save'),
  unsave: probed('unsave'),
  post: probed('post'),
};

const runtime = await Runtime.open({ workspace: join(folder, 'workspace'), actions });
// What has been told here is durable, whatever happens to this process next.
runtime.subscribe(({ sequence, hash }) => writeSync(1, `${sequence} ${hash}\n`));
if (runtime.agent(AGENT) === undefined) {
  await runtime.registerAgent({ agent_id: AGENT, trust: 'TRUSTED' }, OWNER);
  await runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: AGENT, granted_by: OWNER });
}
writeSync(1, 'ready\n');

if (drain === 'drain') {
  for (const { execution_id } of [...runtime.records({ record_type: 'workflow', status: 'workflow_started' })])
    await runtime.wait(execution_id, 120_000);
  await runtime.close();
} else {
  let next = Number(first);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (;;) {
        const number = next;
        next += 1;
        const wanted = { workflow, inputs: { number }, agent_id: AGENT };
        const { dry_run } = await runtime.start({ ...wanted, dry_run: true });
        const { resolved_digest, inputs_digest } = dry_run;
        const expires_at = new Date(Date.now() + EXPIRES_MS).toISOString();
        const approval = { resolved_digest, inputs_digest, agent_id: AGENT, approver: OWNER, expires_at };
        const confirmation_id = await runtime.approve(approval);
        await runtime.wait(await runtime.start({ ...wanted, confirmation_id }), 120_000);
      }
    }),
  );
}
