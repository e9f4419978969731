import { z } from 'zod';

/** A value of a property that may be of several types. */
export const scalar = z.union([z.boolean(), z.int(), z.string()]);

/** Declares an event whose type has no operations. */
export const event = <const Type extends string, Fields extends z.core.$ZodLooseShape>(
  type: Type,
  fields: Fields,
) => z.strictObject({ type: z.literal(type), ...fields });

/** Declares an event of a type that has operations. */
export const eventOf = <
  const Type extends string,
  const Op extends string,
  Fields extends z.core.$ZodLooseShape,
>(
  type: Type,
  op: Op,
  fields: Fields,
) => z.strictObject({ type: z.literal(type), op: z.literal(op), ...fields });

export type Fields = Readonly<Record<string, unknown>>;
export const has = (event: Fields, name: string) => event[name] !== undefined;

export const together =
  (...names: readonly string[]) =>
  (event: Fields) =>
    new Set(names.map((name) => has(event, name))).size === 1;

export const exactlyOne =
  (...names: readonly string[]) =>
  (event: Fields) =>
    names.filter((name) => has(event, name)).length === 1;

/** Tests whether the value has the type of the property that it belongs to. */
export const fits =
  (schemas: Readonly<Record<string, z.ZodType>>) =>
  ({ property, value }: { property: string; value: unknown }) =>
    schemas[property]?.safeParse(value).success === true;

/** Returns the names of a table, which is not empty. */
export function keysOf<Name extends string>(
  table: Readonly<Record<Name, unknown>>,
): readonly Name[] {
  // The table has no other keys; `Object.keys` loses them in its type.
  return Object.keys(table) as Name[];
}
