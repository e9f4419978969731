import type { UserRow } from '../../../storage/tables/users.ts';
import type { RealmPermissionName } from '../../domain/permission-settings.ts';
import { isAdministrator, isGuest, isModerator, Role } from '../../domain/roles.ts';
import { systemGroupObjects, systemGroupOf } from '../../domain/system-groups.ts';
import { apiEmail, isFullMember } from '../../domain/users.ts';
import { avatarUrl } from '../avatars.ts';
import { isAllowed, realmSetting } from '../groups.ts';
import { sightOf } from '../user-access.ts';
import { botObject, userObject } from '../users.ts';
import type { State, View } from './view.ts';

/** The fetch type `realm_user` (reference/events-and-register.md 5.4). */
export function realmUserState(view: View): State {
  return { ...accountLists(view), cross_realm_bots: [], ...ownAccount(view), ...ownRights(view) };
}

function accountLists(view: View) {
  const { user: viewer, place, clientGravatar, capabilities } = view;
  const sees = sightOf(view.tx, viewer);
  const stranger = strangers(view);
  const form = { viewer, place, clientGravatar, withProfile: true };
  const active: object[] = [];
  const inactive: object[] = [];
  for (const user of view.accounts()) {
    const isSeen = sees(user);
    if (!isSeen && capabilities.user_list_incomplete) continue;
    // "No `is_active` inside realm_users/realm_non_active_users": the list says it.
    const { is_active, ...listed } = isSeen ? userObject(user, form) : stranger(user.id);
    (is_active ? active : inactive).push(listed);
  }
  return { realm_users: active, realm_non_active_users: inactive };
}

/**
 * What stands for an account that the viewer may not see, for clients that need every id to be listed. It tells nothing
 * but the id, not even whether the account is active.
 */
function strangers({ tx, user: viewer, place }: View) {
  const blank: Omit<UserRow, 'id'> = {
    email: '',
    fullName: 'Unknown user',
    role: Role.member,
    isActive: true,
    botType: null,
    botOwnerId: null,
    dateJoined: tx.realm.get(['realm'])?.dateCreated ?? 0,
    timezone: '',
    avatarVersion: 1,
    passwordHash: null,
    // 4: nobody sees the real address.
    settings: { email_address_visibility: 4 },
  };
  const form = { viewer, place, clientGravatar: false, withProfile: true };
  return (id: number) => ({
    ...userObject({ ...blank, id }, form),
    avatar_url: `${place.url}/static/unknown-user.png`,
  });
}

function ownAccount({ user, place }: View) {
  const avatar = avatarUrl(user);
  return {
    user_id: user.id,
    email: apiEmail(user, place.host),
    full_name: user.fullName,
    delivery_email: user.email,
    avatar_url: avatar,
    avatar_url_medium: `${avatar}&s=500`,
    avatar_source: 'G',
    is_owner: user.role === Role.owner,
    is_admin: isAdministrator(user.role),
    is_moderator: isModerator(user.role),
    is_guest: isGuest(user.role),
  };
}

function ownRights({ tx, user }: View) {
  const may = (setting: RealmPermissionName) => isAllowed(tx, user, realmSetting(tx, setting));
  const mayCreatePublic = may('can_create_public_channel_group');
  const mayCreatePrivate = may('can_create_private_channel_group');
  const mayCreateWebPublic =
    realmSetting(tx, 'enable_spectator_access') && may('can_create_web_public_channel_group');
  return {
    can_create_public_streams: mayCreatePublic,
    can_create_private_streams: mayCreatePrivate,
    can_create_web_public_streams: mayCreateWebPublic,
    can_create_streams: mayCreatePublic || mayCreatePrivate || mayCreateWebPublic,
    can_invite_others_to_realm: may('can_invite_users_group'),
  };
}

/** The fetch type `realm_user_groups`. */
export function userGroupsState(view: View): State {
  const standing = {
    waitingDays: realmSetting(view.tx, 'waiting_period_threshold'),
    nowSeconds: Math.floor(view.now / 1000),
  };
  const members = new Map<number, number[]>();
  for (const user of view.accounts()) {
    if (!user.isActive) continue;
    const groupId = systemGroupOf(user.role, isFullMember(user, standing));
    const ids = members.get(groupId);
    if (ids === undefined) members.set(groupId, [user.id]);
    else ids.push(user.id);
  }
  return { realm_user_groups: systemGroupObjects(members) };
}

/** The fetch type `realm_bot`: all bots for administrators, else one's own. */
export function realmBotState({ accounts, user: viewer, place }: View): State {
  const bots = accounts().filter(
    (user) =>
      user.botType !== null && (isAdministrator(viewer.role) || user.botOwnerId === viewer.id),
  );
  return { realm_bots: bots.map((bot) => botObject(bot, place.host)) };
}
