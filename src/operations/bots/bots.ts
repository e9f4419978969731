import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { apiEmail } from '../../domain/rules/people/users.ts';
import { BotType } from '../../domain/wire/bot-types.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isAdministrator, isGuest, Role } from '../../domain/wire/roles.ts';
import { avatarUrl } from '../access/avatars.ts';
import type { Caller, Site } from '../access/caller.ts';
import { accounts, may, type Reads } from '../access/groups.ts';
import * as owners from '../access/owners.ts';
import { whoSees } from '../access/user-visibility.ts';
import * as roles from '../groups/roles.ts';
import * as botDefaults from '../users/bot-defaults.ts';
import * as profiles from '../users/profiles.ts';
import * as users from '../users/users.ts';
import * as webhookSecrets from './webhook-secrets.ts';

export interface NewBot {
  readonly email: string;
  readonly fullName: string;
  readonly owner: UserRow;
  /** True for a bot that only sends, by URLs that other services are given. */
  readonly isIncomingWebhook?: boolean;
  /** The server that an outgoing-webhook bot calls; undefined for other bots. */
  readonly service?: { readonly baseUrl: string; readonly interface: 1 | 2 } | undefined;
  readonly defaults?: botDefaults.DefaultsChange | undefined;
  readonly config?: ReadonlyMap<string, string> | undefined;
  /** An image of it whose bytes are on disk. */
  readonly uploadedAvatar?: UserRow['uploadedAvatar'] | undefined;
}

/** Adds a bot and announces it to its managers. */
export function create(tx: RealmTransaction, site: Site, bot: NewBot): UserRow {
  const { email, fullName, owner, service, defaults } = bot;
  return users.create(
    tx,
    {
      email,
      fullName,
      role: Role.member,
      botType: typeOf(bot),
      botOwnerId: owner.id,
      uploadedAvatar: bot.uploadedAvatar ?? null,
      ...(service === undefined ? {} : { service: { ...service, token: newToken() } }),
      ...(defaults === undefined ? {} : { defaults: { user: owner, change: defaults } }),
    },
    site,
  );
}

function typeOf({ isIncomingWebhook, service }: NewBot) {
  if (isIncomingWebhook) return BotType.incomingWebhook;
  return service === undefined ? BotType.generic : BotType.outgoingWebhook;
}

type NewOwnBot = Omit<NewBot, 'owner' | 'email'> & { readonly shortName: string };

/**
 * Refuses a user who may not make such a bot, and an invalid name; returns the bot's address and
 * name.
 */
export function refuseNew(
  reads: Reads,
  { user, site }: Pick<Caller, 'user' | 'site'>,
  bot: NewOwnBot,
) {
  if (!mayCreate(reads, user, bot)) throw errors.badRequest('Insufficient permission');
  const fullName = bot.fullName.trim();
  refuseTakenName(reads, fullName);
  const email = `${bot.shortName}-bot@${site.host}`;
  users.refuseIdentity(reads, { email, fullName }, site);
  return { email, fullName };
}

/** Adds a bot of one's own. */
export function createOwn(
  tx: RealmTransaction,
  { user, site }: Pick<Caller, 'user' | 'site'>,
  bot: NewOwnBot,
) {
  const { email, fullName } = refuseNew(tx, { user, site }, bot);
  const row = create(tx, site, {
    email,
    fullName,
    owner: user,
    isIncomingWebhook: bot.isIncomingWebhook === true,
    service: bot.service,
    defaults: bot.defaults,
    uploadedAvatar: bot.uploadedAvatar ?? null,
  });
  webhookSecrets.configure(tx, row, bot.config ?? NO_CONFIG);
  return {
    user_id: row.id,
    api_key: users.issueApiKey(tx, row.id, 'bot'),
    avatar_url: avatarUrl(row),
    ...botDefaults.fields(tx, row.id, 'owner'),
  };
}

const NO_CONFIG: ReadonlyMap<string, string> = new Map();

/**
 * Tests the permission. A user who may make bots of all kinds may make those that only send, too.
 */
function mayCreate(tx: Reads, user: UserRow, { isIncomingWebhook }: Partial<NewBot>) {
  if (may(tx, user, 'can_create_bots_group')) return true;
  return isIncomingWebhook === true && may(tx, user, 'can_create_write_only_bots_group');
}

