import { asBinary } from 'lmdb';

/** Converts a value that is not stored as it is. */
export interface Codec<Value> {
  toStored(value: Value): unknown;
  fromStored(stored: unknown): Value;
}

export type Codecs<R> = { readonly [Column in keyof R]?: Codec<R[Column]> };

/**
 * An encoded row of a table without columns: an empty array. A third of what a send writes are such
 * rows.
 */
export const NO_COLUMNS = Buffer.from([0x90]);
// lmdb's types know no values that are encoded.
export const encoded = (row: Buffer) => asBinary(row) as unknown as unknown[];
export const NO_VALUES = encoded(NO_COLUMNS);

export interface Shape<R> {
  toRow(values: readonly unknown[]): R;
  toValues(row: R): unknown[];
}

interface Declared<R extends object> {
  readonly columns: readonly (keyof R & string)[];
  readonly defaults: Readonly<Partial<R>>;
  readonly codecs: Codecs<R>;
}

/** Code is written once for a table, however many stores and snapshots are opened. */
const shapes = new WeakMap<object, unknown>();

/** Returns how rows of a table are stored, by its declaration. */
export function shapeOf<R extends object>(declared: Declared<R>): Shape<R> {
  const known = shapes.get(declared) as Shape<R> | undefined; // what was kept for the same table
  if (known !== undefined) return known;
  const { columns, defaults, codecs } = declared;
  const shape = {
    toRow: rowMaker<R>(columns, defaults, codecs),
    toValues: columns.length === 0 ? () => NO_VALUES : valuesTaker<R>(columns, codecs),
  };
  shapes.set(declared, shape);
  return shape;
}

/**
 * Rows are made and taken apart by code written for their columns: the object is made in one piece,
 * always of the same shape, at a fifth of the cost of adding field by field. Column names are
 * identifiers of this code base, never input.
 */
function rowMaker<R extends object>(
  columns: readonly string[],
  defaults: Readonly<Record<string, unknown>>,
  codecs: Codecs<R> = {},
): (values: readonly unknown[]) => R {
  const fields = columns.map((column, index) => {
    const name = JSON.stringify(column);
    const value = Object.hasOwn(codecs, column)
      ? `codecs[${name}].fromStored(values[${index}])`
      : `values[${index}]`;
    // Undefined, not null: a stored null is a value.
    const stored = Object.hasOwn(defaults, column)
      ? `${value} === undefined ? defaults[${name}] : ${value}`
      : value;
    return `${name}: ${stored}`;
  });
  const make = new Function('values', 'defaults', 'codecs', `return { ${fields.join(', ')} };`) as (
    values: readonly unknown[],
    defaults: object,
    codecs: Codecs<R>,
  ) => R; // holds because put() stores exactly these columns
  return (values) => make(values, defaults, codecs);
}

function valuesTaker<R extends object>(
  columns: readonly string[],
  codecs: Codecs<R> = {},
): (row: R) => unknown[] {
  const values = columns.map((column) => {
    const value = `row[${JSON.stringify(column)}]`;
    const name = JSON.stringify(column);
    return Object.hasOwn(codecs, column) ? `codecs[${name}].toStored(${value})` : value;
  });
  const take = new Function('row', 'codecs', `return [${values.join(', ')}];`) as (
    row: R,
    codecs: Codecs<R>,
  ) => unknown[];
  return (row) => take(row, codecs);
}

/**
 * An object as the list of these fields: it takes half the bytes and half the time of a map with
 * their names. A field is only ever added at the end, and may be absent.
 */
export function listOf<Value extends object>(
  fields: readonly (keyof Value & string)[],
): Codec<Value> {
  const toValue = rowMaker<Value>(fields, {});
  return {
    toStored: valuesTaker<Value>(fields),
    fromStored: (stored) => toValue(stored as readonly unknown[]), // what toStored made
  };
}
