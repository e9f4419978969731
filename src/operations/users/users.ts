import { randomBytes } from 'node:crypto';
import type { BotServiceRow } from '../../../storage/tables/people/bots.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { EMAIL_LENGTH_MAX } from '../../domain/limits/accounts.ts';
import { API_KEYS_PER_USER_MAX } from '../../domain/limits/credentials.ts';
import { unprintableIn } from '../../domain/rules/messages/topic.ts';
import { isSpectator } from '../../domain/rules/people/spectators.ts';
import {
  apiEmail,
  canSeeEmail,
  dummyEmail,
  isEmailPublic,
  isMadeUpEmail,
  isPresenceEnabled,
  looksLikeEmail,
  rolesThatSeeEmail,
} from '../../domain/rules/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Audience } from '../../domain/wire/events/log-entry.ts';
import { type KeyMaker, makesRoom } from '../../domain/wire/key-makers.ts';
import type { BotObject, UserObject } from '../../domain/wire/objects.ts';
import { isAdministrator, Role } from '../../domain/wire/roles.ts';
import { hashOfKey } from '../access/accounts.ts';
import { avatarUrl, isLeftToClients, UNKNOWN_AVATAR_URL } from '../access/avatars.ts';
import type { Site } from '../access/caller.ts';
import * as eventQueues from '../access/event-queues.ts';
import { type Reads, standingGroup } from '../access/groups.ts';
import { isEveryoneSeen } from '../access/user-visibility.ts';
import * as notificationListeners from '../indexes/notification-listeners.ts';
import * as botDefaults from './bot-defaults.ts';
import * as userDefaults from './defaults.ts';
import type { ProfileOf } from './profile-values.ts';
import { acceptableName } from './profiles.ts';
import * as waitingPeriod from './waiting-period.ts';

export interface NewUser {
  readonly email: string;
  readonly fullName: string;
  readonly role: Role;
  readonly botType?: number;
  readonly botOwnerId?: number;
  /** argon2id in PHC form. */
  readonly passwordHash?: string;
  /** An image whose bytes are on disk. */
  readonly uploadedAvatar?: UserRow['uploadedAvatar'];
  /** The server that an outgoing-webhook bot calls. */
  readonly service?: BotServiceRow;
  /** The defaults of a bot, and the user who sets them. */
  readonly defaults?: { readonly user: UserRow; readonly change: botDefaults.DefaultsChange };
}

/** Adds an account and announces it. Refuses a taken or malformed address and an invalid name. */
export function create(tx: RealmTransaction, user: NewUser, site: Site): UserRow {
  refuseIdentity(tx, user, site);
  const email = user.email.trim();
  const fullName = user.fullName.trim();
  const row: UserRow = {
    id: tx.nextId('user'),
    email,
    fullName,
    role: user.role,
    isActive: true,
    botType: user.botType ?? null,
    botOwnerId: user.botOwnerId ?? null,
    dateJoined: Math.floor(tx.now / 1000),
    timezone: '',
    avatarVersion: 1,
    passwordHash: user.passwordHash ?? null,
    settings: user.botType === undefined ? userDefaults.ofNewUser(tx) : {},
    isSystem: false,
    uploadedAvatar: user.uploadedAvatar ?? null,
  };
  tx.users.put([row.id], row);
  tx.userEmails.put([email.toLowerCase()], { userId: row.id });
  tx.userNames.put([fullName.toLowerCase(), row.id], {});
  waitingPeriod.begin(tx, row);
  for (const setting of Object.entries(row.settings)) {
    notificationListeners.noteSetting(tx, row.id, setting);
  }
  if (user.service !== undefined) tx.botServices.put([row.id], user.service);
  if (user.defaults !== undefined) {
    const { user: owner, change } = user.defaults;
    botDefaults.set(tx, { user: owner, botId: row.id }, change);
  }
  announce(tx, row, site);
  return row;
}

/** Refuses a name and an address that no new account can have. */
export function refuseIdentity(
  tx: Reads,
  given: Pick<NewUser, 'email' | 'fullName'>,
  site: Pick<Site, 'host'>,
) {
  const email = acceptableEmail(given.email, site);
  refuseTakenEmail(tx, email);
  acceptableName(tx, given.fullName);
}

export function refuseTakenEmail(tx: Reads, email: string) {
  if (tx.userEmails.has([email.toLowerCase()])) {
    throw errors.badRequest('Email is already in use.');
  }
}

/** Returns a mail address without the spaces around it; refuses an invalid one. */
export function acceptableEmail(text: string, { host }: Pick<Site, 'host'>): string {
  const email = text.trim();
  const isAddress =
    looksLikeEmail(email) && email.length <= EMAIL_LENGTH_MAX && !unprintableIn(email);
  if (isAddress && !isMadeUpEmail(email, host)) return email;
  throw errors.badRequest('Invalid email address');
}

