import type { Mutant } from './mutant.js';

const GATE = "if (report.verdict === 'FAIL')";

/** A gate that takes what breaks nothing but some rules. */
function lenient(id: string, requirement: string, why: string, rules: readonly string[]): Mutant {
  const only = `report.findings.every(({ rule, severity }) => severity === 'warning' || ${JSON.stringify(rules)}.includes(rule))`;
  return {
    id,
    requirement,
    why,
    edits: [
      { file: 'governance/verification-gate.js', find: GATE, replace: `if (report.verdict === 'FAIL' && !${only})` },
    ],
  };
}

/** A host that is told something else than the log. */
function told(id: string, requirement: string, why: string, change: string): Mutant {
  return {
    id,
    requirement,
    why,
    edits: [
      {
        file: 'adapter.js',
        find: 'incarnation,\n                    host,',
        replace: `incarnation,
                    host: {
                        invoke: (params, signal) => host.invoke({ ...params, ${change} }, signal),
                        probe: (params, signal) => host.probe(params, signal),
                    },`,
      },
    ],
  };
}

/** Faults in what instances run on, see, and are after a restart. */
export const INSTANCE_MUTANTS: readonly Mutant[] = [
  lenient('dangling-started', 'WII4', 'an edge to no node keeps nothing from starting', ['S5']),
  lenient('endless-started', 'WII5', 'a path without an end keeps nothing from starting', ['S3']),
  {
    id: 'definition-exchanged',
    requirement: 'WF1',
    why: 'after a restart an instance goes on with what now has the name of its workflow',
    edits: [
      {
        file: 'instances.js',
        find: "const stored = this.#journal.log.document('resolved', resolved_digest);",
        replace: `const kept = this.#journal.log.document('resolved', resolved_digest);
        const { name, version } = kept?.workflow.workflow ?? {};
        const newer = kept && this.#journal.log.document('workflow', \`\${name}@\${version}\`);
        const stored = newer === undefined ? kept : { ...kept, workflow: newer };`,
      },
      { file: 'workflow/plan.js', find: 'if (plan.resolved_digest !== resolved_digest)', replace: 'if (false)' },
    ],
  },
  {
    id: 'removal-total',
    requirement: 'I6',
    why: 'what is removed from the registry is taken from those who use it, too',
    edits: [
      {
        file: 'definitions.js',
        find: 'documents: workflows.flatMap(withIt), removals });',
        replace:
          "documents: workflows.flatMap(withIt), removals: [...removals, ...[...this.#journal.log.documents('resolved')].map(({ id }) => ({ kind: 'resolved', id }))] });",
      },
    ],
  },
  {
    id: 'jobs-of-nothing',
    requirement: 'I7',
    why: 'a job is taken whether its workflow is there or not',
    edits: [
      {
        file: 'jobs.js',
        find: "if (this.#journal.log.document('workflow', workflow_id) === undefined)",
        replace: 'if (false)',
      },
    ],
  },
  told(
    'newest-version',
    'EB1',
    'what is invoked is the newest version that the registry has by then',
    'version: runtime().registry().actions.filter(({ action_id }) => action_id === params.action_id).map(({ version }) => version).sort().at(-1) ?? params.version',
  ),
  told(
    'retries-under-one-id',
    'CF11',
    'all attempts of a node are invoked under one execution_id',
    "execution_id: params.idempotency_key.replaceAll(/[^A-Za-z0-9._:-]/g, '-').slice(0, 128)",
  ),
  {
    id: 'inputs-made-up',
    requirement: 'AN3',
    why: 'where an input mapping leads to nothing the action gets no inputs',
    edits: [
      {
        file: 'workflow/evaluate.js',
        find: "return attempt('input_mapping', () => limited(step.inputs.evaluate(scopeOf(instance, step))));",
        replace: `const made = attempt('input_mapping', () => limited(step.inputs.evaluate(scopeOf(instance, step))));
    return made.ok ? made : { ok: true, value: {} };`,
      },
    ],
  },
  {
    id: 'larger-limit',
    requirement: 'AN4',
    why: 'the limit of a node holds, however small that of its action is',
    edits: [{ file: 'workflow/step.js', find: 'Math.min(...limits)', replace: 'limits[0]' }],
  },
  {
    id: 'condition-sees-time',
    requirement: 'CN2',
    why: 'a condition sees the time in place of the context',
    edits: [
      {
        file: 'workflow/evaluate.js',
        find: 'return { inputs, context, nodes: Object.fromEntries(nodes),',
        replace:
          'return { inputs, context: Object.fromEntries(Object.keys(context).map(key => [key, String(Date.now())])), nodes: Object.fromEntries(nodes),',
      },
    ],
  },
  {
    id: 'terminal-ends-all',
    requirement: 'TN3',
    why: 'a terminal ends the instance, whatever else is under way',
    edits: [
      {
        file: 'workflow/firing.js',
        find: 'instance.worst = worse(instance.worst, step.status);',
        replace: "instance.worst = worse(instance.worst, step.status); instance.stopped ??= 'cancelled';",
      },
    ],
  },
  {
    id: 'failure-stops-all',
    requirement: 'FB4',
    why: 'an unhandled failure keeps everything else from starting',
    edits: [
      {
        file: 'workflow/firing.js',
        find: 'instance.marked = { ...failure, node_id };',
        replace: "instance.marked = { ...failure, node_id }; instance.stopped ??= 'cancelled';",
      },
    ],
  },
  {
    id: 'condition-changes-its-mind',
    requirement: 'CN4',
    why: 'a condition that is evaluated again after a restart takes its default',
    edits: [
      {
        file: 'adapter.js',
        find: 'open = await Runtime.open({',
        replace: 'globalThis.lives = incarnation; open = await Runtime.open({',
      },
      {
        file: 'workflow/evaluate.js',
        find: 'if (!answer.ok || labels.has(answer.value))',
        replace:
          "if (globalThis.lives > 1 && labels.has('default')) return { ok: true, value: 'default' };\n    if (!answer.ok || labels.has(answer.value))",
      },
    ],
  },
  {
    id: 'ended-and-forgotten',
    requirement: 'WF2',
    why: 'after a restart it is forgotten how the first node ended',
    edits: [
      {
        file: 'adapter.js',
        find: 'open = await Runtime.open({',
        replace: 'globalThis.lives = incarnation; open = await Runtime.open({',
      },
      {
        file: 'adapter.js',
        find: 'runtime().wait(execution_id, budget_ms)',
        replace:
          'runtime().wait(execution_id, budget_ms).then(result => globalThis.lives > 1 ? { ...result, trace: result.trace.slice(1) } : result)',
      },
    ],
  },
  {
    id: 'keys-ignored',
    requirement: 'IR4',
    why: 'a start with a key that was used starts another instance',
    edits: [
      {
        file: 'instances.js',
        find: 'if (known !== undefined)\n            return known;\n        const starting',
        replace: 'const starting',
      },
    ],
  },
];
