import { createHash } from 'node:crypto';
import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  CHANNEL_DESCRIPTION_LENGTH_MAX,
  CHANNEL_NAME_LENGTH_MAX,
} from '../../domain/limits/channels.ts';
import { cutTo } from '../../domain/rules/messages/topic.ts';
import { NOTIFICATION_BOT } from '../../domain/rules/people/system-bots.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import { Role, type RoleName } from '../../domain/wire/roles.ts';
import { systemGroupId } from '../../domain/wire/system-groups.ts';
import type { Site } from '../access/caller.ts';
import { byName } from '../access/channel-access.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as channels from '../channels/channels.ts';
import * as subscriptions from '../channels/subscriptions.ts';
import * as profiles from '../users/profiles.ts';
import * as users from '../users/users.ts';
import { idOf, quiet, remember } from './imported-ids.ts';
import { type ImportedPermissions, ofChannel } from './permissions.ts';

/** The import that rows are of. */
export interface Importing {
  readonly source: string;
  readonly format: string;
  readonly site: Site;
  /** True if people get the roles that they had: in a realm that the import has made. */
  readonly keepsRoles: boolean;
}

export interface ImportedUser {
  readonly id: string;
  readonly email?: string | undefined;
  readonly name: string;
  readonly bot?: boolean | undefined;
  /** The user who owns a bot. */
  readonly owner?: string | undefined;
  readonly role?: RoleName | undefined;
  readonly timezone?: string | undefined;
  /** UNIX seconds. */
  readonly joinedAt?: number | undefined;
}

/** Says why what an organization has set up does not come into this one. */
export const KEEPS_ITS_OWN = 'The organization was there before, and keeps its own.';

/** Tells what became of a row. */
export type Entered = 'added' | 'matched' | 'known';

/** Returns the service's own bot as an owner, in whose name an import acts. */
export function importer(tx: Pick<Reads, 'users'>): UserRow {
  const bot = tx.users.get([NOTIFICATION_BOT.id]);
  if (bot === undefined) throw new Error('the realm has no bot of its own');
  return { ...bot, role: Role.owner };
}

/**
 * Finds the account with the address of a user, or adds a placeholder: an account that is not
 * active, has no password, and can be taken over by the owner of the address.
 */
export function enterUser(tx: RealmTransaction, of: Importing, given: ImportedUser): Entered {
  if (idOf(tx, of.source, 'user', given.id) !== undefined) return 'known';
  const email = emailOf(of, given);
  const existing = tx.userEmails.get([email.toLowerCase()])?.userId;
  if (existing !== undefined) {
    remember(tx, of.source, 'user', { from: given.id, to: existing });
    return 'matched';
  }
  const role = roleOf(of, given);
  const ownerId = given.owner === undefined ? undefined : idOf(tx, of.source, 'user', given.owner);
  const kind =
    given.bot === true ? { botType: BOT_TYPE, ...(ownerId && { botOwnerId: ownerId }) } : {};
  const user = users.create(
    quiet(tx),
    { email, fullName: nameOf(tx, given), role, ...kind },
    of.site,
  );
  tx.waitingMembers.remove([user.dateJoined, user.id]);
  tx.users.put([user.id], {
    ...user,
    isActive: false,
    dateJoined: given.joinedAt ?? user.dateJoined,
    timezone: given.timezone ?? '',
  });
  tx.placeholders.put([user.id], {});
  remember(tx, of.source, 'user', { from: given.id, to: user.id });
  return 'added';
}

/** A bot that sends by its key (specification, "bot_type"). */
const BOT_TYPE = 1;

function roleOf({ keepsRoles }: Importing, { role = 'member' }: ImportedUser): Role {
  if (role === 'guest') return Role.guest;
  return keepsRoles ? Role[role] : Role.member;
}