/** Announces the account, then its system group, then the bot to those who manage it. */
function announce(tx: RealmTransaction, user: UserRow, site: Site) {
  // Guests who do not see all users share no channel with a new one; they only see their own bot.
  const owners = user.botOwnerId === null ? [] : [user.botOwnerId];
  announcePerson(tx, user, { site, owners });
  if (!isEveryoneSeen(tx)) {
    const except = [user.id, ...owners];
    const audience = { roles: { above: Role.member, upTo: Role.guest }, except };
    announceHiddenUser(tx, user.id, { site, audience });
  }
  const groupId = standingGroup(tx, user);
  tx.emit({
    event: { type: 'user_group', op: 'add_members', group_id: groupId, user_ids: [user.id] },
    audience: { everyone: true },
  });
  if (user.botType === null) return;
  const { host } = site;
  const owner = user.botOwnerId === null ? [] : [user.botOwnerId];
  if (!botDefaults.hasPrivate(tx, user.id)) {
    const audience = { administrators: true, users: owner } as const;
    announceBot(tx, user, { host, viewer: 'administrators', audience });
    return;
  }
  const audience = { administrators: true, except: owner } as const;
  announceBot(tx, user, { host, viewer: 'administrators', audience });
  announceBot(tx, user, { host, viewer: 'owner', audience: { users: owner } });
}

/**
 * Announces a new account to users who may know of it, with the address to those who may see that.
 */
function announcePerson(
  tx: RealmTransaction,
  user: UserRow,
  { site, owners }: { readonly site: Site; readonly owners: readonly number[] },
) {
  const person = personAdded(user, site);
  const everybody: Audience = isEveryoneSeen(tx)
    ? { everyone: true }
    : { nonGuests: true, users: owners };
  if (isEmailPublic(user)) {
    tx.emit({ event: { type: 'realm_user', op: 'add', person }, audience: everybody });
  } else {
    const seeing = rolesThatSeeEmail(user);
    const last = isEveryoneSeen(tx) ? Role.guest : Role.member;
    tx.emit({
      event: { type: 'realm_user', op: 'add', person: { ...person, delivery_email: user.email } },
      audience: { roles: { above: 0, upTo: seeing } },
    });
    tx.emit({
      event: { type: 'realm_user', op: 'add', person },
      audience: { roles: { above: seeing, upTo: last } },
    });
  }
  if (isPresenceEnabled(user)) return;
  // Older clients show an invisible user as away.
  tx.emit({ event: { type: 'user_status', user_id: user.id, away: true }, audience: everybody });
}

/** Announces a bot to users who manage it from now on. */
export function announceBot(
  tx: RealmTransaction,
  bot: UserRow,
  { audience, ...view }: BotView & { readonly audience: Audience },
) {
  tx.emit({ event: { type: 'realm_bot', op: 'add', bot: botObject(tx, bot, view) }, audience });
}

/**
 * Issues a new API key of random bits, of which only a hash is stored. The oldest key of a login
 * makes room, and the event queues registered with it end.
 */
export function issueApiKey(tx: RealmTransaction, userId: number, maker: KeyMaker): string {
  const keys = [...tx.apiKeys.under([userId])];
  const logins = keys
    .filter(([, key]) => key.origin === 'login')
    .sort(([, one], [, other]) => one.createdAt - other.createdAt);
  if (keys.length >= API_KEYS_PER_USER_MAX) {
    const oldest = logins[0];
    if (oldest === undefined) throw errors.badRequest('This account has too many API keys');
    const [, keyHash] = oldest[0];
    removeApiKey(tx, userId, keyHash);
    eventQueues.endOfKey(tx, { userId, keyHash });
  }
  const key = randomBytes(KEY_BYTES).toString('hex');
  tx.apiKeys.put([userId, hashOfKey(key)], {
    createdAt: tx.now,
    origin: makesRoom(maker) ? 'login' : 'issued',
    madeBy: maker,
  });
  tx.keyOwners.put([hashOfKey(key)], { userId });
  return key;
}

/**
 * Removes a key with its uses; the event queues registered with it are ended separately
 * (`event-queues.ts`).
 */
export function removeApiKey(tx: RealmTransaction, userId: number, keyHash: string) {
  tx.apiKeys.remove([userId, keyHash]);
  tx.keyOwners.remove([keyHash]);
  tx.keyUses.remove([userId, keyHash]);
}

/**
 * A key is one of 2^128, too many to guess, and existing clients only accept keys of 32 letters and
 * digits.
 */
const KEY_BYTES = 16;

interface UserView {
  readonly viewer: UserRow;
  readonly site: Site;
  readonly clientGravatar: boolean;
  /** Undefined if `profile_data` is not needed. */
  readonly profileOf?: ProfileOf | undefined;
}

/** Spectators do not get the time zone. */
type ListedUser = Omit<UserObject, 'timezone'> & Partial<Pick<UserObject, 'timezone'>>;

