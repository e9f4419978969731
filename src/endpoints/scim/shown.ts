import type { Resource } from '../../domain/scim/match.ts';
import { isResource } from '../../domain/scim/match.ts';

/** Names of attributes in small letters, with the parts that are meant; none means all of them. */
type Names = ReadonlyMap<string, ReadonlySet<string>>;

/** The attributes that an answer has (RFC 7644, section 3.9). */
export interface Selection {
  readonly only: Names | undefined;
  readonly without: Names | undefined;
}

/** The longest list of attributes that is read; no directory names more than a few dozen. */
const LENGTH_MAX = 4_000;

export const selectionIn = (query: Readonly<Record<string, string>>): Selection => ({
  only: namesIn(query['attributes']),
  without: namesIn(query['excludedAttributes']),
});

function namesIn(text: string | undefined): Names | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const names = new Map<string, Set<string>>();
  for (const path of text.slice(0, LENGTH_MAX).toLowerCase().split(',')) {
    const [name = '', part] = path
      .slice(path.lastIndexOf(':') + 1)
      .trim()
      .split('.');
    const former = names.get(name);
    if (part === undefined) names.set(name, new Set());
    else if (former === undefined) names.set(name, new Set([part]));
    else if (former.size > 0) former.add(part);
  }
  return names;
}

/** Tests whether any part of an attribute is shown. */
export function shows({ only, without }: Selection, name: string): boolean {
  if (ALWAYS.has(name)) return true;
  return (only === undefined || only.has(name)) && without?.get(name)?.size !== 0;
}

const ALWAYS: ReadonlySet<string> = new Set(['id', 'schemas']);

export function shown(resource: Resource, selection: Selection): Resource {
  const entries = Object.entries(resource)
    .map(([name, value]) => ({ name, value, folded: name.toLowerCase() }))
    .filter(({ folded }) => shows(selection, folded))
    .map(({ name, value, folded }) => {
      if (ALWAYS.has(folded)) return [name, value];
      const only = selection.only?.get(folded);
      const without = selection.without?.get(folded);
      return [name, partly(value, (part) => isWanted(part, only) && without?.has(part) !== true)];
    });
  return Object.fromEntries(entries) as Resource;
}

const isWanted = (part: string, only: ReadonlySet<string> | undefined) =>
  only === undefined || only.size === 0 || only.has(part);

function partly(value: unknown, isShown: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => partly(one, isShown));
  if (!isResource(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => isShown(part.toLowerCase())));
}
