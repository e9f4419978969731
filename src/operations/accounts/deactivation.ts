import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isAdministrator, Role } from '../../domain/wire/roles.ts';
import type { Caller, Site } from '../access/caller.ts';
import * as eventQueues from '../access/event-queues.ts';
import { accounts, type Reads, standingGroup } from '../access/groups.ts';
import * as mails from '../access/mails.ts';
import * as owners from '../access/owners.ts';
import * as settingsNaming from '../access/settings-naming.ts';
import { isEveryoneSeen, whoDoesNotSee, whoSees } from '../access/user-visibility.ts';
import * as bots from '../bots/bots.ts';
import * as subscriptions from '../channels/subscriptions.ts';
import * as exports from '../realm/exports.ts';
import * as botDefaults from '../users/bot-defaults.ts';
import * as presences from '../users/presences.ts';
import * as profiles from '../users/profiles.ts';
import * as userStatuses from '../users/statuses.ts';
import * as apiKeys from './api-keys.ts';
import * as emailChanges from './email-changes.ts';
import * as invitations from './invitations.ts';
import * as passwords from './passwords.ts';
import * as sessions from './sessions.ts';

interface Deactivation {
  readonly userId: number;
  /** The comment that the person is sent. */
  readonly comment: string | undefined;
}

/** Deactivates the account of a person: for administrators (specification, "User account"). */
export function ofPerson(
  tx: RealmTransaction,
  { user: by, site }: Caller,
  { userId, comment }: Deactivation,
) {
  const user = tx.users.get([userId]);
  if (user === undefined || user.isSystem || user.botType !== null) throw errors.noSuchUser();
  if (!user.isActive) throw errors.userIsDeactivated();
  if (user.role === Role.owner) owners.refuseOthers(by);
  if (owners.isLast(tx, user)) {
    throw errors.badRequest('Cannot deactivate the only organization owner');
  }
  deactivate(tx, user);
  if (comment !== undefined) mailNotice(tx, site, { user, by, comment: comment.trim() });
}

/** Deactivates one's own account. */
export function ofSelf(tx: RealmTransaction, user: UserRow) {
  const isLastOwner = owners.isLast(tx, user);
  if (isLastOwner || isLastPerson(tx, user)) throw errors.cannotDeactivateLastUser(isLastOwner);
  deactivate(tx, user);
}

/** Deactivates a bot, for its owner and for administrators. */
export function ofBot(tx: RealmTransaction, { user: by }: Caller, botId: number) {
  const bot = bots.managed(tx, by, botId);
  if (!bot.isActive) throw errors.userIsDeactivated();
  if (bot.role === Role.owner) owners.refuseOthers(by);
  deactivate(tx, bot);
}

/** Reactivates an account with its subscriptions, groups and rights, but without its keys. */
export function reactivate(tx: RealmTransaction, caller: Caller, userId: number) {
  const user = tx.users.get([userId]);
  if (user === undefined || user.isSystem) throw errors.noSuchUser();
  const isOwned = user.botType !== null && user.botOwnerId === caller.user.id;
  if (!isOwned && !isAdministrator(caller.user.role)) {
    throw errors.badRequest('Insufficient permission');
  }
  if (user.isActive) throw errors.badRequest('User is already active');
  if (user.role === Role.owner) owners.refuseOthers(caller.user);
  if (user.botType !== null) bots.refuseTakenName(tx, user.fullName, user.id);
  profiles.acceptableName(tx, user.fullName, user.id);
  activate(tx, caller, user);
}

/** Makes an account active, whoever asks for it. */
export function activate(tx: RealmTransaction, caller: Caller, user: UserRow) {
  // Deactivation ended them for good: the user logs in again, and a bot gets a new key.
  apiKeys.endAll(tx, user.id);
  emailChanges.forget(tx, user.id);
  passwords.forgetLinks(tx, user.id);
  const active = { ...user, isActive: true };
  tx.users.put([user.id], active);
  announceActivity(tx, active);
  rejoinGroups(tx, active);
  settingsNaming.announce(tx, active, 'everyone');
  subscriptions.countAccount(tx, active);
  userStatuses.announceWhole(tx, active, caller);
  exports.announceConsent(tx, active);
  if (user.botType !== null) bots.adopt(tx, caller, active);
}

function deactivate(tx: RealmTransaction, user: UserRow) {
  const owned = Array.from(accounts(tx)).filter(
    ({ botOwnerId, isActive }) => botOwnerId === user.id && isActive,
  );
  const ended = [user, ...owned];
  for (const one of ended) {
    const inactive = { ...one, isActive: false };
    subscriptions.countAccount(tx, inactive);
    tx.users.put([one.id], inactive);
    announceActivity(tx, inactive);
    if (!isEveryoneSeen(tx)) leaveGroupsForUnaware(tx, inactive);
    presences.forget(tx, one.id);
    invitations.revokeAllOf(tx, one.id);
    sessions.endAll(tx, one.id);
  }
  eventQueues.endOf(tx, new Set(ended.map(({ id }) => id)));
}

/**
 * Announces that an account is active or not: "Clients drop the user from all groups themselves"
 * (reference/events-and-register.md 4.3).
 */
function announceActivity(tx: RealmTransaction, user: UserRow) {
  const { id, isActive } = user;
  tx.emit({
    event: { type: 'realm_user', op: 'update', person: { user_id: id, is_active: isActive } },
    audience: whoSees(tx, user),
  });
  if (user.botType !== null)
    botDefaults.announceToManagers(tx, user, () => ({ is_active: isActive }));
}

/**
 * Tells users who may not know of the account what groups it leaves, since they do not get its own
 * event.
 */
function leaveGroupsForUnaware(tx: RealmTransaction, user: UserRow) {
  const audience = whoDoesNotSee(tx, user);
  for (const { groupId, queues } of groupsOf(tx, user)) {
    tx.emit({
      event: { type: 'user_group', op: 'remove_members', group_id: groupId, user_ids: [user.id] },
      audience,
      ...queues,
    });
  }
  settingsNaming.announce(tx, user, 'unaware');
}

function rejoinGroups(tx: RealmTransaction, user: UserRow) {
  for (const { groupId, queues } of groupsOf(tx, user)) {
    tx.emit({
      event: { type: 'user_group', op: 'add_members', group_id: groupId, user_ids: [user.id] },
      audience: { everyone: true },
      ...queues,
    });
  }
}

/** Returns the groups that a user is directly in, with the queues for their events. */
function groupsOf(tx: Reads, user: UserRow) {
  const custom = Array.from(tx.userGroups.keysUnder([user.id]), ([, groupId]) => ({
    groupId,
    queues: tx.groups.get([groupId])?.isDeactivated
      ? ({ queues: { has: 'include_deactivated_groups' } } as const)
      : {},
  }));
  return [{ groupId: standingGroup(tx, user), queues: {} }, ...custom];
}

function isLastPerson(tx: Reads, user: UserRow): boolean {
  for (const { id, isActive, botType } of accounts(tx)) {
    if (id !== user.id && isActive && botType === null) return false;
  }
  return true;
}

function mailNotice(
  tx: RealmTransaction,
  site: Site,
  { user, by, comment }: { user: UserRow; by: UserRow; comment: string },
) {
  mails.post(tx, site, {
    to: user.email,
    subject: 'Your account was deactivated',
    text: [
      `Hi ${user.fullName},`,
      `${by.fullName} has deactivated your account at ${site.settledUrl}, and all bots of yours.`,
      ...(comment === '' ? [] : ['The administrator left this comment for you:', comment]),
    ].join('\n\n'),
  });
}