/** Returns a user as in `GET /users` and the snapshot (specification, "User"). */
export function userObject(user: UserRow, view: UserView): ListedUser {
  const full = fullObject(user, view);
  if (!isSpectator(view.viewer) || user.isSystem) return full;
  // "`delivery_email` null, no `timezone`, no `profile_data`, day-precision `date_joined`" (5.8).
  const { timezone, profile_data, ...shown } = full;
  return {
    ...shown,
    email: dummyEmail(user.id, view.site.host),
    delivery_email: null,
    date_joined: full.date_joined.slice(0, DAY_LENGTH),
  };
}

/** Characters of the day in an ISO 8601 date. */
const DAY_LENGTH = 'YYYY-MM-DD'.length;

function fullObject(
  user: UserRow,
  { viewer, site, clientGravatar, profileOf }: UserView,
): UserObject {
  const mayCompute =
    clientGravatar && canSeeEmail(viewer, user) && isLeftToClients(user, site.settings);
  return {
    user_id: user.id,
    email: apiEmail(user, site.host),
    delivery_email: user.isSystem
      ? apiEmail(user, site.host)
      : canSeeEmail(viewer, user)
        ? user.email
        : null,
    full_name: user.fullName,
    date_joined: `${new Date(user.dateJoined * 1000).toISOString().slice(0, 16)}+00:00`,
    is_active: user.isActive,
    is_owner: user.role === Role.owner,
    is_admin: isAdministrator(user.role),
    is_guest: user.role === Role.guest,
    is_bot: user.botType !== null,
    ...(user.isSystem ? { is_system_bot: true } : {}),
    bot_type: user.botType,
    bot_owner_id: user.botOwnerId,
    role: user.role,
    timezone: user.timezone,
    avatar_url: mayCompute ? null : avatarUrl(user),
    avatar_version: user.avatarVersion,
    ...(profileOf !== undefined && user.botType === null
      ? { profile_data: profileOf(user.id) }
      : {}),
  };
}

export interface BotView {
  readonly host: string;
  readonly viewer: botDefaults.Viewer;
}

/** Returns a bot as its managers see it (reference/events-and-register.md 4.3: `realm_bot` add). */
export function botObject(tx: Reads, bot: UserRow, { host, viewer }: BotView): BotObject {
  return {
    user_id: bot.id,
    email: apiEmail(bot, host),
    full_name: bot.fullName,
    bot_type: bot.botType,
    // Only hashes of keys are stored, so the key itself is not available.
    api_key: '',
    avatar_url: avatarUrl(bot),
    is_active: bot.isActive,
    ...(bot.botOwnerId === null ? {} : { owner_id: bot.botOwnerId }),
    ...botDefaults.fields(tx, bot.id, viewer),
    services: servicesOf(tx, bot.id),
  };
}

/** Returns the server that an outgoing-webhook bot calls; other bots have none. */
export function servicesOf(tx: Reads, botId: number): BotObject['services'] {
  const service = tx.botServices.get([botId]);
  if (service === undefined) return [];
  return [{ base_url: service.baseUrl, interface: service.interface, token: service.token }];
}

/**
 * Returns the user object of a `realm_user` add event: the same for all who may see the address.
 */
export function personAdded(user: UserRow, site: Site, profileOf: ProfileOf = () => ({})) {
  const person = fullObject(user, {
    viewer: user,
    site,
    clientGravatar: false,
    profileOf,
  });
  return {
    ...person,
    avatar_url: avatarUrl(user),
    delivery_email: isEmailPublic(user) ? user.email : null,
  };
}

/** Sends a placeholder of a hidden user to clients that need every id to be listed. */
export function announceHiddenUser(
  tx: RealmTransaction,
  userId: number,
  { site, audience }: { readonly site: Site; readonly audience: Audience },
) {
  const created = tx.realm.get(['realm'])?.dateCreated ?? 0;
  tx.emit({
    event: { type: 'realm_user', op: 'add', person: hiddenUser(userId, { site, created }) },
    audience,
    queues: { lacks: 'user_list_incomplete' },
  });
}

/**
 * Returns a placeholder for a user whom a guest may not see, for clients that need every id to be
 * listed. It contains only the id, not even whether the account is active.
 */
export function hiddenUser(
  id: number,
  { site, created }: { readonly site: Site; readonly created: number },
): UserObject & { avatar_url: string } {
  return {
    user_id: id,
    email: dummyEmail(id, site.host),
    delivery_email: null,
    full_name: 'Unknown user',
    date_joined: `${new Date(created * 1000).toISOString().slice(0, 16)}+00:00`,
    is_active: true,
    is_owner: false,
    is_admin: false,
    is_guest: false,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    role: Role.member,
    timezone: '',
    avatar_url: UNKNOWN_AVATAR_URL,
    avatar_version: 1,
    profile_data: {},
  };
}
