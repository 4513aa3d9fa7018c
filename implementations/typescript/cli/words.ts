/** A word that findings and commands use and that the chapters explain beside their tables of terms. */
export interface Word {
  readonly meaning: string;
  /** The chapter, and the heading in it. */
  readonly place: string;
}

const FIRING = 'spec/v1.0/07-workflow.md#the-rule';
const NODES = 'spec/v1.0/07-workflow.md#nodes';
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
};
