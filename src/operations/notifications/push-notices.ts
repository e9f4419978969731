import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { PUSH_CONTENT_LENGTH_MAX } from '../../domain/limits/outbox.ts';
import { noticeText } from '../../domain/rules/texts/html-text.ts';
import { systemGroupName } from '../../domain/wire/system-groups.ts';
import { avatarUrl } from '../access/avatars.ts';
import type { Site } from '../access/caller.ts';
import { realmSetting } from '../access/groups.ts';
import type { PushEntry, PushRecipient } from '../posting/pushes.ts';
import * as pushes from '../posting/pushes.ts';
import { isUnread } from '../reading/unread.ts';
import * as pushDevices from './push-devices.ts';
import * as pushTokens from './push-tokens.ts';

/** The content of a push, before it is encrypted. */
export type PushNotice = Readonly<Record<string, unknown>>;

/** A push to a device with a public key, which is encrypted end to end. */
export interface DevicePush {
  readonly userId: number;
  readonly pushAccountId: string;
  readonly deviceId: string;
  readonly tokenKind: 'fcm' | 'apns';
  readonly publicKey: string;
  readonly isUrgent: boolean;
  readonly notice: PushNotice;
}

/** A push to a device that only registered a token. */
export interface TokenPush extends pushTokens.KnownToken {
  readonly userId: number;
  readonly isUrgent: boolean;
  readonly notice: PushNotice;
  /** The number beside the app's symbol on an iOS device; null for a push that changes none. */
  readonly badge: number | null;
}

export interface Pushes {
  readonly devices: readonly DevicePush[];
  readonly tokens: readonly TokenPush[];
}

export interface Source {
  readonly reader: RealmReader;
  readonly site: Site;
  /** The present time in UNIX milliseconds. */
  readonly now: number;
}

type NoticeEntry = Exclude<PushEntry, { type: 'register' }>;

/**
 * Makes the pushes of an entry as of now. Messages that are gone or read, and devices that are
 * gone, are left out.
 */
export function pushesFor(source: Source, entry: NoticeEntry): Pushes {
  switch (entry.type) {
    case 'message':
      return joined(
        entry.recipients.map((recipient) => ofMessage(source, entry.messageId, recipient)),
      );
    case 'remove':
      return joined(
        entry.removals.map(({ userId, messageIds }) => {
          const notice = { type: 'remove', message_ids: messageIds };
          return toAll(source, userId, { notice, isUrgent: false });
        }),
      );
    case 'test': {
      const { devices } = ofTest(source, entry.userId);
      const isMeant = ({ pushAccountId }: DevicePush) => pushAccountId === entry.pushAccountId;
      return {
        devices: entry.pushAccountId === null ? devices : devices.filter(isMeant),
        tokens: [],
      };
    }
    case 'test_token': {
      const { tokens } = ofTest(source, entry.userId);
      const isMeant = ({ token }: TokenPush) => token === entry.token;
      return { devices: [], tokens: entry.token === null ? tokens : tokens.filter(isMeant) };
    }
  }
}

const joined = (all: readonly Pushes[]): Pushes => ({
  devices: all.flatMap(({ devices }) => devices),
  tokens: all.flatMap(({ tokens }) => tokens),
});

const NOTHING: Pushes = { devices: [], tokens: [] };

const ofTest = (source: Source, userId: number) =>
  toAll(source, userId, {
    notice: { type: 'test', time: Math.floor(source.now / 1000) },
    isUrgent: true,
  });

function ofMessage(source: Source, messageId: number, { userId, groupId }: PushRecipient): Pushes {
  const { reader } = source;
  const row = reader.messages.get([messageId]);
  const sender = row === undefined ? undefined : reader.users.get([row.senderId]);
  if (row === undefined || sender === undefined || !isUnread(reader, userId, row)) return NOTHING;
  const notice = messageNotice(source, { row, sender, groupId });
  // The setting of the specification ("will always have 'New message' as their content"): the push
  // services could read these notices.
  const isRedacted = realmSetting(reader, 'require_e2ee_push_notifications');
  const bare = isRedacted ? { ...notice, content: 'New message' } : notice;
  // Notices of browsers are on desktops as well, where others may look on.
  const isHidden = row.channelId === null && hidesText(reader.users.get([userId]));
  const inBrowsers = isHidden ? { ...notice, content: 'wrote to you' } : notice;
  return toAll(source, userId, { notice, bare, inBrowsers, isUrgent: true });
}

const hidesText = (user: UserRow | undefined): boolean =>
  user?.settings.pm_content_in_desktop_notifications === false;

interface Notices {
  readonly notice: PushNotice;
  /** Another notice for devices with only a token, if it differs. */
  readonly bare?: PushNotice;
  /** Another notice for browsers, if it differs. */
  readonly inBrowsers?: PushNotice;
  readonly isUrgent: boolean;
}

function toAll({ reader, site }: Source, userId: number, given: Notices): Pushes {
  if (!reader.users.get([userId])?.isActive) return NOTHING;
  const addressed = {
    realm_url: site.url,
    realm_name: reader.realm.get(['realm'])?.name ?? '',
    user_id: userId,
  };
  const { isUrgent } = given;
  const notice = { ...given.notice, ...addressed };
  const bare = { ...(given.bare ?? given.notice), ...addressed };
  const inBrowsers = { ...(given.inBrowsers ?? given.notice), ...addressed };
  const devices = pushDevices.active(reader, userId).map((device) => ({
    userId,
    pushAccountId: device.pushAccountId,
    // The bouncer gives an id to each active device.
    deviceId: device.bouncerDeviceId ?? '',
    tokenKind: device.tokenKind,
    publicKey: device.publicKey,
    isUrgent,
    notice,
  }));
  const tokens = pushTokens
    .of(reader, userId)
    // Only the browser itself can read what is sent to it (RFC 8291).
    .map((token) => ({
      userId,
      ...token,
      isUrgent,
      notice: token.kind === 'web' ? inBrowsers : bare,
      badge:
        token.kind !== 'apns' || given.notice['type'] === 'test'
          ? null
          : pushes.shownTo(reader, userId).length,
    }));
  return { devices, tokens };
}

interface Message {
  readonly row: MessageRow;
  readonly sender: UserRow;
  readonly groupId: number | null;
}

function messageNotice({ reader, site }: Source, { row, sender, groupId }: Message): PushNotice {
  return {
    type: 'message',
    message_id: row.id,
    time: row.sentAt,
    sender_id: sender.id,
    sender_full_name: sender.fullName,
    sender_avatar_url: new URL(avatarUrl(sender), site.url).href,
    content: noticeText(row.renderedContent, PUSH_CONTENT_LENGTH_MAX),
    ...placeFields(reader, row),
    ...(groupId === null ? {} : groupFields(reader, groupId)),
  };
}

const groupFields = (reader: RealmReader, groupId: number): PushNotice => ({
  mentioned_user_group_id: groupId,
  mentioned_user_group_name: systemGroupName(groupId) ?? reader.groups.get([groupId])?.name ?? '',
});

function placeFields(reader: RealmReader, row: MessageRow): PushNotice {
  if (row.channelId === null) {
    const people = reader.conversations.get([row.recipientId])?.userIds ?? [];
    return {
      recipient_type: 'direct',
      recipient_user_ids: people,
      // Older devices know groups by this field.
      ...(people.length > 2 ? { pm_users: people.join(',') } : {}),
    };
  }
  return {
    recipient_type: 'channel',
    channel_id: row.channelId,
    channel_name: reader.channels.get([row.channelId])?.name ?? '',
    topic: row.topic,
  };
}
