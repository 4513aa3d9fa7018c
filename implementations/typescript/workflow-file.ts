import { readFileSync } from 'node:fs';
import { validate } from '../../schemas/index.js';
import type { Workflow } from '../../schemas/types.js';
import { ArsError } from './error.js';
import { checkNames } from './parameters.js';
import { readDocuments } from './workspace/document.js';

/**
 * Gives the workflow in a YAML or JSON file.
 *
 * It fits its schema; whether it verifies is said when it is started. Throws `not_found` where the file cannot be read,
 * `invalid_document` (details {file, line, column}) where it does not hold exactly one workflow.
 *
 * @example
 * ```ts
 * const workflow = readWorkflow('examples/01-minimal/hello.yaml');
 * ```
 */
export function readWorkflow(file: string): Workflow {
  checkNames({ file });
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new ArsError('not_found', `"${file}" cannot be read: ${(cause as Error).message}`, {
      details: { file },
      cause,
    });
  }
  const [document, second] = readDocuments(bytes, { file });
  if (document === undefined || second !== undefined)
    throw new ArsError('invalid_document', `"${file}" does not hold exactly one document`, { details: { file } });
  const unreadable = document.defects[0];
  if (unreadable !== undefined) throw refusal(file, unreadable.message, unreadable.location);
  const defect = validate('workflow', document.value)[0];
  if (defect !== undefined) throw refusal(file, defect.message, document.locate(defect.pointer));
  return document.value as Workflow;
}

function refusal(file: string, message: string, { line, column }: { line: number; column: number }): ArsError {
  return new ArsError('invalid_document', `${file}:${line}:${column}: ${message}`, { details: { file, line, column } });
}
