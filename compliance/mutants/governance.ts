import type { Mutant } from './mutant.js';

/** Faults in the gates. */
export const GOVERNANCE_MUTANTS: readonly Mutant[] = [
  {
    id: 'permission-ignored',
    requirement: 'G2',
    why: 'governance allows agents what nobody has permitted them',
    edits: [{ file: 'governance/gate.js', find: 'if (missing !== undefined)', replace: 'if (false)' }],
  },
  {
    id: 'verification-ignored',
    requirement: 'WII3',
    why: 'what verification fails is started all the same',
    edits: [{ file: 'governance/verification-gate.js', find: "if (report.verdict === 'FAIL')", replace: 'if (false)' }],
  },
  {
    id: 'gate-unrecorded',
    requirement: 'G1',
    why: 'an instance starts without a record of the governance gate',
    edits: [
      { file: 'execution/permit.js', find: 'if (!passed)', replace: 'if (false)' },
      {
        file: 'governance/passage.js',
        find: "this.#records.push({ ...this.#draft('governance', decision), trust_after });",
        replace:
          "if (decision.decision === 'denied') this.#records.push({ ...this.#draft('governance', decision), trust_after });",
      },
    ],
  },
  {
    id: 'risk-unconfirmed',
    requirement: 'MS1',
    why: 'a risky workflow starts without a confirmation',
    edits: [
      { file: 'governance/confirmation.js', find: 'given === undefined', replace: 'given === undefined ? [] : false' },
    ],
  },
  {
    id: 'confirmation-other-inputs',
    requirement: 'MS1',
    why: 'a confirmation counts for other inputs',
    edits: [
      {
        file: 'governance/confirmation.js',
        find: 'if (confirmation.inputs_digest !== start.inputs_digest)',
        replace: 'if (false)',
      },
    ],
  },
  {
    id: 'confirmation-other-documents',
    requirement: 'MS1',
    why: 'a confirmation counts for another version of the workflow',
    edits: [
      {
        file: 'governance/confirmation.js',
        find: 'if (confirmation.resolved_digest !== start.resolved_digest)',
        replace: 'if (false)',
      },
    ],
  },
  {
    id: 'confirmation-other-agent',
    requirement: 'MS1',
    why: 'a confirmation counts for another agent',
    edits: [
      {
        file: 'governance/confirmation.js',
        find: 'if (confirmation.agent_id !== start.agent_id)',
        replace: 'if (false)',
      },
    ],
  },
  {
    id: 'confirmation-lapsed',
    requirement: 'MS1',
    why: 'a confirmation counts for ever',
    edits: [{ file: 'governance/confirmation.js', find: 'if (now >= confirmation.expires_at)', replace: 'if (false)' }],
  },
  {
    id: 'confirmation-end-inclusive',
    requirement: 'MS1',
    why: 'a confirmation still counts at the instant of its end',
    edits: [
      {
        file: 'governance/confirmation.js',
        find: 'now >= confirmation.expires_at',
        replace: 'now > confirmation.expires_at',
      },
    ],
  },
  {
    id: 'confirmation-used-twice',
    requirement: 'MS1',
    why: 'one confirmation serves any number of starts',
    edits: [{ file: 'governance/confirmation.js', find: 'if (used_by !== undefined)', replace: 'if (false)' }],
  },
  {
    id: 'confirmation-race',
    requirement: 'MS1',
    why: 'starts at one time all see one confirmation unused',
    edits: [{ file: 'audit/turns.js', find: 'Promise.all([alone, ...beside]).then(work)', replace: 'work()' }],
  },
  {
    id: 'approver-for-ever',
    requirement: 'MS1',
    why: 'a confirmation counts although its approver has become unknown',
    edits: [
      {
        file: 'governance/approvals.js',
        find: 'confirmation !== undefined && this.#mayApprove(confirmation.approver, workflow, now)',
        replace: 'confirmation !== undefined',
      },
    ],
  },
  {
    id: 'self-approval',
    requirement: 'MS1',
    why: 'an agent confirms its own start',
    edits: [
      { file: 'governance/approvals.js', find: 'if (approver === agent_id)', replace: 'if (false)' },
      {
        file: 'governance/confirmation.js',
        find: ' || confirmation.approver === start.agent_id',
        replace: '',
      },
    ],
  },
  {
    id: 'approver-unpermitted',
    requirement: 'MS1',
    why: 'any agent confirms, registered or not, permitted or not',
    edits: [
      {
        file: 'governance/approvals.js',
        find: "demand(this.#journal.log, approver, { domain: 'approval', action: 'grant' }, own.now);",
        replace: '',
      },
      { file: 'governance/confirmation.js', find: '!given.approver_fit || ', replace: '' },
    ],
  },
  {
    id: 'dry-run-needless',
    requirement: 'MS2',
    why: 'an irreversible workflow starts without a dry run',
    edits: [
      { file: 'governance/confirmation.js', find: "level === 'IRREVERSIBLE' && !facts.dry_run", replace: 'false' },
    ],
  },
  {
    id: 'dry-run-other-inputs',
    requirement: 'MS2',
    why: 'a dry run counts for any inputs',
    edits: [
      {
        file: 'governance/approvals.js',
        find: 'return `${resolved_digest} ${inputs_digest}`;',
        replace: "return `${resolved_digest} ${inputs_digest && ''}`;",
      },
    ],
  },
  {
    id: 'confirmations-forgotten',
    requirement: 'GFR1',
    why: 'which confirmations were used up is forgotten at a restart',
    edits: [{ file: 'governance/approvals.js', find: 'if (this.#read)', replace: 'if (true)' }],
  },
  {
    id: 'safety-unrecorded',
    requirement: 'GL2',
    why: 'what the safety gate denies is not recorded',
    edits: [
      { file: 'governance/passage.js', find: "if (gate !== 'governance')", replace: "if (gate === 'verification')" },
    ],
  },
  {
    id: 'denial-unreasoned',
    requirement: 'EG3',
    why: 'the reasons of a denial are not recorded',
    edits: [
      {
        file: 'governance/passage.js',
        find: 'reasons: [...reasons]',
        replace: "reasons: gate === 'safety' ? [] : [...reasons]",
      },
    ],
  },
  {
    id: 'gates-shuffled',
    requirement: 'GL1',
    why: 'governance is asked before verification',
    edits: [
      {
        file: 'governance/passage.js',
        find: 'records: this.#records,',
        replace: 'records: this.#records.toReversed(),',
      },
    ],
  },
  {
    id: 'denial-anonymous',
    requirement: 'GL3',
    why: 'a denial does not say which instance was denied',
    edits: [{ file: 'governance/passage.js', find: 'execution_id: this.#execution_id, reasons,', replace: 'reasons,' }],
  },
  {
    id: 'dry-run-runs',
    requirement: 'EG2',
    why: 'a dry run starts the workflow as well',
    edits: [
      {
        file: 'runtime.js',
        find: 'return simulate(this.#parts, wanted);',
        replace:
          'return startInstance(this.#parts, wanted).then(() => simulate(this.#parts, wanted), () => simulate(this.#parts, wanted));',
      },
    ],
  },
];
