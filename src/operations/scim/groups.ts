import type { GroupRow } from '../../../storage/tables/people/groups.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { isResource, type Resource } from '../../domain/scim/match.ts';
import { patched, written } from '../../domain/scim/patch.ts';
import { noSuchResource, refusal } from '../../domain/scim/scim-errors.ts';
import { GROUP_SHAPE, GROUP_URN } from '../../domain/scim/shapes.ts';
import { Role } from '../../domain/wire/roles.ts';
import { systemGroupId } from '../../domain/wire/system-groups.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as members from '../groups/members.ts';
import * as userGroups from '../groups/user-groups.ts';
import { directory } from './acting.ts';
import { note, notesOn } from './external-ids.ts';
import { isSeen } from './users.ts';
import { textIn } from './values.ts';

/** No user and no group have the same id (RFC 7643, 3.1), so that of a group has a letter. */
export const idOf = (groupId: number): string => `g${groupId}`;

/** Finds a group by its id; the number alone was the id at first. */
export function found(reads: Reads, id: string): GroupRow {
  const number = /^g?(\d{1,15})$/.exec(id)?.[1];
  const group = number === undefined ? undefined : reads.groups.get([Number(number)]);
  if (group === undefined || group.isDeactivated) throw noSuchResource();
  return group;
}

/** Returns a group (RFC 7643, section 4.2); its members, which may be many, only if asked for. */
export function resourceOf(
  reads: Reads,
  site: Pick<Site, 'url'>,
  { group, hasMembers }: { readonly group: GroupRow; readonly hasMembers: boolean },
): Resource {
  const { externalId } = notesOn(reads, 'group', group.id);
  return {
    schemas: [GROUP_URN],
    id: idOf(group.id),
    ...(externalId === null ? {} : { externalId }),
    displayName: group.name,
    ...(hasMembers ? { members: membersOf(reads, site, group.id) } : {}),
    meta: {
      resourceType: 'Group',
      created: new Date(group.dateCreated * 1000).toISOString(),
      location: `${site.url}/scim/v2/Groups/${idOf(group.id)}`,
    },
  };
}

/** Lists the accounts in a group, those that are not active as well. Bots are left to people. */
const membersOf = (reads: Reads, site: Pick<Site, 'url'>, groupId: number): Resource[] =>
  Array.from(reads.groupMembers.keysUnder([groupId]), ([, id]) => reads.users.get([id]))
    .filter((user) => user !== undefined)
    .filter((user) => isSeen(reads, user))
    .map(({ id }) => ({
      value: String(id),
      type: 'User',
      $ref: `${site.url}/scim/v2/Users/${id}`,
    }));

/** Makes a group, or gives a deactivated one of the same name back. */
export function create(tx: RealmTransaction, site: Site, body: Resource): GroupRow {
  const wanted = written(body, GROUP_SHAPE);
  const name = nameIn(wanted);
  const known = tx.groupNames.get([name.toLowerCase()]);
  const former = known === undefined ? undefined : tx.groups.get([known.groupId]);
  if (former !== undefined && !former.isDeactivated) throw taken(name);
  const caller = directory(tx, site, Role.owner);
  if (former === undefined) {
    const administrators = systemGroupId('role:administrators');
    const row = userGroups.create(tx, caller, {
      name,
      description: '',
      // A directory may put people into it who are not active, which people may not.
      memberIds: [],
      subgroupIds: [],
      // By default it would be of its creator, which is nobody.
      permissions: { can_manage_group: administrators },
    });
    return write(tx, site, { id: row.id, wanted });
  }
  userGroups.change(tx, caller, former.id, { ...UNCHANGED, isDeactivated: false });
  return write(tx, site, { id: former.id, wanted: { members: [], ...wanted } });
}

/** Replaces a group by PUT. */
export function replace(tx: RealmTransaction, site: Site, id: string, body: Resource): GroupRow {
  const group = found(tx, id);
  const wanted = written(body, GROUP_SHAPE);
  nameIn(wanted);
  return write(tx, site, {
    id: group.id,
    wanted: { externalId: null, members: [], ...wanted },
  });
}

export function patch(tx: RealmTransaction, site: Site, id: string, body: Resource): GroupRow {
  const group = found(tx, id);
  const before = resourceOf(tx, site, { group, hasMembers: true });
  const after = patched(before, body, GROUP_SHAPE);
  return write(tx, site, { id: group.id, wanted: { externalId: null, members: [], ...after } });
}

/** Deactivates a group, as people do; refuses while settings name it. */
export function remove(tx: RealmTransaction, site: Site, id: string) {
  const group = found(tx, id);
  userGroups.deactivate(tx, directory(tx, site, Role.owner), group.id);
  note(tx, { kind: 'group', id: group.id }, { externalId: null });
}

const UNCHANGED = {
  name: undefined,
  description: undefined,
  isDeactivated: undefined,
  permissions: {},
};

function write(
  tx: RealmTransaction,
  site: Site,
  { id, wanted }: { readonly id: number; readonly wanted: Resource },
): GroupRow {
  const group = found(tx, String(id));
  const name = nameIn(wanted);
  if (name !== group.name) {
    const owner = tx.groupNames.get([name.toLowerCase()]);
    if (owner !== undefined && owner.groupId !== id) throw taken(name);
    userGroups.change(tx, directory(tx, site, Role.owner), id, { ...UNCHANGED, name });
  }
  directory(tx, site);
  const ids = new Set(idsIn(tx, wanted));
  const present = new Set(membersOf(tx, site, id).map(({ value }) => Number(value)));
  members.provision(tx, found(tx, String(id)), {
    joins: [...ids].filter((one) => !present.has(one)),
    leaves: [...present].filter((one) => !ids.has(one)),
  });
  return noted(tx, id, wanted);
}

function noted(tx: RealmTransaction, id: number, wanted: Resource): GroupRow {
  const externalId = wanted['externalId'] === null ? null : textIn(wanted, 'externalId');
  note(tx, { kind: 'group', id }, externalId === undefined ? {} : { externalId });
  return found(tx, String(id));
}

function nameIn(wanted: Resource): string {
  const name = textIn(wanted, 'displayName')?.trim();
  if (name === undefined || name === '') {
    throw refusal('invalidValue', 'displayName is required: it is the name of the group.');
  }
  return name;
}

const taken = (name: string) =>
  refusal('uniqueness', `displayName is taken: there is a group with the name ${name}.`);

/** Returns the accounts that a resource lists as members. */
function idsIn(tx: Reads, wanted: Resource): number[] {
  const given = Array.isArray(wanted['members']) ? wanted['members'].filter(isResource) : [];
  return given.map((member) => {
    const value = textIn(member, 'value') ?? '';
    const type = textIn(member, 'type')?.toLowerCase() ?? 'user';
    const user = /^\d{1,15}$/.test(value) ? tx.users.get([Number(value)]) : undefined;
    if (type !== 'user' || user === undefined || !isSeen(tx, user)) {
      throw refusal('invalidValue', `A member has to be a User: ${value.slice(0, 100)} is none.`);
    }
    return user.id;
  });
}
