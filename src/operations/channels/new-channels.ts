import type { GroupSetting } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { ServerSettings } from '../../config.ts';
import * as errors from '../../domain/wire/errors.ts';
import { Role } from '../../domain/wire/roles.ts';
import type { ChannelPermissionName } from '../../domain/wire/settings/permission-settings.ts';
import { systemGroupId } from '../../domain/wire/system-groups.ts';
import type { Caller } from '../access/caller.ts';
import { byName } from '../access/channel-access.ts';
import { acceptableForChannel } from '../access/group-settings.ts';
import { may, type Reads } from '../access/groups.ts';
import { faultOfName, type NewChannel } from './channels.ts';
import { refuseUnlessOpen } from './folders.ts';

export type ChannelGroups = Readonly<Partial<Record<ChannelPermissionName, GroupSetting>>>;

/** The options of a request for the channels that it may create. */
export interface CreationRequest extends Omit<NewChannel, 'name' | 'description' | 'groups'> {
  readonly groups: ChannelGroups;
}

/**
 * Returns the properties of the channels to be created; refuses options that the user may not use.
 * If every channel exists, the options have no meaning (specification, POST
 * /users/me/subscriptions).
 */
export function creationOf(
  tx: RealmTransaction,
  { user, site }: Pick<Caller, 'user' | 'site'>,
  { names, request }: { names: readonly string[]; request: CreationRequest },
): Omit<NewChannel, 'name' | 'description'> {
  for (const name of names) {
    const fault = faultOfName(name);
    if (fault !== undefined) throw errors.badRequest(fault);
  }
  if (names.some((name) => byName(tx, name) === undefined)) {
    if (request.isWebPublic) refuseWithoutWebPublic(site.settings);
    // A request for a private channel must not create one that everybody on the Internet can read.
    if (request.isWebPublic && request.isPrivate) {
      throw errors.incompatibleParameters(['is_web_public', 'invite_only']);
    }
    refuse(tx, user, request);
  }
  return request;
}

/**
 * Refuses web-public channels unless the server has them: "Needs the server setting for web-public
 * channels" (specification, POST /users/me/subscriptions).
 */
export function refuseWithoutWebPublic({ isWebPublic }: ServerSettings) {
  if (!isWebPublic) throw errors.badRequest('Web-public channels are not enabled.');
}

/** Returns the permissions of the channels as they are stored. */
export const groupsOf = (tx: RealmTransaction, given: ChannelGroups): ChannelGroups =>
  Object.fromEntries(
    // The names are those of the type; `Object.entries` loses them.
    (Object.entries(given) as [ChannelPermissionName, GroupSetting][]).map(([name, value]) => [
      name,
      acceptableForChannel(tx, name, value),
    ]),
  );

function refuse(tx: RealmTransaction, user: UserRow, request: CreationRequest) {
  if (request.folderId !== null) refuseUnlessOpen(tx, request.folderId);
  if (request.messageRetentionDays !== null && user.role !== Role.owner) {
    throw errors.unauthorizedPrincipal('Must be an organization owner');
  }
  if (request.topicsPolicy !== 'inherit' && !may(tx, user, 'can_set_topics_policy_group')) {
    throw errors.badRequest('Insufficient permission');
  }
  refuseDeletePolicy(tx, user, request.groups);
}

/** Refuses a permission to delete messages, unless the organization lets this user set it. */
export function refuseDeletePolicy(tx: Reads, user: UserRow, groups: ChannelGroups) {
  const letsDelete = DELETE_GROUPS.some((name) => (groups[name] ?? NOBODY) !== NOBODY);
  if (letsDelete && !may(tx, user, 'can_set_delete_message_policy_group')) {
    throw errors.badRequest('Insufficient permission');
  }
}

const DELETE_GROUPS = ['can_delete_any_message_group', 'can_delete_own_message_group'] as const;
const NOBODY = systemGroupId('role:nobody');
