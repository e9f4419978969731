import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { isResource, type Resource } from '../../domain/scim/match.ts';
import { refuseOtherVersion, versionOf, withVersion } from '../../domain/scim/versions.ts';
import type { RealmTransaction, Site } from '../../operations/access/caller.ts';
import type { Reads } from '../../operations/access/groups.ts';
import * as groups from '../../operations/scim/groups.ts';
import * as users from '../../operations/scim/users.ts';
import type { ScimReply } from '../pages/page.ts';
import { type Selection, shown, shows } from './shown.ts';

export type KindName = 'Groups' | 'Users';

/** A change of a resource, by a request of its own or as a part of a bulk request. */
export interface Change {
  readonly method: 'DELETE' | 'PATCH' | 'POST' | 'PUT';
  readonly kind: KindName;
  /** Undefined for a new resource. */
  readonly id: string | undefined;
  readonly body: Resource;
  /** The versions that the client has changed (`If-Match`). */
  readonly ifMatch: string | undefined;
  readonly selection: Selection;
}

/** Makes, replaces, changes or removes a resource, in a transaction of its own. */
export const perform = (realm: Realm, site: Site, change: Change): Promise<ScimReply> =>
  realm.perform((tx) => (change.kind === 'Users' ? ofUser : ofGroup)(tx, site, change));

function ofUser(tx: RealmTransaction, site: Site, change: Change): ScimReply {
  const { method, id = '', body, ifMatch, selection } = change;
  if (method === 'POST') return made(userReply(tx, site, users.create(tx, site, body), selection));
  refuseOtherVersion(ifMatch, () => users.resourceOf(tx, site, users.found(tx, id)));
  if (method === 'DELETE') {
    users.remove(tx, site, id);
    return GONE;
  }
  const write = method === 'PUT' ? users.replace : users.patch;
  return userReply(tx, site, write(tx, site, id, body), selection);
}

function ofGroup(tx: RealmTransaction, site: Site, change: Change): ScimReply {
  const { method, id = '', body, ifMatch, selection } = change;
  if (method === 'POST') {
    return made(groupReply(tx, site, groups.create(tx, site, body), selection));
  }
  refuseOtherVersion(ifMatch, () =>
    groups.resourceOf(tx, site, { group: groups.found(tx, id), hasMembers: true }),
  );
  if (method === 'DELETE') {
    groups.remove(tx, site, id);
    return GONE;
  }
  const write = method === 'PUT' ? groups.replace : groups.patch;
  return groupReply(tx, site, write(tx, site, id, body), selection);
}

const GONE: ScimReply = { status: 204, scim: null };

const made = (reply: ScimReply): ScimReply => ({ ...reply, status: 201 });

/** Returns the answer to a request for one resource. */
export const one = (
  reads: Reads,
  site: Site,
  { kind, id, selection }: Pick<Change, 'kind' | 'selection'> & { readonly id: string },
): ScimReply => ({
  ...(kind === 'Users'
    ? userReply(reads, site, users.found(reads, id), selection)
    : groupReply(reads, site, groups.found(reads, id), selection)),
  isRead: true,
});

const userReply = (
  reads: Reads,
  site: Site,
  user: Parameters<typeof users.resourceOf>[2],
  selection: Selection,
): ScimReply => replyOf(withVersion(users.resourceOf(reads, site, user)), selection);

/** A group whose members are not asked for, and may be thousands, is shown without its version. */
function groupReply(
  reads: Reads,
  site: Site,
  group: ReturnType<typeof groups.found>,
  selection: Selection,
): ScimReply {
  const hasMembers = shows(selection, 'members');
  const resource = groups.resourceOf(reads, site, { group, hasMembers });
  return replyOf(hasMembers ? withVersion(resource) : resource, selection);
}

function replyOf(resource: Resource, selection: Selection): ScimReply {
  const version = versionOf(resource);
  const meta = resource['meta'];
  return {
    status: 200,
    scim: shown(resource, selection),
    location: isResource(meta) ? String(meta['location']) : '',
    ...(version === undefined ? {} : { version }),
  };
}
