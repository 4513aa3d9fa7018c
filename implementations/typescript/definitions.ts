import { isValid, validate } from '../../schemas/index.js';
import type {
  Action,
  Registry,
  RegistryPutParams,
  RegistryRemoveParams,
  SchemaTypes,
  Workflow,
} from '../../schemas/types.js';
import type { Journal } from './audit/journal.js';
import type { DocumentName, StoredDocument } from './audit/log.js';
import { ArsError } from './error.js';
import { actionKey } from './execution/contract.js';
import { checked, copy } from './parameters.js';
import { canonicalize } from './state/canonical.js';
import { workflowKey } from './workflow/resolve.js';

/** The turn of whoever changes the registry, or what refers to it. */
export const REGISTRY_TURN = 'registry';

/** The registry of a workspace: actions and workflows by name and version, durable, never changed in place. */
export class Definitions {
  readonly #journal: Journal;
  readonly #actions = new Map<string, Action[]>();
  readonly #workflows = new Map<string, Workflow[]>();
  #revision = 0;

  constructor(journal: Journal) {
    this.#journal = journal;
    for (const { value } of journal.log.documents('action'))
      if (isValid('action', value)) add(this.#actions, value.action_id, value);
    for (const { value } of journal.log.documents('workflow'))
      if (isValid('workflow', value)) add(this.#workflows, value.workflow.name, value);
  }

  /** A number that is another one after each change. */
  get revision(): number {
    return this.#revision;
  }

  /** The actions of this id, of any version. */
  readonly actionsOf = (action_id: string): readonly Action[] => this.#actions.get(action_id) ?? [];

  /** The workflows of this name, of any version. */
  readonly workflowsOf = (name: string): readonly Workflow[] => this.#workflows.get(name) ?? [];

  /** The workflow that is registered as name@version. Throws `not_found`. */
  workflow(workflow_id: string): Workflow {
    const stored = this.#journal.log.document('workflow', workflow_id);
    if (isValid('workflow', stored)) return stored;
    throw new ArsError('not_found', `There is no workflow '${workflow_id}' in the registry; put it there first.`, {
      details: { workflow_id },
    });
  }

  /** Everything in the registry that a verifier may need. */
  registry(): Registry {
    const actions = [...this.#actions.values()].flat();
    return { schema_version: '1.0', actions, workflows: [...this.#workflows.values()].flat() };
  }

  /**
   * Adds definitions, all of them or none.
   *
   * They are what {@link readDefinitions} gives. Throws `conflict` (details {id}) for one that exists with other content.
   *
   * @requirement SO1
   */
  put(definitions: RegistryPutParams): Promise<void> {
    return this.#journal.turns.take(REGISTRY_TURN, () => this.#put(definitions));
  }

  async #put({ actions = [], workflows = [] }: RegistryPutParams): Promise<void> {
    const documents: StoredDocument[] = [];
    const take = (kind: 'action' | 'workflow', id: string, value: Action | Workflow) => {
      const text = canonicalize(value);
      const earlier =
        this.#journal.log.document(kind, id) ?? documents.find(d => d.kind === kind && d.id === id)?.value;
      if (earlier === undefined) documents.push({ kind, id, value: JSON.parse(text) });
      else if (canonicalize(earlier) !== text)
        throw new ArsError('conflict', `There is another ${kind} '${id}' already; a published version never changes.`, {
          details: { id },
        });
    };
    for (const action of actions) take('action', actionKey(action), action);
    for (const workflow of workflows) take('workflow', workflowKey(workflow), workflow);
    if (documents.length === 0) return;
    await this.#journal.append({ records: [], documents });
    this.#revision += 1;
    for (const { kind, value } of documents)
      if (kind === 'action') add(this.#actions, (value as Action).action_id, value as Action);
      else add(this.#workflows, (value as Workflow).workflow.name, value as Workflow);
  }

  /**
   * Takes definitions out, all of them or none, and with a workflow what `withIt` says in the same step; instances that run
   * keep what they resolved. Throws `not_found` for one that is not there.
   *
   * @requirement I6
   * @requirement I7
   */
  remove(definitions: RegistryRemoveParams, withIt: (workflow_id: string) => readonly StoredDocument[]): Promise<void> {
    return this.#journal.turns.take(REGISTRY_TURN, () => this.#remove(definitions, withIt));
  }

  async #remove(
    { actions = [], workflows = [] }: RegistryRemoveParams,
    withIt: (workflow_id: string) => readonly StoredDocument[],
  ): Promise<void> {
    const removals: DocumentName[] = [
      ...actions.map(id => ({ kind: 'action' as const, id })),
      ...workflows.map(id => ({ kind: 'workflow' as const, id })),
    ];
    for (const { kind, id } of removals)
      if (this.#journal.log.document(kind, id) === undefined)
        throw new ArsError('not_found', `There is no ${kind} '${id}' in the registry.`, { details: { id } });
    if (removals.length === 0) return;
    await this.#journal.append({ records: [], documents: workflows.flatMap(withIt), removals });
    this.#revision += 1;
    for (const id of actions) forget(this.#actions, id, actionKey);
    for (const id of workflows) forget(this.#workflows, id, workflowKey);
  }
}

function add<T>(index: Map<string, T[]>, name: string, definition: T): void {
  const versions = index.get(name);
  if (versions === undefined) index.set(name, [definition]);
  else versions.push(definition);
}

function forget<T>(index: Map<string, T[]>, key: string, keyOf: (definition: T) => string): void {
  const name = key.slice(0, key.lastIndexOf('@'));
  const left = (index.get(name) ?? []).filter(definition => keyOf(definition) !== key);
  if (left.length === 0) index.delete(name);
  else index.set(name, left);
}

/**
 * A copy of what is to be put. Throws `invalid_document` where it is anything but lists of actions and of workflows, or one
 * of them (details {id}) misses its schema, and `not_canonical`.
 */
export function readDefinitions(params: unknown): RegistryPutParams {
  if (!isRecord(params) || Array.isArray(params) || Object.hasOwn(params, 'nodes'))
    throw new ArsError('invalid_document', 'Definitions are put as { actions: [action], workflows: [workflow] }.');
  const shell = Object.entries(params).map(([name, list]) => [name, Array.isArray(list) ? [] : list]);
  checked('adapter/registry#put_params', Object.fromEntries(shell));
  const { actions, workflows } = params as RegistryPutParams;
  return {
    ...(actions === undefined ? {} : { actions: actions.map((given, at) => readDefinition('action', given, at)) }),
    ...(workflows === undefined
      ? {}
      : { workflows: workflows.map((given, at) => readDefinition('workflow', given, at)) }),
  };
}

/** A copy of what is to be removed. Throws `invalid_document` where it is anything but lists of names@versions. */
export function readNames(params: unknown): RegistryRemoveParams {
  if (isRecord(params) && !Array.isArray(params)) return checked('adapter/registry#remove_params', params);
  throw new ArsError(
    'invalid_document',
    'Definitions are removed as { actions: [action_id@version], workflows: [name@version] }.',
  );
}

function readDefinition<Kind extends 'action' | 'workflow'>(kind: Kind, given: unknown, at: number): SchemaTypes[Kind] {
  const value = copy(given);
  const defect = validate(kind, value)[0];
  if (defect === undefined) return value as SchemaTypes[Kind];
  const { action_id, version, workflow } = (value ?? {}) as Partial<Action & Workflow>;
  const name = action_id ?? workflow?.name;
  const id = `${name}@${version ?? workflow?.version}`;
  const which = name === undefined ? `Entry ${at} of the ${kind}s` : `The ${kind} '${id}'`;
  throw new ArsError(
    'invalid_document',
    `${which} does not fit its schema: ${defect.message} (at "${defect.pointer}").`,
    name === undefined ? {} : { details: { id } },
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
