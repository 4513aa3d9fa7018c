import { isValid, type SchemaDefect, validate } from '../../../schemas/index.js';
import type { Action, Edge, Node, Workflow } from '../../../schemas/types.js';
import { shown, WORKFLOW_FORM } from '../../../schemas/words.js';
import { type IllFormed, illFormed } from './companions.js';
import { schemaDefects } from './value-schemas.js';

/** What the rules see of a document: the parts that have a usable form, and what had to be left out. */
export interface VerifiedInput {
  readonly defects: readonly SchemaDefect[];
  /** Whether the document is no workflow at all, and not one that has defects; then it has one defect, that. */
  readonly isForeign?: boolean;
  /** Every node with a node_id that is a text. */
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly actions: readonly Action[];
  /** The inputs of the workflow by name, empty where it has none; absent where they are ill-formed. */
  readonly inputs?: NonNullable<Workflow['inputs']>;
  /** The outputs of the workflow; absent where they are ill-formed. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** The whole document, where it is well-formed. */
  readonly workflow?: Workflow;
  /** `workflow.start`, where it is a text. */
  readonly start: string | undefined;
  /** Whether the header could be read, so that an absent start is really absent. */
  readonly headerReadable: boolean;
  /** Places in the document's lists of the nodes, edges and actions; absent where none was left out. */
  readonly nodePlaces?: readonly number[];
  readonly edgePlaces?: readonly number[];
  readonly actionPlaces?: readonly number[];
  /** What can be read of the document where it does not fit its schema, and of its actions that do not; else absent. */
  readonly illFormed?: IllFormed;
  readonly illFormedActions?: readonly IllFormed[];
  /** Nodes and edges by index here whose other parts are ill-formed; rules do not judge them. */
  readonly unclearNodes: ReadonlySet<number>;
  readonly unclearEdges: ReadonlySet<number>;
  /** Whether nodes or edges had to be left out, so that what is missing cannot be judged. */
  readonly nodesMissing: boolean;
  readonly edgesMissing: boolean;
}

/** The one defect of a document of another format, which would else have one for each property. */
function foreignDefect(document: unknown): SchemaDefect | undefined {
  if (!isObject(document)) {
    const what =
      document === null
        ? 'the document is empty'
        : `it is ${typeof document === 'string' ? 'the text ' : ''}${shown(document)}`;
    return {
      pointer: '',
      message: `This is no ARS workflow: ${what}`,
      help: WORKFLOW_FORM,
      keyword: 'type',
      params: { type: 'object' },
    };
  }
  if (Object.hasOwn(document, 'schema_version')) return undefined;
  const hasHeader = Object.hasOwn(document, 'workflow');
  if (hasHeader && (Object.hasOwn(document, 'nodes') || Object.hasOwn(document, 'edges'))) return undefined;
  const isAction = !hasHeader && typeof document.action_id === 'string';
  return {
    pointer: '',
    message: isAction
      ? 'This is no ARS workflow: it is an action alone'
      : `This is no ARS workflow: it has neither schema_version nor ${hasHeader ? 'nodes and edges' : 'workflow'}`,
    help: isAction
      ? 'Put it into the actions of a workflow, or of a registry, which has schema_version: "1.0" and actions.'
      : !hasHeader && Array.isArray(document.actions)
        ? 'A registry of actions has schema_version: "1.0", too; an ARS workflow also has workflow, nodes and edges.'
        : WORKFLOW_FORM,
    keyword: 'required',
    params: {},
  };
}

/** Returns a document split into what the rules can judge and what the schema says of the rest. */
export function readInput(document: unknown): VerifiedInput {
  const foreign = foreignDefect(document);
  const defects = foreign === undefined ? validate('workflow', document) : [foreign];
  const shape = isObject(document) ? document : {};
  if (defects.length === 0) {
    const workflow = document as Workflow;
    return wholeInput(workflow, schemaDefects(workflow));
  }
  const nodes = pick(shape.nodes, hasNodeId, node => isValid('workflow#node', node));
  const edges = pick(shape.edges, hasEnds, edge => isValid('workflow#edge', edge));
  const actions = pick(
    shape.actions,
    value => isValid('action', value),
    () => true,
  );
  const header = isObject(shape.workflow) ? shape.workflow : undefined;
  const start = header?.start;
  return {
    defects,
    ...(foreign === undefined ? {} : { isForeign: true }),
    nodes: nodes.values as unknown as Node[],
    edges: edges.values as unknown as Edge[],
    actions: actions.values as unknown as Action[],
    ...usableSection('inputs', shape.inputs),
    ...usableSection('outputs', shape.outputs),
    start: typeof start === 'string' ? start : undefined,
    headerReadable: header !== undefined && (start === undefined || typeof start === 'string'),
    nodePlaces: nodes.places,
    edgePlaces: edges.places,
    actionPlaces: actions.places,
    illFormed: illFormed(header?.name, header?.version),
    illFormedActions: illFormedActions(shape.actions, actions.places),
    unclearNodes: nodes.unclear,
    unclearEdges: edges.unclear,
    nodesMissing: nodes.missing,
    edgesMissing: edges.missing,
  };
}

/** Returns a workflow that fits its schema, but for the defects given, as the rules see it. */
export function wholeInput(workflow: Workflow, defects: readonly SchemaDefect[] = []): VerifiedInput {
  return {
    defects,
    nodes: workflow.nodes,
    edges: workflow.edges,
    actions: workflow.actions ?? [],
    inputs: workflow.inputs ?? {},
    outputs: workflow.outputs ?? {},
    workflow,
    start: workflow.workflow.start,
    headerReadable: true,
    unclearNodes: new Set(),
    unclearEdges: new Set(),
    nodesMissing: false,
    edgesMissing: false,
  };
}

function illFormedActions(list: unknown, wellFormed: readonly number[]): IllFormed[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [illFormed(undefined, undefined)];
  const taken = new Set(wellFormed);
  const others = list.filter((_, place) => !taken.has(place));
  return others.map(value =>
    isObject(value) ? illFormed(value.action_id, value.version) : illFormed(undefined, undefined),
  );
}

/** The inputs or outputs of an ill-formed document, where they are well-formed themselves. */
function usableSection(name: 'inputs' | 'outputs', value: unknown): Pick<VerifiedInput, 'inputs' | 'outputs'> {
  if (value === undefined) return { [name]: {} };
  const frame = { schema_version: '1.0', workflow: { name: 'x', version: '1.0.0' }, nodes: [], edges: [] };
  return isValid('workflow', { ...frame, [name]: value }) ? { [name]: value } : {};
}

interface Picked {
  readonly values: Record<string, unknown>[];
  readonly places: number[];
  readonly unclear: Set<number>;
  readonly missing: boolean;
}

function pick(list: unknown, usable: (value: unknown) => boolean, clear: (value: unknown) => boolean): Picked {
  const picked: Picked = { values: [], places: [], unclear: new Set(), missing: !Array.isArray(list) };
  if (!Array.isArray(list)) return picked;
  for (const [place, value] of list.entries()) {
    if (!usable(value)) continue;
    if (!clear(value)) picked.unclear.add(picked.values.length);
    picked.values.push(value as Record<string, unknown>);
    picked.places.push(place);
  }
  return { ...picked, missing: picked.values.length < list.length };
}

function hasNodeId(value: unknown): boolean {
  return isObject(value) && typeof value.node_id === 'string';
}

function hasEnds(value: unknown): boolean {
  return isObject(value) && typeof value.from_node === 'string' && typeof value.to_node === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
