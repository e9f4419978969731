import type { Resource } from '../../domain/scim/match.ts';
import { refusal } from '../../domain/scim/scim-errors.ts';

/** Returns a text of a resource; undefined if it has none. Refuses anything else. */
export function textIn(resource: Resource, name: string): string | undefined {
  const value = resource[name];
  if (value === undefined || typeof value === 'string') return value;
  throw refusal('invalidValue', `${name} has to be a text.`);
}

/** Returns a boolean of a resource. Entra sends booleans as the texts `True` and `False`. */
export function booleanIn(resource: Resource, name: string): boolean | undefined {
  const value = resource[name];
  if (value === undefined || typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (word === 'true' || word === 'false') return word === 'true';
  throw refusal('invalidValue', `${name} has to be true or false.`);
}
