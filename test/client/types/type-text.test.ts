import { expect, test } from 'vitest';
// biome-ignore lint/correctness/useImportExtensions: its types are beside it, in a file of another name.
import { typeName, typeText } from '../../../client/types/type-text.mjs';

/** Blanks do not matter. */
const typeOf = (schema: object, options = {}) => typeText(schema, options).replace(/\s+/g, ' ');

test.each([
  [{ type: 'integer', minimum: 0 }, 'number'],
  [{ type: ['integer', 'string'] }, 'number | string'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ oneOf: [{ const: 1 }, { const: "it's" }] }, "1 | 'it\\'s'"],
  [{ type: 'string', enum: ['a', 'b'] }, "'a' | 'b'"],
  [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
  [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] }, '[string, number]'],
  [{ type: 'array' }, 'unknown[]'],
  [{ $ref: '#/components/schemas/event.stream.update' }, 'StreamUpdateEvent'],
  [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
  [{ type: 'object' }, 'Record<string, unknown>'],
  [{ type: 'object', additionalProperties: { type: 'string' } }, '{ [key: string]: string; }'],
  [
    {
      type: 'object',
      propertyNames: { type: 'string', pattern: '^[1-9]\\d*$' },
      additionalProperties: { type: 'boolean' },
    },
    '{ [key: number]: boolean; }',
  ],
  [{ description: 'anything' }, 'unknown'],
])('%j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

const object = {
  type: 'object',
  properties: {
    id: { type: 'integer', description: 'Of the thing */' },
    'retry-after': { type: 'number' },
    names: { type: 'array', items: { type: 'string' } },
  },
  required: ['id', 'names'],
};

test('a field that may be missing has a question mark, and its description is a comment', () => {
  expect(typeOf(object)).toBe(
    "{ /** Of the thing * */ id: number; 'retry-after'?: number; names: string[]; }",
  );
});

test('what is sent may be undefined or read-only', () => {
  expect(
    typeOf({ ...object, properties: { ...object.properties, id: {} } }, { isSent: true }),
  ).toBe("{ id: unknown; 'retry-after'?: number | undefined; names: readonly string[]; }");
});

test.each([{ allOf: [{ type: 'string' }] }, { type: 'object', patternProperties: {} }])(
  'a keyword without a type is refused: %j',
  (schema) => {
    expect(() => typeText(schema)).toThrow('there is no type for the keyword');
  },
);

test('names of components become names of types', () => {
  expect(typeName('event.realm_user_settings_defaults.update')).toBe(
    'RealmUserSettingsDefaultsUpdateEvent',
  );
  expect(typeName('error.BAD_EVENT_QUEUE_ID')).toBe('BadEventQueueIdError');
  expect(typeName('UserGroup')).toBe('UserGroup');
});
