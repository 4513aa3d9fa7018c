import { createRequire } from 'node:module';
import {
  type Adapter,
  AdapterError,
  type AdapterHost,
  type ErrorFacts,
  serve,
} from '../../compliance/adapter/index.js';
import type { AuditQueryParams, ErrorKind } from '../../schemas/types.js';
import { exportPage, verifyText } from './audit/interchange.js';
import type { RecordQuery } from './audit/log.js';
import { ArsError, type ErrorCode } from './error.js';
import { FAULT_POINTS, FaultPlan } from './fault-plan.js';
import { Runtime } from './runtime.js';
import { verify } from './verification/index.js';

const PAGE_RECORDS = 1000;

const KINDS: Readonly<Partial<Record<ErrorCode, ErrorKind>>> = {
  invalid_document: 'invalid',
  expression_invalid: 'invalid',
  mapping_invalid: 'invalid',
  not_canonical: 'invalid',
  usage: 'invalid',
  unsupported: 'unsupported',
  conflict: 'conflict',
  version_conflict: 'conflict',
  workspace_locked: 'conflict',
  not_found: 'not_found',
  illegal_state: 'illegal_state',
  denied: 'denied',
};

/** The reference runtime as the compliance suite drives it. */
export function referenceAdapter(host: AdapterHost): Adapter {
  const faults = new FaultPlan();
  let clock: number | undefined;
  let open: Runtime | undefined;
  const runtime = (): Runtime => {
    if (open === undefined) throw new AdapterError('illegal_state', 'no workspace is open');
    return open;
  };
  return translated({
    runtime: { name: 'agent-runtime-spec reference runtime', version: ownVersion(), language: 'TypeScript' },
    limits: { max_nodes: 1_000_000, max_parallel: 1024 },
    core: {
      async open({ workspace_dir, incarnation }) {
        if (open !== undefined) throw new AdapterError('conflict', 'a workspace is open already');
        open = await Runtime.open({
          workspace: workspace_dir,
          incarnation,
          host,
          clock: () => clock ?? Date.now(),
          fault: (point, execution_id) => {
            if (faults.pass(point)) host.faultPoint(point, execution_id);
          },
        });
        return { recovery: open.recovery };
      },
      async close() {
        const closing = runtime();
        open = undefined;
        clock = undefined;
        faults.disarm();
        await closing.close();
        return {};
      },
      start: async ({ dry_run = false, ...params }) =>
        dry_run ? runtime().start({ ...params, dry_run }) : { execution_id: await runtime().start(params) },
      wait: ({ execution_id, budget_ms }) => runtime().wait(execution_id, budget_ms),
      async resume({ execution_id, agent_id, confirmation_id }) {
        const resumed = await runtime().resume(execution_id, agent_id, confirmation_id);
        return resumed === undefined ? {} : { execution_id: resumed };
      },
      cancel: async ({ execution_id, agent_id }) => nothing(runtime().cancel(execution_id, agent_id)),
      put: async definitions => nothing(runtime().putRegistry(definitions)),
      remove: async definitions => nothing(runtime().removeRegistry(definitions)),
      shutdown: async () => nothing(open?.close()),
    },
    audit: {
      query: params => queryPage(runtime(), params),
      export: ({ agent_id, cursor }) => exportPage(runtime().readAs(agent_id), cursor),
      verify({ text }) {
        const verdict = verifyText(text);
        if (verdict.ok) return { ok: true };
        return { ok: false, first_bad_sequence: verdict.first_bad_sequence, reason: verdict.message };
      },
      evidence: ({ reference, agent_id }) => ({ content: runtime().readAs(agent_id).evidence(reference) }),
    },
    recovery: {
      async run({ dry_run }) {
        const report = await runtime().recover(dry_run === undefined ? {} : { dry_run });
        const { incarnation } = runtime();
        return report ?? { schema_version: '1.0', level: 'COMPLETE', incarnation, decisions: [], in_doubt: [] };
      },
      resolve: async params => nothing(runtime().resolve(params)),
      rollback: async params => ({ execution_id: await runtime().rollback(params) }),
    },
    state: {
      get: ({ agent_id, keys }) => runtime().readAs(agent_id).state(keys),
      snapshot: ({ agent_id }) => runtime().readAs(agent_id).takeSnapshot(),
      reconstruct: ({ agent_id, ...options }) => runtime().readAs(agent_id).reconstruct(options),
    },
    verification: { verify: ({ workflow, registry }) => verify(workflow, registry ?? runtime().registry()) },
    governance: {
      register_agent: async ({ agent, by }) => nothing(runtime().registerAgent(agent, by)),
      grant: async ({ permission }) => ({ permission_id: await runtime().grant(permission) }),
      revoke: async ({ permission_id, by }) => nothing(runtime().revoke(permission_id, by)),
      approve: async params => ({ confirmation_id: await runtime().approve(params) }),
      put_policy: async ({ policy, by }) => nothing(runtime().putPolicy(policy, by)),
      check: params => runtime().check(params),
    },
    components: {
      put_entry: async ({ entry, by }) => nothing(runtime().putIndexEntry(entry, by)),
      get_entry: ({ entry_id, agent_id }) => ({ entry: runtime().readAs(agent_id).indexEntry(entry_id) }),
      put_job: async ({ job, by }) => nothing(runtime().putJob(job, by)),
      get_job: ({ job_id, agent_id }) => ({ job: runtime().readAs(agent_id).job(job_id) }),
    },
    clock: {
      async set({ time }) {
        clock = Date.parse(time);
        return nothing(open?.startDue());
      },
    },
    faults: {
      points: FAULT_POINTS,
      arm(params) {
        faults.arm(params);
        return {};
      },
    },
  });
}

