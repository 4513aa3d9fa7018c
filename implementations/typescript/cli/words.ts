/** A word that findings and commands use and that the chapters explain beside their tables of terms. */
export interface Word {
  readonly meaning: string;
  /** The chapter, and the heading in it. */
  readonly place: string;
}

const FIRING = 'spec/v1.0/07-workflow.md#the-rule';
const NODES = 'spec/v1.0/07-workflow.md#nodes';
const ERROR_NODES = 'spec/v1.0/07-workflow.md#error-nodes';
const FIELDS = 'spec/v1.0/05-execution.md#fields';
const PROMISES = 'spec/v1.0/05-execution.md#what-a-contract-may-promise';
const EFFECTS = 'spec/v1.0/05-execution.md#two-kinds-of-effect';
const POLICIES = 'spec/v1.0/09-governance.md#policies';

/** Words by their plain form, see `ars explain`. */
export const WORDS: Readonly<Record<string, Word>> = {
  'AND join': {
    meaning:
      'a node with several in-edges and join_type AND: it runs once all of them are taken, and is skipped as soon as all are resolved and one is dead',
    place: FIRING,
  },
  'OR join': {
    meaning:
      'a node with several in-edges and join_type OR, which is what no join_type means: it waits until all of them are resolved, then runs once if at least one is taken, and is skipped otherwise',
    place: FIRING,
  },
  join: { meaning: 'a node with several in-edges; join_type says what it waits for, AND or OR', place: FIRING },
  join_type: { meaning: 'AND or OR, of a node with several in-edges; absent means OR', place: NODES },
  skipped: {
    meaning:
      'said of a node that is not run: its single in-edge is dead, one in-edge of an AND join is, or all of an OR join are; its out-edges are dead then',
    place: FIRING,
  },
  ready: { meaning: 'said of a node that is decided and will run', place: FIRING },
  fan_out: {
    meaning: 'parallel, of a node of which one outcome takes several out-edges, so that branches run side by side',
    place: NODES,
  },
  label: {
    meaning:
      'of an edge: the outcome of its node that takes it, as success, failure or an answer of a condition; always is taken after any outcome',
    place: NODES,
  },
  'policy level': {
    meaning:
      'how far a policy reaches: 0 global, whose denial nothing outvotes; 1 workspace; 2 agent, whose scope is agent_ids; 3 workflow, whose scope is the names of workflows. Of applicable policies those of the highest number decide',
    place: POLICIES,
  },
  conditional: { meaning: 'effect of a policy: a start that it applies to needs a confirmation', place: POLICIES },
  rollbackable: {
    meaning:
      'of an action: its effect can be taken back as if it had not been; with side effects it names a revert that does it. With remote_server or external_service it cannot be promised',
    place: PROMISES,
  },
  compensatable: {
    meaning:
      'of an action: its effect cannot be taken back, but another action, its compensation, makes good for it. With external_service it cannot be promised',
    place: PROMISES,
  },
  irreversible: {
    meaning:
      'of an action: nothing undoes its effect. It is what an action with external_service always is; the node that uses it says irreversible: acknowledged (S17)',
    place: PROMISES,
  },
  deterministic: {
    meaning:
      'of an action: the same inputs give the same result, whenever and however often; a failed attempt may be retried up to 3 times',
    place: FIELDS,
  },
  conditionally_deterministic: {
    meaning:
      'of an action: the result depends on the inputs and on something outside that the author knows and that changes seldom; up to 2 retries',
    place: FIELDS,
  },
  non_deterministic: {
    meaning: 'of an action: the same inputs can give another result each time; it is not retried',
    place: FIELDS,
  },
  filesystem: { meaning: 'a side effect on files of the machine', place: EFFECTS },
  remote_server: {
    meaning:
      'a side effect on a service that offers a call to undo it; such an action is compensatable or irreversible',
    place: EFFECTS,
  },
  repository: { meaning: 'a side effect on a versioned store of documents', place: EFFECTS },
  memory: { meaning: 'a side effect on what an agent remembers outside State', place: EFFECTS },
  scheduler: { meaning: 'a side effect: jobs that are to run later', place: EFFECTS },
  external_service: {
    meaning:
      'a side effect on a service that offers no call to undo it, as an e-mail that was sent; such an action is irreversible',
    place: EFFECTS,
  },
  retry: {
    meaning: 'handling of an error node: the failed node is executed again, up to max_attempts times',
    place: ERROR_NODES,
  },
  compensate: {
    meaning:
      'handling of an error node: what has committed is undone by reverts and compensations; with compensate_ref that one action is executed instead',
    place: ERROR_NODES,
  },
  rollback: {
    meaning: 'handling of an error node: what has committed is undone by reverts and compensations, as with compensate',
    place: ERROR_NODES,
  },
  fail: { meaning: 'handling of an error node: the instance has failed; no edge leaves the node', place: ERROR_NODES },
  CEL: {
    meaning:
      'the Common Expression Language, in which conditions are written. Here without matches and time zones; numbers of documents are doubles, so arithmetic takes literals such as 1.0; has(x) asks whether there is one',
    place: 'spec/v1.0/05-execution.md#expressions',
  },
  UNKNOWN: {
    meaning: 'said of a safety level: a definition is missing that could make it higher, so only at_least is known',
    place: 'spec/v1.0/08-verification.md#safety',
  },
  namespace: {
    meaning: 'of a key of State or of a name: the beginning that agents agree on; permissions can be limited to it',
    place: 'spec/v1.0/09-governance.md#between-agents',
  },
  hard: { meaning: 'of a condition of a contract: if it is not true, the execution fails with E4', place: FIELDS },
  soft: { meaning: 'of a condition of a contract: if it is not true, the execution is marked degraded', place: FIELDS },
};
