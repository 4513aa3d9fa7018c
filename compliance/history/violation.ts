/** One requirement that an observed run breaks: which, what it asks for there, and what was seen instead. */
export interface Violation {
  readonly requirement: string;
  readonly expected: string;
  readonly observed: string;
  readonly node_id?: string;
  readonly execution_id?: string;
  readonly sequence?: number;
}