async function nothing(done: Promise<void> | undefined): Promise<Record<string, never>> {
  await done;
  return {};
}

function queryPage(runtime: Runtime, params: AuditQueryParams) {
  const { agent_id, cursor, limit = PAGE_RECORDS, ...conditions } = params;
  if (cursor !== undefined && !/^[0-9]{1,15}$/.test(cursor))
    throw new AdapterError('invalid', `"${cursor}" is no cursor of a query`);
  const after = Number(cursor ?? 0);
  const records = [...runtime.readAs(agent_id).records({ ...(conditions as RecordQuery), after, limit: limit + 1 })];
  const page = records.slice(0, limit);
  const last = page.at(-1);
  return records.length > limit && last !== undefined
    ? { records: page, next: String(last.sequence) }
    : { records: page };
}

/** The adapter with errors of the runtime turned into errors of the protocol. */
function translated(adapter: Adapter): Adapter {
  const wrap = (group: object): object =>
    Object.fromEntries(
      Object.entries(group).map(([name, value]) => [name, typeof value === 'function' ? translatedCall(value) : value]),
    );
  return Object.fromEntries(
    Object.entries(adapter).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? wrap(value) : value,
    ]),
  ) as unknown as Adapter;
}

function translatedCall(call: (...args: unknown[]) => unknown) {
  return async (...args: unknown[]) => {
    try {
      return await call(...args);
    } catch (error) {
      if (!(error instanceof ArsError)) throw error;
      throw new AdapterError(KINDS[error.code] ?? 'internal', error.message, factsOf(error));
    }
  };
}

function factsOf({ code, details }: ArsError): ErrorFacts {
  if (code !== 'denied') return {};
  const { gate, execution_id, reasons, report } = details as ErrorFacts;
  return Object.fromEntries(
    Object.entries({ gate, execution_id, reasons, report }).filter(([, value]) => value !== undefined),
  );
}

function ownVersion(): string {
  const require = createRequire(import.meta.url);
  return (require('agent-runtime-spec/package.json') as { version: string }).version;
}

serve(referenceAdapter);
