import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface JsonSchemas {
  /** What a schema takes (`input`) or gives; what has a name of its own is referred to. */
  of(schema: z.ZodType, io?: 'input' | 'output'): JsonSchema;
  /** Adds one under a name. */
  add(name: string, schema: JsonSchema): void;
  readonly named: Readonly<Record<string, JsonSchema>>;
}

export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Makes JSON Schemas of zod's, and collects those with a name (`meta({ id })`) as components. */
export function openJsonSchemas(): JsonSchemas {
  const named: Record<string, JsonSchema> = {};
  return {
    of(schema, io = 'output') {
      // Within an object, since zod refers to a name only from outside of what it names.
      const whole = z.toJSONSchema(z.object({ it: schema }), {
        io,
        unrepresentable: 'any',
        override: ({ jsonSchema }) => plain(jsonSchema),
      });
      const { properties, $defs = {} } = moved(whole) as Whole;
      for (const [name, definition] of Object.entries($defs)) named[name] ??= definition;
      return properties.it;
    },
    add(name, schema) {
      named[name] = schema;
    },
    named,
  };
}

interface Whole {
  readonly properties: { readonly it: JsonSchema };
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** Drops what is for this code alone, and bounds that every integer of JSON has. */
function plain(schema: Record<string, unknown>) {
  delete schema['id'];
  delete schema['aliases'];
  delete schema['meaning'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
}

/** Definitions are components in this document. */
const moved = (schema: object): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
