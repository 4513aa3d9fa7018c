import type { Action } from '../../../schemas/types.js';

const path = { type: 'string', minLength: 1, description: 'Relative to the folder of the actions.' };
const written = {
  type: 'object',
  properties: { digest: { type: 'string' }, bytes: { type: 'integer' } },
  required: ['digest', 'bytes'],
  additionalProperties: false,
};
const common = { schema_version: '1.0', version: '1.0.0', determinism: 'conditionally_deterministic' } as const;
const write = {
  ...common,
  input_schema: {
    type: 'object',
    properties: { path, text: { type: 'string' } },
    required: ['path', 'text'],
    additionalProperties: false,
  },
  output_schema: written,
  side_effects: ['filesystem'],
  idempotent: true,
  probe: true,
} satisfies Partial<Action>;
const undo = {
  ...common,
  side_effects: ['filesystem'],
  modifies_existing: true,
  idempotent: true,
  probe: true,
  rollback: 'compensatable',
} satisfies Partial<Action>;

/** The contracts of the file actions. */
export const CONTRACTS: readonly Action[] = [
  {
    ...common,
    action_id: 'file.read',
    description: 'Reads a text file.',
    input_schema: { type: 'object', properties: { path }, required: ['path'], additionalProperties: false },
    output_schema: {
      type: 'object',
      properties: { text: { type: 'string' }, ...written.properties },
      required: ['text', ...written.required],
      additionalProperties: false,
    },
    rollback: 'rollbackable',
    side_effects: [],
    modifies_existing: false,
    idempotent: true,
  },
  {
    ...write,
    action_id: 'file.create',
    description: 'Makes a text file where there is none.',
    rollback: 'rollbackable',
    revert: 'file.remove@^1.0.0',
    modifies_existing: false,
  },
  {
    ...write,
    action_id: 'file.write',
    description: 'Makes a text file, or replaces what it holds.',
    rollback: 'compensatable',
    compensation: 'file.restore@^1.0.0',
    modifies_existing: true,
  },
  {
    ...undo,
    action_id: 'file.remove',
    description: 'Removes a file that file.create made, unless it was changed since.',
    compensation: 'file.restore@^1.0.0',
  },
  {
    ...undo,
    action_id: 'file.restore',
    description: 'Gives back what a file held before file.write, unless it was changed since.',
    compensation: 'file.restore@^1.0.0',
  },
];
