import { setImmediate as turn } from 'node:timers/promises';

import { SCIM_PAGE_MAX, SCIM_ROWS_PER_TURN } from '../../domain/limits/accounts.ts';
import { type Filter, InvalidFilter, parseFilter } from '../../domain/scim/filter.ts';
import { matches, type Resource } from '../../domain/scim/match.ts';
import { refusal } from '../../domain/scim/scim-errors.ts';
import type { RealmReader, Site } from '../../operations/access/caller.ts';
import { calledOutside } from '../../operations/scim/external-ids.ts';
import * as groups from '../../operations/scim/groups.ts';
import * as users from '../../operations/scim/users.ts';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** A kind of resource, as a list reads it. */
interface Kind {
  readonly kind: 'group' | 'user';
  /** Reads the number of an id. */
  readonly id: RegExp;
  /** The attribute that an index finds, in small letters. */
  readonly named: string;
  readonly byName: (reader: RealmReader, name: string) => readonly number[];
  readonly page: (reader: RealmReader, after: number) => readonly number[];
  /** Returns undefined for what a directory does not see. */
  readonly resource: (
    reader: RealmReader,
    site: Site,
    one: { id: number; hasMembers: boolean },
  ) => Resource | undefined;
}

export const USERS: Kind = {
  kind: 'user',
  id: /^(\d{1,15})$/,
  named: 'username',
  byName: users.called,
  page: (reader, after) =>
    Array.from(reader.users.keys({ start: [after + 1], limit: SCIM_ROWS_PER_TURN }), ([id]) => id),
  resource(reader, site, { id }) {
    const user = reader.users.get([id]);
    return user !== undefined && users.isSeen(reader, user)
      ? users.resourceOf(reader, site, user)
      : undefined;
  },
};

export const GROUPS: Kind = {
  kind: 'group',
  id: /^g(\d{1,15})$/,
  named: 'displayname',
  byName(reader, name) {
    const row = reader.groupNames.get([name.toLowerCase()]);
    return row === undefined ? [] : [row.groupId];
  },
  page: (reader, after) =>
    // A group may have thousands of members, so that fewer are read at once.
    Array.from(reader.groups.keys({ start: [after + 1], limit: 10 }), ([id]) => id),
  resource(reader, site, { id, hasMembers }) {
    const group = reader.groups.get([id]);
    return group === undefined || group.isDeactivated
      ? undefined
      : groups.resourceOf(reader, site, { group, hasMembers });
  },
};

type Query = Readonly<Record<string, string>>;

/**
 * Lists resources (RFC 7644, section 3.4.2). A comparison of a name or an id is looked up; any
 * other filter reads all, and lets others have their turn meanwhile.
 */
export async function list(reader: RealmReader, site: Site, kind: Kind, query: Query) {
  const filter = filterIn(query);
  const start = Math.max(1, numberIn(query, 'startIndex') ?? 1);
  const count = Math.min(SCIM_PAGE_MAX, Math.max(0, numberIn(query, 'count') ?? SCIM_PAGE_MAX));
  const isShown = shownBy(query);
  const hasMembers = isShown('members') || namesMembers(filter);
  const found: Resource[] = [];
  let total = 0;
  const take = (id: number) => {
    const resource = kind.resource(reader, site, { id, hasMembers });
    if (resource === undefined) return;
    if (filter !== undefined && !matches(filter, resource)) return;
    total += 1;
    if (total >= start && found.length < count) found.push(shown(resource, isShown));
  };
  const looked = filter === undefined ? undefined : lookedUp(reader, kind, filter);
  if (looked !== undefined) for (const id of looked) take(id);
  else {
    for (let ids = kind.page(reader, 0); ids.length > 0; ids = kind.page(reader, ids.at(-1) ?? 0)) {
      for (const id of ids) take(id);
      await turn();
    }
  }
  return {
    schemas: [LIST],
    totalResults: total,
    startIndex: start,
    itemsPerPage: found.length,
    Resources: found,
  };
}

/** Returns a list of documents, of which there are always few. */
export const listOf = (resources: readonly Resource[]) => ({
  schemas: [LIST],
  totalResults: resources.length,
  startIndex: 1,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** Returns the ids that can be of a filter, if an index tells; a filter is tested nevertheless. */
function lookedUp(reader: RealmReader, kind: Kind, filter: Filter): number[] | undefined {
  if (filter.is === 'and') {
    return lookedUp(reader, kind, filter.left) ?? lookedUp(reader, kind, filter.right);
  }
  if (filter.is !== 'compare' || filter.op !== 'eq' || typeof filter.value !== 'string') {
    return undefined;
  }
  const name = filter.path.slice(filter.path.lastIndexOf(':') + 1);
  const { value } = filter;
  if (name === kind.named) return [...new Set(kind.byName(reader, value))];
  if (name === 'externalid') return calledOutside(reader, kind.kind, value);
  if (name === 'id') {
    const number = kind.id.exec(value)?.[1];
    return number === undefined ? [] : [Number(number)];
  }
  return undefined;
}

function filterIn({ filter }: Query): Filter | undefined {
  if (filter === undefined || filter === '') return undefined;
  try {
    return parseFilter(filter);
  } catch (error) {
    if (error instanceof InvalidFilter) throw refusal('invalidFilter', error.message);
    throw error;
  }
}

function namesMembers(filter: Filter | undefined): boolean {
  if (filter === undefined) return false;
  if ('left' in filter) return namesMembers(filter.left) || namesMembers(filter.right);
  return 'path' in filter ? /(^|:)members\b/.test(filter.path) : namesMembers(filter.of);
}

function numberIn(query: Query, name: string): number | undefined {
  const text = query[name];
  if (text === undefined || text === '') return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw refusal('invalidValue', `${name} has to be a number.`);
  return Number(text);
}

/** Returns a test for the attributes that an answer has (RFC 7644, section 3.9). */
export function shownBy({ attributes, excludedAttributes }: Query): (name: string) => boolean {
  const only = namesIn(attributes);
  const without = namesIn(excludedAttributes);
  return (name) => {
    const folded = name.toLowerCase();
    if (folded === 'id' || folded === 'schemas') return true;
    return (only === undefined || only.has(folded)) && !without?.has(folded);
  };
}

function namesIn(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined || text === '') return undefined;
  const names = text.slice(0, 2000).toLowerCase().split(',');
  return new Set(
    names.map(
      (name) =>
        name
          .slice(name.lastIndexOf(':') + 1)
          .split('.')[0]
          ?.trim() ?? '',
    ),
  );
}

export const shown = (resource: Resource, isShown: (name: string) => boolean): Resource =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => isShown(name)));
