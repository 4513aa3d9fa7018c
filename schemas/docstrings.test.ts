import { expect, it } from 'vitest';
import { isValid, loadSchema, metaSchemaErrors, nearest, validate } from './index.js';

/** The examples of the docstrings, compiled and run: each region here is one of them word for word, as `npm run docs` holds. */

it('validates, says so, and suggests', () => {
  // #region validate
  const defects = validate('workflow#edge', { from_node: 'a', to_node: 'b', label: true });
  // [{ pointer: '/label', message: '"label" must be a string, not the boolean true', help: 'Quote it: label: "true".', … }]
  // #endregion
  expect(defects).toMatchObject([
    { pointer: '/label', message: '"label" must be a string, not the boolean true', help: 'Quote it: label: "true".' },
  ]);
  const value: unknown = JSON.parse('{ "agent_id": "ada", "trust": "TRUSTED" }');
  let trust = '';
  // #region isValid
  if (isValid('agent', value)) trust = value.trust;
  // #endregion
  expect(trust).toBe('TRUSTED');
  // #region loadSchema
  const { title, description } = loadSchema('workflow');
  // #endregion
  expect([title, description]).toEqual(['Workflow', expect.any(String)]);
  // #region nearest
  const meant = nearest('succes', ['success', 'failure', 'always']); // 'success'
  // #endregion
  expect(meant).toBe('success');
  // #region metaSchemaErrors
  const [error] = metaSchemaErrors({ type: 'strng' }); // error.instancePath: '/type'
  // #endregion
  expect(error?.instancePath).toBe('/type');
});
