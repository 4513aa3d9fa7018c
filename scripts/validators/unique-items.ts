import { _, type CodeKeywordDefinition, type KeywordErrorDefinition } from 'ajv';

const error: KeywordErrorDefinition = {
  message: 'has the same entry twice',
  params: ({ params }) => _`{i: ${params.i}, j: ${params.j}}`,
};

/**
 * The keyword `uniqueItems` for lists of strings and numbers, in linear time; items of other types are left to `items`.
 *
 * The validator's own compares every pair where the type of the items is behind a reference: 100,000 items take minutes.
 */
export const uniqueItems: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error,
  code(context) {
    const { gen, data, schema } = context;
    if (schema !== true) return;
    const seen = gen.const('seen', _`new Map()`);
    gen.forRange('i', 0, _`${data}.length`, i => {
      const item = gen.const('item', _`${data}[${i}]`);
      gen.if(_`typeof ${item} == "string" || typeof ${item} == "number"`, () => {
        const j = gen.const('j', _`${seen}.get(${item})`);
        gen.if(_`${j} !== undefined`, () => {
          context.setParams({ i, j });
          context.error();
          gen.break();
        });
        gen.code(_`${seen}.set(${item}, ${i})`);
      });
    });
  },
};
