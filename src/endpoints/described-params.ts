import { z } from 'zod';
import type { Endpoint, Param } from './endpoint.ts';
import { aliasesOf, meaningOf } from './params.ts';

/** A parameter as the documents show it. */
export interface DescribedParam {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly isInPath: boolean;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** The values that its text can encode. */
  readonly value: z.ZodType;
  /** True if its text is JSON; else it is the value as it reads. */
  readonly isJson: boolean;
  /** The value if it is absent; undefined if there is no default. */
  readonly default: unknown;
}

/** Returns the parameters of an endpoint, in declared order. */
export const describedParams = ({ params, path }: Endpoint): readonly DescribedParam[] =>
  Object.entries(params).map(([name, schema]) => {
    const isInPath = path.includes(`{${name}}`) || path.includes(`{${name}...}`);
    return {
      name,
      aliases: aliasesOf(schema),
      isInPath,
      isRequired: isInPath || !schema.safeParse(undefined).success,
      description: first(schema, (layer) => layer.description),
      ...valueBehind(schema),
      default: first(schema, (layer) =>
        layer instanceof z.ZodDefault ? layer.def.defaultValue : undefined,
      ),
    };
  });

function valueBehind(schema: Param): { value: z.ZodType; isJson: boolean } {
  const said = first(schema, meaningOf);
  if (said !== undefined) return said;
  const inner = [...layers(schema)].at(-1) ?? schema;
  if (!(inner instanceof z.ZodPipe)) return { value: inner, isJson: false };
  // The schema of a later step holds for the value; a step that is code has no schema.
  const before = valueBehind(inner.in as Param);
  const after = inner.out as Param;
  return after instanceof z.ZodTransform ? before : { ...before, value: after };
}

/** Yields the schema without its wrappers for absent values, layer by layer. */
function* layers(schema: Param): Iterable<Param> {
  yield schema;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  ) {
    yield* layers(schema.unwrap() as Param);
  }
}

function first<Found>(schema: Param, look: (layer: Param) => Found): Found | undefined {
  for (const layer of layers(schema)) {
    const found = look(layer);
    if (found !== undefined) return found;
  }
  return undefined;
}
