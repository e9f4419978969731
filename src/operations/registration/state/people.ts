import type { UserRow } from '../../../../storage/tables/people/users.ts';
import { PRESENCE_HISTORY_DAYS } from '../../../domain/rules/people/presence.ts';
import { isSpectator } from '../../../domain/rules/people/spectators.ts';
import { apiEmail, canSeeEmail, isPresenceEnabled } from '../../../domain/rules/people/users.ts';
import { customProfileFieldTypes } from '../../../domain/rules/realm/realm-state.ts';
import { EncodedList } from '../../../domain/wire/encoded-list.ts';
import { isAdministrator, isGuest, isModerator, Role } from '../../../domain/wire/roles.ts';
import { systemGroupObjects } from '../../../domain/wire/system-groups.ts';
import { avatarUpdate } from '../../access/avatars.ts';
import { may, realmSetting, standingGroups } from '../../access/groups.ts';
import { methodsOf } from '../../access/second-steps.ts';
import { visibilityTo } from '../../access/user-visibility.ts';
import * as userGroups from '../../groups/user-groups.ts';
import { notificationBot } from '../../posting/notices.ts';
import * as presences from '../../users/presences.ts';
import { list as profileFields } from '../../users/profile-fields.ts';
import { asNeeded } from '../../users/profile-values.ts';
import { statusObject } from '../../users/statuses.ts';
import { botObject, hiddenUser, userObject } from '../../users/users.ts';
import type { State, View } from './view.ts';

/** Returns the fetch type `realm_user` (reference/events-and-register.md 5.4). */
export function realmUserState(view: View): State {
  return {
    ...accountLists(view),
    cross_realm_bots: systemBots(view),
    ...ownAccount(view),
    ...ownRights(view),
  };
}

function systemBots({ tx, user: viewer, site, clientGravatar }: View) {
  const { is_active, ...listed } = userObject(notificationBot(tx), {
    viewer,
    site,
    clientGravatar,
  });
  return [listed];
}

function accountLists(view: View) {
  const { user: viewer, capabilities } = view;
  const sees = visibilityTo(view.tx, viewer);
  const form = { site: view.site, created: view.tx.realm.get(['realm'])?.dateCreated ?? 0 };
  const textOf = textsOfAccounts(view);
  const active: string[] = [];
  const inactive: string[] = [];
  for (const user of view.accounts()) {
    if (sees(user)) (user.isActive ? active : inactive).push(textOf(user));
    else if (!capabilities.user_list_incomplete) active.push(jsonListed(hiddenUser(user.id, form)));
  }
  return {
    realm_users: new EncodedList(active),
    realm_non_active_users: new EncodedList(inactive),
  };
}

/**
 * Returns the text of an account. The result of `userObject` depends only on its row, its profile
 * and these fields, which are the key of the cache.
 */
function textsOfAccounts({ tx, people, user: viewer, site, clientGravatar }: View) {
  const profileOf = asNeeded(tx);
  const form = { viewer, site, clientGravatar, profileOf };
  const make = (user: UserRow) => jsonListed(userObject(user, form));
  if (people === undefined) return make;
  const byHost = `${site.host} ${site.url}`;
  const forms = new Map(
    [true, false].map((isShown) => {
      const name = `${isShown} ${clientGravatar} ${isSpectator(viewer)}`;
      return [isShown, { host: byHost, form: name }] as const;
    }),
  );
  return (user: UserRow) => {
    const kept = forms.get(canSeeEmail(viewer, user));
    return kept === undefined ? make(user) : people.text(user, kept, () => make(user));
  };
}

/** Removes a field: "No `is_active` inside realm_users/realm_non_active_users". */
const jsonListed = ({ is_active, ...listed }: { readonly is_active: boolean }) =>
  JSON.stringify(listed);