/** Returns the active bots of an account, without keys, since only hashes of keys are stored. */
export function ownedBy(reads: Reads, owner: UserRow, site: Site) {
  const bots: object[] = [];
  for (const bot of accounts(reads)) {
    if (bot.botOwnerId !== owner.id || !bot.isActive) continue;
    bots.push({
      username: apiEmail(bot, site.host),
      full_name: bot.fullName,
      api_key: '',
      avatar_url: avatarUrl(bot),
      ...botDefaults.fields(reads, bot.id, 'owner'),
    });
  }
  return bots;
}

/** The changes of a bot; undefined fields stay as they are. */
export interface BotChange extends botDefaults.DefaultsChange {
  readonly role: Role | undefined;
  readonly full_name: string | undefined;
  readonly bot_owner_id: number | undefined;
  readonly service_payload_url: string | undefined;
  readonly service_interface: 1 | 2 | undefined;
  readonly config_data: ReadonlyMap<string, string> | undefined;
}

/**
 * Changes a bot, for its owner and for administrators, and announces it to its managers. Returns
 * the changed bot.
 */
export function update(
  tx: RealmTransaction,
  caller: Caller,
  { botId, change }: { botId: number; change: BotChange },
) {
  const bot = managed(tx, caller.user, botId);
  const before = {
    owner: announcedFields(tx, bot, 'owner'),
    administrators: announcedFields(tx, bot, 'administrators'),
  };
  let current = bot;
  if (change.full_name !== undefined && change.full_name.trim() !== bot.fullName) {
    refuseTakenName(tx, change.full_name.trim(), bot.id);
    const name = profiles.acceptableName(tx, change.full_name, bot.id);
    current = profiles.rename(tx, current, name);
  }
  if (change.role !== undefined)
    current = roles.change(tx, caller.user, { user: current, role: change.role });
  changeService(tx, bot, change);
  webhookSecrets.configure(tx, bot, change.config_data ?? NO_CONFIG);
  botDefaults.set(tx, { user: caller.user, botId }, change);
  botDefaults.announceToManagers(tx, current, (viewer) =>
    changes(before[viewer], announcedFields(tx, current, viewer)),
  );
  if (change.bot_owner_id !== undefined) {
    current = handOver(tx, caller.site, { bot: current, ownerId: change.bot_owner_id });
  }
  return result(tx, current, caller.site);
}

/**
 * Returns a bot that the user may manage: "Bot owner or admin may manage a bot; otherwise BR"
 * (reference/endpoints.md 2.6). Administrators cannot manage a bot with the role of an owner: they
 * could ask for its key, and would get rights that only owners may give.
 */
export function managed(tx: Reads, user: UserRow, botId: number): UserRow {
  const bot = tx.users.get([botId]);
  if (bot === undefined || bot.botType === null || bot.isSystem) {
    throw errors.badRequest('No such bot');
  }
  if (bot.botOwnerId === user.id) return bot;
  if (!isAdministrator(user.role)) throw errors.badRequest('Insufficient permission');
  if (bot.role === Role.owner) owners.refuseOthers(user);
  return bot;
}

/**
 * Refuses a "bot name conflict" (reference/endpoints.md 2.2): no two active bots have the same
 * name.
 */
export function refuseTakenName(tx: Reads, fullName: string, botId?: number) {
  for (const [, id] of tx.userNames.keysUnder([fullName.toLowerCase()])) {
    const namesake = tx.users.get([id]);
    if (namesake?.isActive && namesake.botType !== null && id !== botId) {
      throw errors.badRequest('Name is already in use.');
    }
  }
}

function changeService(
  tx: RealmTransaction,
  bot: UserRow,
  { service_payload_url: baseUrl, service_interface: kind }: BotChange,
) {
  if (baseUrl === undefined && kind === undefined) return;
  const service = tx.botServices.get([bot.id]);
  if (service === undefined) throw errors.badRequest('This bot calls no service.');
  tx.botServices.put([bot.id], {
    ...service,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(kind === undefined ? {} : { interface: kind }),
  });
}

/**
 * Returns the fields of a bot that a change can affect, without its name and its owner, which have
 * events of their own.
 */