/** Returns the address of a user; one that cannot exist (RFC 6761) for a user without. */
function emailOf({ source, format, site }: Importing, { id, email }: ImportedUser): string {
  if (email !== undefined) {
    try {
      return users.acceptableEmail(email, site);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  const hash = createHash('sha256').update(`${source}\0${id}`).digest('hex').slice(0, 20);
  return `${format}-${hash}@imported.invalid`;
}

/** Characters that names of accounts may not have, because mentions contain them. */
const ODD = /[*`\\>"@|\p{C}]/gu;
const NAME_LENGTH_MAX = 100;

function nameOf(tx: RealmTransaction, { id, name }: ImportedUser): string {
  const cleaned = (text: string) => text.replace(ODD, ' ').replace(/\s+/g, ' ').trim();
  const wanted = cutTo(cleaned(name) || cleaned(id) || 'Unnamed', NAME_LENGTH_MAX - 10).trim();
  for (let number = 1; number < 100; number += 1) {
    const tried = number === 1 ? wanted : `${wanted} (${number})`;
    if (isAcceptable(tx, tried)) return tried;
  }
  return `Imported ${createHash('sha256').update(id).digest('hex').slice(0, 20)}`;
}

function isAcceptable(tx: RealmTransaction, fullName: string): boolean {
  try {
    profiles.acceptableName(tx, fullName);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

export interface ImportedChannel {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly private: boolean;
  readonly webPublic?: boolean | undefined;
  readonly ownHistory?: boolean | undefined;
  /** UNIX seconds. */
  readonly createdAt?: number | undefined;
  readonly creator?: string | undefined;
  readonly default?: boolean | undefined;
  readonly retentionDays?: number | undefined;
  readonly permissions?: ImportedPermissions | undefined;
}

/**
 * Adds a channel without subscribers: they are subscribed when its messages are there, which are
 * then read. A name that is taken gets the name of the format behind it.
 */
export function enterChannel(tx: RealmTransaction, of: Importing, given: ImportedChannel): Entered {
  if (idOf(tx, of.source, 'channel', given.id) !== undefined) return 'known';
  const channel = channels.create(
    quiet(tx),
    {
      name: freeName(tx, of, given),
      description: cutTo(given.description.replaceAll('\0', ''), CHANNEL_DESCRIPTION_LENGTH_MAX),
      isPrivate: given.private,
      isWebPublic:
        given.webPublic === true && !given.private && realmSetting(tx, 'enable_spectator_access'),
      isDefault: of.keepsRoles && given.default === true && !given.private,
      hasSharedHistory: !(given.private && given.ownHistory === true),
      messageRetentionDays: (of.keepsRoles ? given.retentionDays : undefined) ?? null,
      topicsPolicy: 'inherit',
      folderId: null,
      groups: {
        can_administer_channel_group: systemGroupId('role:nobody'),
        ...ofChannel(tx, of, given.permissions ?? {}),
      },
    },
    importer(tx),
  );
  const creatorId =
    given.creator === undefined ? undefined : idOf(tx, of.source, 'user', given.creator);
  tx.channels.put([channel.id], {
    ...channel,
    creatorId: creatorId ?? null,
    dateCreated: given.createdAt ?? channel.dateCreated,
  });
  remember(tx, of.source, 'channel', { from: given.id, to: channel.id });
  return 'added';
}

function freeName(tx: RealmTransaction, { format }: Importing, { id, name }: ImportedChannel) {
  const cleaned = name.replace(/\p{C}/gu, ' ').trim() || `${format} ${id}`.replace(/\p{C}/gu, ' ');
  const wanted = cutTo(cleaned, CHANNEL_NAME_LENGTH_MAX - 20).trim();
  for (let number = 0; ; number += 1) {
    const tried =
      number === 0 ? wanted : `${wanted} (${format}${number === 1 ? '' : ` ${number}`})`;
    if (byName(tx, tried) === undefined) return tried;
  }
}

export interface ImportedSubscriber {
  /** The id of the source. */
  readonly id: string;
  /** The time (UNIX seconds) until which they have read; by default they have read all. */
  readonly readUntil?: number | undefined;
  readonly look?: subscriptions.Look | undefined;
}

/**
 * Subscribes a person to a channel whose messages are there, without an event. They have received
 * these messages, unless subscribers of the channel do not see what was before them.
 */
export function subscribe(
  tx: RealmTransaction,
  of: Importing,
  {
    channel: id,
    subscriber,
  }: { readonly channel: string; readonly subscriber: ImportedSubscriber },
): boolean {
  const channel = channelOf(tx, of, id);
  const userId = idOf(tx, of.source, 'user', subscriber.id);
  const user = userId === undefined ? undefined : tx.users.get([userId]);
  if (channel === undefined || user === undefined) return false;
  // Somebody who has left the channel here since has a row as well.
  if (tx.subscriptions.has([channel.id, user.id])) return false;
  const { firstMessageId: from, hasSharedHistory } = channel;
  const { readUntil } = subscriber;
  const past =
    from === null || !hasSharedHistory
      ? undefined
      : {
          from,
          readThrough:
            readUntil === undefined
              ? tx.lastId('message')
              : lastSentUntil(tx, { channelId: channel.id, from, readUntil }),
        };
  subscriptions.joinUnannounced(tx, user, { channelId: channel.id, past, look: subscriber.look });
  return true;
}

/** Returns the id of the last message until a time; ids of messages rise with their times. */
function lastSentUntil(
  tx: RealmTransaction,
  { channelId, from, readUntil }: { channelId: number; from: number; readUntil: number },
): number {
  let [low, high] = [from - 1, tx.lastId('message')];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const sentAt = nextSentAt(tx, channelId, middle);
    if (sentAt !== undefined && sentAt <= readUntil) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns when the first message of the channel from this id was sent. */
function nextSentAt(tx: RealmTransaction, channelId: number, id: number): number | undefined {
  const start: [number, number] = [channelId, id];
  for (const [, next] of tx.channelMessages.keys({ start, end: [channelId + 1], limit: 1 })) {
    return tx.messages.get([next])?.sentAt;
  }
  return undefined;
}

/** Archives a channel whose messages are there, once: somebody may open it again here. */
export function archive(tx: RealmTransaction, of: Importing, id: string) {
  const channel = channelOf(tx, of, id);
  const from = `archived ${id}`;
  if (channel === undefined || idOf(tx, of.source, 'choice', from) !== undefined) return;
  remember(tx, of.source, 'choice', { from, to: channel.id });
  if (channel.isArchived) return;
  tx.channels.put([channel.id], { ...channel, isArchived: true });
}

function channelOf(
  tx: RealmTransaction,
  { source }: Importing,
  id: string,
): ChannelRow | undefined {
  const channelId = idOf(tx, source, 'channel', id);
  return channelId === undefined ? undefined : tx.channels.get([channelId]);
}