function ownAccount({ tx, user, site }: View) {
  const { avatar_version, ...avatar } = avatarUpdate(user);
  return {
    user_id: user.id,
    email: apiEmail(user, site.host),
    full_name: user.fullName,
    delivery_email: user.email,
    ...avatar,
    is_owner: user.role === Role.owner,
    is_admin: isAdministrator(user.role),
    is_moderator: isModerator(user.role),
    is_guest: isGuest(user.role),
    has_second_step: methodsOf(tx, user.id).length > 0,
  };
}

function ownRights({ tx, user, site }: View) {
  const mayCreatePublic = may(tx, user, 'can_create_public_channel_group');
  const mayCreatePrivate = may(tx, user, 'can_create_private_channel_group');
  const mayCreateWebPublic =
    site.settings.isWebPublic &&
    realmSetting(tx, 'enable_spectator_access') &&
    may(tx, user, 'can_create_web_public_channel_group');
  return {
    can_create_public_streams: mayCreatePublic,
    can_create_private_streams: mayCreatePrivate,
    can_create_web_public_streams: mayCreateWebPublic,
    can_create_streams: mayCreatePublic || mayCreatePrivate || mayCreateWebPublic,
    can_invite_others_to_realm: may(tx, user, 'can_invite_users_group'),
  };
}

/** Returns the fetch type `realm_user_groups`. */
export function userGroupsState(view: View): State {
  const members = new Map<number, number[]>();
  const groupOf = standingGroups(view.tx);
  for (const user of view.accounts()) {
    if (!user.isActive) continue;
    const groupId = groupOf(user);
    const ids = members.get(groupId);
    if (ids === undefined) members.set(groupId, [user.id]);
    else ids.push(user.id);
  }
  return {
    realm_user_groups: [
      ...systemGroupObjects(members),
      ...userGroups.list(view.tx, view.capabilities),
    ],
  };
}

/** Returns the fetch type `realm_bot`: all bots for administrators, else one's own. */
export function realmBotState({ tx, accounts, user: viewer, site }: View): State {
  const bots = accounts().filter(
    (user) =>
      user.botType !== null && (isAdministrator(viewer.role) || user.botOwnerId === viewer.id),
  );
  return {
    realm_bots: bots.map((bot) =>
      botObject(tx, bot, {
        host: site.host,
        viewer: bot.botOwnerId === viewer.id ? 'owner' : 'administrators',
      }),
    ),
  };
}

/**
 * Returns the fetch type `presence`: people with a report within the history that the client wants.
 */
export function presenceState(view: View): State {
  const { tx, user: viewer, site, now, capabilities, slimPresence } = view;
  const historyDays = view.presenceHistoryDays ?? PRESENCE_HISTORY_DAYS;
  const { present, updateId } = presences.list(tx, { viewer, site, now, historyDays });
  const isModern = slimPresence || capabilities.simplified_presence_events;
  return {
    presences: isModern ? presences.modern(present) : presences.legacy(present),
    presence_last_update_id: updateId,
    server_timestamp: now / 1000,
  };
}

/**
 * Returns the fetch type `user_status`: statuses of active people whom the viewer may know of, if
 * they have any.
 */
export function userStatusState(view: View): State {
  const sees = visibilityTo(view.tx, view.user);
  const statuses: State = {};
  const haveSaid = new Set<number>();
  for (const [userId] of view.tx.userStatuses.keys({})) haveSaid.add(userId);
  for (const user of view.accounts()) {
    if (!haveSaid.has(user.id) && isPresenceEnabled(user)) continue;
    if (!user.isActive || user.botType !== null || !sees(user)) continue;
    const status = statusObject(view.tx, user, view.site.settings);
    if (Object.keys(status).length > 0) statuses[user.id] = status;
  }
  return { user_status: statuses };
}

/** Returns the fetch type `custom_profile_fields`. */
export const profileFieldsState = ({ tx }: View): State => ({
  custom_profile_fields: profileFields(tx),
  custom_profile_field_types: customProfileFieldTypes,
});
