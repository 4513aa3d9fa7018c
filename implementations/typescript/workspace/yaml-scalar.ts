import { checkNumber } from './json-text.js';
import type { TreeBuilder } from './source-tree.js';

/** The tags of the core schema that a scalar may have beside !!str, and which values fit each. */
export const SCALAR_TAGS = new Map<string, (value: unknown) => boolean>([
  ['!!null', value => value === null],
  ['!!bool', value => typeof value === 'boolean'],
  ['!!int', value => Number.isInteger(value)],
  ['!!float', value => typeof value === 'number'],
]);

/**
 * Returns what a plain scalar stands for: null, a boolean, a number, or its text.
 *
 * A number that a double cannot hold is a defect of the tree.
 */
export function plainValue(tree: TreeBuilder, text: string, start: number): unknown {
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (!/^[-+.0-9]/.test(text)) return text;
  let value: number | undefined;
  if (/^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)$/.test(text))
    value = Number(text);
  else if (/^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/.test(text)) value = Number.NaN;
  if (value === undefined) return text;
  checkNumber(tree, text, value, start);
  return value;
}
