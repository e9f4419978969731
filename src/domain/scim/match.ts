import type { Filter, Value } from './filter.ts';

/** A resource of SCIM, or an element of one of its lists: JSON. */
export type Resource = Readonly<Record<string, unknown>>;

/** Tests a resource against a filter (RFC 7644, section 3.4.2.2). */
export function matches(filter: Filter, resource: Resource): boolean {
  switch (filter.is) {
    case 'and':
      return matches(filter.left, resource) && matches(filter.right, resource);
    case 'or':
      return matches(filter.left, resource) || matches(filter.right, resource);
    case 'not':
      return !matches(filter.of, resource);
    case 'within':
      return elementsAt(resource, filter.path).some(
        (element) => isResource(element) && matches(filter.of, element),
      );
    case 'present':
      return elementsAt(resource, filter.path).some((value) => value !== '');
    case 'compare':
      return compared(filter, resource);
  }
}

/** Counts the comparisons of a filter. */
export const comparisonsIn = (filter: Filter): number => {
  if (filter.is === 'and' || filter.is === 'or') {
    return comparisonsIn(filter.left) + comparisonsIn(filter.right);
  }
  return filter.is === 'not' || filter.is === 'within' ? comparisonsIn(filter.of) : 1;
};

/** Returns the member of an object whose name differs in case at most (RFC 7643, 2.1). */
export function memberOf(object: Resource, folded: string): unknown {
  for (const [name, value] of Object.entries(object)) {
    if (name.toLowerCase() === folded) return value;
  }
  return undefined;
}

export const isResource = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the values at a path in small letters, with or without the name of its schema. */
function elementsAt(resource: Resource, path: string): readonly unknown[] {
  const names = path.slice(path.lastIndexOf(':') + 1).split('.');
  let found: unknown[] = [resource];
  for (const name of names) {
    found = found
      .flatMap((value) => (isResource(value) ? memberOf(value, name) : undefined))
      .filter((value) => value !== undefined && value !== null);
  }
  return found;
}

function compared(
  { path, op, value: wanted }: Extract<Filter, { is: 'compare' }>,
  resource: Resource,
): boolean {
  // A comparison of a list of objects is one of their values.
  const values = elementsAt(resource, path).map((value) =>
    isResource(value) ? memberOf(value, 'value') : value,
  );
  if (wanted === null) return (values.length === 0) === (op === 'eq');
  const isExact = /(^|[.:])(id|externalid)$/.test(path);
  const isEqual = (value: unknown) => isSame(value, wanted, isExact);
  if (op === 'eq') return values.some(isEqual);
  if (op === 'ne') return !values.some(isEqual);
  return values.some((value) => isOrdered(value, { op, wanted, isExact }));
}

function isSame(value: unknown, wanted: Value, isExact: boolean): boolean {
  // Some directories quote booleans.
  if (typeof value === 'boolean' && typeof wanted === 'string') {
    return String(value) === wanted.toLowerCase();
  }
  return folded(value, isExact) === folded(wanted, isExact);
}

function isOrdered(
  value: unknown,
  { op, wanted, isExact }: { op: string; wanted: Value; isExact: boolean },
): boolean {
  const [one, other] = [folded(value, isExact), folded(wanted, isExact)];
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  if (op === 'co') return one.includes(other);
  if (op === 'sw') return one.startsWith(other);
  if (op === 'ew') return one.endsWith(other);
  if (op === 'gt') return one > other;
  if (op === 'ge') return one >= other;
  return op === 'lt' ? one < other : one <= other;
}

const folded = (value: unknown, isExact: boolean) =>
  typeof value === 'string' && !isExact ? value.toLowerCase() : value;
