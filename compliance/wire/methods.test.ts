import { describe, expect, it } from 'vitest';
import { loadSchema } from '../../schemas/index.js';
import { METHODS, methodSpec } from './methods.js';

describe('METHODS', () => {
  it('names schemas that exist, results for requests only', () => {
    for (const [method, spec] of Object.entries(METHODS)) {
      expect(loadSchema(spec.params), method).toBeTypeOf('object');
      if (spec.result !== undefined) expect(loadSchema(spec.result), method).toBeTypeOf('object');
      expect(spec.result !== undefined, method).toBe(spec.kind === 'request');
    }
  });

  it('knows no method by the names of an object', () => {
    expect(methodSpec('toString')).toBeUndefined();
    expect(methodSpec('__proto__')).toBeUndefined();
    expect(methodSpec('workflow/start')?.capability).toBe('core');
  });
});
