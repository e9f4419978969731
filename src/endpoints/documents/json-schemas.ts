import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface JsonSchemas {
  /** Returns the JSON Schema of a schema's input or output; named schemas are referred to. */
  of(schema: z.ZodType, io?: 'input' | 'output'): JsonSchema;
  /** Adds a schema under a name. */
  add(name: string, schema: JsonSchema): void;
  readonly named: Readonly<Record<string, JsonSchema>>;
}

export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/**
 * Converts zod's schemas to JSON Schemas, and collects named ones (`meta({ id })`) as components.
 */
export function openJsonSchemas(): JsonSchemas {
  const named: Record<string, JsonSchema> = {};
  return {
    of(schema, io = 'output') {
      // The schema is put within an object, since zod refers to a name only from outside of the
      // named schema.
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

/** Removes properties that only this code needs, and bounds that every integer of JSON has. */
function plain(schema: Record<string, unknown>) {
  delete schema['id'];
  delete schema['aliases'];
  delete schema['meaning'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
}

/** Moves definitions: in this document they are components. */
const moved = (schema: object): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
