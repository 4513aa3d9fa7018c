import { isValid, validate } from '../../schemas/index.js';
import type { Action, Registry, RegistryPutParams, RegistryRemoveParams, Workflow } from '../../schemas/types.js';
import type { Journal } from './audit/journal.js';
import type { DocumentKind, StoredDocument } from './audit/log.js';
import { ArsError } from './error.js';
import { actionKey } from './execution/contract.js';
import { canonicalize } from './state/canonical.js';
import { workflowKey } from './workflow/resolve.js';

/** The registry of a workspace: actions and workflows by name and version, durable, never changed in place. */
export class Definitions {
  readonly #journal: Journal;
  readonly #actions = new Map<string, Action[]>();
  readonly #workflows = new Map<string, Workflow[]>();

  constructor(journal: Journal) {
    this.#journal = journal;
    for (const { value } of journal.log.documents('action'))
      if (isValid('action', value)) add(this.#actions, value.action_id, value);
    for (const { value } of journal.log.documents('workflow'))
      if (isValid('workflow', value)) add(this.#workflows, value.workflow.name, value);
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
   * Throws `conflict` (details {id}) for one that exists with other content, `invalid_document` for one that misses its schema.
   */
  async put({ actions = [], workflows = [] }: RegistryPutParams): Promise<void> {
    const documents: StoredDocument[] = [];
    const take = (kind: 'action' | 'workflow', id: string, value: Action | Workflow) => {
      const defect = validate(kind, value)[0];
      if (defect !== undefined) throw refusal(kind, id, `${defect.message} (at "${defect.pointer}")`);
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
    for (const { kind, value } of documents)
      if (kind === 'action') add(this.#actions, (value as Action).action_id, value as Action);
      else add(this.#workflows, (value as Workflow).workflow.name, value as Workflow);
  }

  /** Takes definitions out; instances that run keep what they resolved. Throws `not_found` for one that is not there. */
  async remove({ actions = [], workflows = [] }: RegistryRemoveParams): Promise<void> {
    const targets: [DocumentKind, string][] = [
      ...actions.map((id): [DocumentKind, string] => ['action', id]),
      ...workflows.map((id): [DocumentKind, string] => ['workflow', id]),
    ];
    for (const [kind, id] of targets)
      if (this.#journal.log.document(kind, id) === undefined)
        throw new ArsError('not_found', `There is no ${kind} '${id}' in the registry.`, { details: { id } });
    for (const [kind, id] of targets) await this.#journal.log.removeDocument(kind, id);
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

function refusal(kind: string, id: string, problem: string): ArsError {
  return new ArsError('invalid_document', `The ${kind} '${id}' does not fit its schema: ${problem}.`, {
    details: { id },
  });
}
