import { setImmediate as turn } from 'node:timers/promises';
import { inOrder } from '../../domain/ascending.ts';
import { SCIM_PAGE_MAX, SCIM_ROWS_PER_TURN } from '../../domain/limits/accounts.ts';
import { type Filter, InvalidFilter, parseFilter } from '../../domain/scim/filter.ts';
import { matches, memberOf, type Resource } from '../../domain/scim/match.ts';
import { refusal } from '../../domain/scim/scim-errors.ts';
import { withVersion } from '../../domain/scim/versions.ts';
import type { RealmReader, Site } from '../../operations/access/caller.ts';
import { calledOutside } from '../../operations/scim/external-ids.ts';
import * as groups from '../../operations/scim/groups.ts';
import * as users from '../../operations/scim/users.ts';
import { selectionIn, shown, shows } from './shown.ts';

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
 * Lists resources of some kinds (RFC 7644, section 3.4.2). A comparison of a name or an id is
 * looked up; any other filter reads all, and lets others have their turn meanwhile.
 */
export async function list(
  reader: RealmReader,
  site: Site,
  { kinds, query }: { readonly kinds: readonly Kind[]; readonly query: Query },
) {
  const filter = filterIn(query);
  const page = new ListPage(query);
  const selection = selectionIn(query);
  const isWhole = shows(selection, 'members');
  const hasMembers = isWhole || namesMembers(filter);
  let rows = 0;
  for (const kind of kinds) {
    const take = (id: number): number => {
      const resource = kind.resource(reader, site, { id, hasMembers });
      if (resource === undefined) return 1;
      const isMatching = filter === undefined || matches(filter, resource);
      if (isMatching && page.takes(kind, id)) {
        const isFull = kind.kind === 'user' || hasMembers;
        page.found.push(shown(isFull ? withVersion(resource) : resource, selection));
      }
      return 1 + rowsOf(resource['members']);
    };
    const looked = filter === undefined ? undefined : lookedUp(reader, kind, filter);
    if (looked !== undefined) {
      for (const id of inOrder(looked)) take(id);
      continue;
    }
    for (let ids = kind.page(reader, 0); ids.length > 0; ids = kind.page(reader, ids.at(-1) ?? 0)) {
      for (const id of ids) {
        rows += take(id);
        if (rows < SCIM_ROWS_PER_TURN) continue;
        rows = 0;
        await turn();
      }
    }
  }
  return page.answer();
}

const rowsOf = (members: unknown) => (Array.isArray(members) ? members.length : 0);

/** The part of a list that is asked for: by its first place, or by what came before it. */
class ListPage {
  readonly found: Resource[] = [];
  private total = 0;
  private isMore = false;
  private last: string | undefined;
  private readonly start: number;
  private readonly count: number;
  /** Undefined if the client asks by places (RFC 9865, section 2). */
  private readonly cursor: Cursor | undefined;

  constructor(query: Query) {
    this.start = Math.max(1, numberIn(query, 'startIndex') ?? 1);
    this.count = Math.min(SCIM_PAGE_MAX, Math.max(0, numberIn(query, 'count') ?? SCIM_PAGE_MAX));
    this.cursor = cursorIn(query);
  }

  /** Counts a resource; true if it is on this page. */
  takes({ kind }: Kind, id: number): boolean {
    this.total += 1;
    const isReached =
      this.cursor === undefined ? this.total >= this.start : isAfter(this.cursor, kind, id);
    if (!isReached) return false;
    if (this.found.length >= this.count) {
      this.isMore = true;
      return false;
    }
    this.last = `${kind}-${id}`;
    return true;
  }

  answer() {
    return {
      schemas: [LIST],
      totalResults: this.total,
      itemsPerPage: this.found.length,
      ...(this.cursor === undefined ? { startIndex: this.start } : {}),
      ...(this.cursor !== undefined && this.isMore && this.last !== undefined
        ? { nextCursor: this.last }
        : {}),
      Resources: this.found,
    };
  }
}

/** A cursor names the last resource of the page before, so that it never expires. */
interface Cursor {
  readonly kind: Kind['kind'];
  readonly id: number;
}

/** Users come before groups. */
const isAfter = (cursor: Cursor, kind: Kind['kind'], id: number) =>
  cursor.kind === kind ? id > cursor.id : kind === 'group';

function cursorIn({ cursor }: Query): Cursor | undefined {
  if (cursor === undefined) return undefined;
  if (cursor === '') return { kind: 'user', id: 0 };
  const [, kind, id] = /^(user|group)-(\d{1,15})$/.exec(cursor) ?? [];
  if (kind === 'user' || kind === 'group') return { kind, id: Number(id) };
  throw refusal('invalidCursor', 'There is no such cursor.');
}

/** Returns the query of a search by POST (RFC 7644, section 3.4.3), which has them as JSON. */
export function searchIn(body: Resource): Query {
  const query: Record<string, string> = {};
  for (const name of SEARCHED) {
    const value = memberOf(body, name.toLowerCase());
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) query[name] = value.map(String).join(',');
    else if (typeof value === 'string' || typeof value === 'number') query[name] = String(value);
    else throw refusal('invalidValue', `${name} has to be a text or a number.`);
  }
  return query;
}

const SEARCHED = [
  'filter',
  'attributes',
  'excludedAttributes',
  'startIndex',
  'count',
  'cursor',
] as const;

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
