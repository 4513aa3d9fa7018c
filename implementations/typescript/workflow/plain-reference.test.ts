import { describe, expect, it } from 'vitest';
import { parseTemplate } from './mapping-template.js';
import { PlainReference } from './plain-reference.js';

const PATHS = [
  'inputs.a',
  'inputs.a.b',
  'inputs',
  'inputs.',
  'inputs.__proto__',
  'inputs.é',
  'inputs.a-b_0',
  'result.a',
  'result.0',
  'results.a',
  'nodes.a.outputs.b',
  'nodes.a-1.outputs.b',
  'nodes.a.outputs',
  'nodes.a.output.b',
  'nodes..outputs.b',
  'nodes.a b.outputs.c',
  'context.a',
  'error.node_id',
];
const LITERALS = '0 7 01 -1 42 123456789012345 9007199254740993 1e3 null true false "" "}" [] {} {"a":1} x'.split(' ');
const STANDING_IN = ['', ...[...PATHS, ...LITERALS].flatMap(text => [` ?? ${text}`, `??${text}`, ` ??  ${text}`])];
const AROUND: readonly (readonly [string, string])[] = [
  ['${', '}'],
  ['${ ', '}'],
  ['${', ' }'],
  ['$${', '}'],
  ['a ${', '}'],
  ['${', '} '],
  ['${', '}}'],
  ['${', '${inputs.a}'],
  ['{', '}'],
];

/** What a text is as a template, where it is one reference and nothing else. */
function asTemplate(text: string): unknown {
  const template = parseTemplate(text);
  const [part] = template?.parts ?? [];
  if (template?.whole !== true || typeof part !== 'object') return template;
  return { path: part.path, fallback: part.fallback };
}

describe('a plain reference', () => {
  it('is read as the same template, whatever is in it', () => {
    const reference = new PlainReference();
    let taken = 0;
    for (const path of PATHS)
      for (const rest of STANDING_IN)
        for (const [before, after] of AROUND) {
          const text = before + path + rest + after;
          if (!reference.read(text)) continue;
          taken++;
          const { path: read, standsIn, other, literal } = reference;
          const fallback =
            standsIn === 'nothing' ? undefined : standsIn === 'path' ? { path: other.names } : { literal };
          expect({ path: read.names, fallback }, text).toEqual(asTemplate(text));
        }
    expect(taken).toBeGreaterThan(100);
  });

  it.each(['${inputs.a}', '${result.a ?? null}', '${nodes.a-1.outputs.b ?? nodes.b.outputs.b}'])('is %s', text => {
    expect(new PlainReference().read(text)).toBe(true);
  });
});