function announcedFields(tx: Reads, bot: UserRow, viewer: botDefaults.Viewer) {
  return { ...botDefaults.fields(tx, bot.id, viewer), services: users.servicesOf(tx, bot.id) };
}

type AnnouncedFields = ReturnType<typeof announcedFields>;

function changes(before: AnnouncedFields, after: AnnouncedFields): Partial<AnnouncedFields> {
  const changed = Object.entries(after).filter(
    // Both have the same keys.
    ([name, value]) => !isDeepStrictEqual(before[name as keyof AnnouncedFields], value),
  );
  return Object.fromEntries(changed);
}

/** Makes the user who reactivates a bot its owner, if the former one is deactivated. */
export function adopt(tx: RealmTransaction, { user, site }: Caller, bot: UserRow) {
  const owner = bot.botOwnerId === null ? undefined : tx.users.get([bot.botOwnerId]);
  if (!owner?.isActive) handOver(tx, site, { bot, ownerId: user.id });
}

interface HandOver {
  readonly bot: UserRow;
  readonly ownerId: number;
}

/** Gives a bot to another user, and tells each user what it is to them from now on. */
function handOver(tx: RealmTransaction, { host }: Site, { bot, ownerId }: HandOver): UserRow {
  if (ownerId === bot.botOwnerId) return bot;
  const owner = acceptableOwner(tx, ownerId);
  const former = bot.botOwnerId === null ? undefined : tx.users.get([bot.botOwnerId]);
  const given = { ...bot, botOwnerId: owner.id };
  tx.users.put([bot.id], given);
  tx.emit({
    event: {
      type: 'realm_user',
      op: 'update',
      person: { user_id: bot.id, bot_owner_id: owner.id },
    },
    audience: whoSees(tx, given),
  });
  if (former !== undefined && !isAdministrator(former.role)) {
    tx.emit({
      event: { type: 'realm_bot', op: 'delete', bot: { user_id: bot.id } },
      audience: { users: [former.id] },
    });
  }
  const isKnownToOwner = isAdministrator(owner.role);
  if (!isKnownToOwner) {
    users.announceBot(tx, given, { host, viewer: 'owner', audience: { users: [owner.id] } });
  }
  tx.emit({
    event: { type: 'realm_bot', op: 'update', bot: { user_id: bot.id, owner_id: owner.id } },
    audience: { administrators: true },
  });
  const owned = announcedFields(tx, given, 'owner');
  const shown = announcedFields(tx, given, 'administrators');
  if (former !== undefined && isAdministrator(former.role)) {
    botDefaults.announceUpdate(tx, bot.id, {
      changed: changes(owned, shown),
      audience: { users: [former.id] },
    });
  }
  if (isKnownToOwner) {
    botDefaults.announceUpdate(tx, bot.id, {
      changed: changes(shown, owned),
      audience: { users: [owner.id] },
    });
  }
  return given;
}

function acceptableOwner(tx: Reads, ownerId: number): UserRow {
  const owner = tx.users.get([ownerId]);
  if (owner === undefined || owner.isSystem) {
    throw errors.badRequest('Failed to change owner, no such user');
  }
  if (!owner.isActive) throw errors.badRequest('Failed to change owner, user is deactivated');
  if (owner.botType !== null) {
    throw errors.badRequest("Failed to change owner, bots can't own other bots");
  }
  if (isGuest(owner.role)) throw errors.badRequest("Failed to change owner, guests can't own bots");
  return owner;
}

function result(tx: Reads, bot: UserRow, site: Site) {
  const service = tx.botServices.get([bot.id]);
  const owner = bot.botOwnerId === null ? undefined : tx.users.get([bot.botOwnerId]);
  return {
    full_name: bot.fullName,
    avatar_url: avatarUrl(bot),
    service_interface: service?.interface ?? null,
    service_payload_url: service?.baseUrl ?? null,
    ...botDefaults.fields(tx, bot.id, 'owner'),
    ...(owner === undefined ? {} : { bot_owner: apiEmail(owner, site.host) }),
  };
}

const TOKEN_LENGTH = 32;
const ALPHANUMERICS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Makes a token of 190 bits, in letters and digits (specification, "outgoing-webhook delivery").
 */
const newToken = () =>
  Array.from({ length: TOKEN_LENGTH }, () => ALPHANUMERICS[randomInt(ALPHANUMERICS.length)]).join(
    '',
  );
