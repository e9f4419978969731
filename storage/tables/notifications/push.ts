import { table } from '../../table.ts';

/**
 * A device that may get pushes through a bouncer. Only the bouncer can read the device's
 * registration.
 */
export interface PushDeviceRow {
  readonly tokenKind: 'fcm' | 'apns';
  /** Base64. Pushes to the device are encrypted with it. */
  readonly publicKey: string;
  readonly bouncerPublicKey: string;
  /** Base64; only the bouncer can read it. */
  readonly encryptedRegistration: string;
  readonly status: 'pending' | 'active' | 'failed';
  readonly errorCode: string | null;
  /** The bouncer's id of the device, once it has accepted it. */
  readonly bouncerDeviceId: string | null;
}

/** The id is the client's own, of 64 bits, so it is text here. */
export const pushDevices = table<[userId: number, pushAccountId: string], PushDeviceRow>(
  'push_devices',
  [
    'tokenKind',
    'publicKey',
    'bouncerPublicKey',
    'encryptedRegistration',
    'status',
    'errorCode',
    'bouncerDeviceId',
  ],
);

/**
 * A device that registered by its bare token, as older clients do: its pushes can be read on the
 * way.
 */
export interface PushTokenRow {
  /** A browser has the address at its push service here (RFC 8030). */
  readonly token: string;
  /** Id of the program on the device; null if the kind of token needs none. */
  readonly appId: string | null;
  /** The keys of a browser, base64url (RFC 8291); null for other kinds. */
  readonly keys: { readonly p256dh: string; readonly auth: string } | null;
  /** The last registration in UNIX milliseconds; 0 for rows of versions that did not note it. */
  readonly registeredAt: number;
}

/** A telephone by the service that reaches it, or a browser. */
export type PushTokenKind = 'fcm' | 'apns' | 'web';

/** A token is longer than a key may be, so the key has its hash. */
export const pushTokens = table<[userId: number, kind: PushTokenKind, hash: string], PushTokenRow>(
  'push_tokens',
  ['token', 'appId', 'keys', 'registeredAt'],
  { defaults: { keys: null, registeredAt: 0 } },
);

/**
 * Users with a device that can get pushes. The recipients of a push are looked up only among them.
 */
export const pushHolders = table<[userId: number], object>('push_holders', [], {
  feedsViews: true,
});

/**
 * Stands in place of a channel for all channels that the user did not decide about. No channel has
 * this id.
 */
export const ALL_CHANNELS = 0;

/**
 * Users who want every message of a channel pushed. Channel first: the users of a channel are one
 * range.
 */
export const pushListeners = table<[channelId: number, userId: number], object>(
  'push_listeners',
  [],
);

/**
 * Work that is left for a message that came, or for messages that are gone: the users whose devices
 * must hear of it are still to be found.
 */
export type PushWorkRow =
  | {
      readonly type: 'message';
      readonly messageId: number;
      /** In order, because a mention by name says more than a mention of a group. */
      readonly mentionedUserIds: readonly number[];
      readonly mentionedGroupIds: readonly number[];
      /** The only users to be considered after an edit; null: all recipients of the message. */
      readonly userIds: readonly number[] | null;
      /** The next step begins with this user. */
      readonly fromUserId: number;
    }
  | {
      readonly type: 'gone';
      readonly messageId: number;
      /** True if the message is gone only for users who may not read it. */
      readonly isOutOfSight: boolean;
      readonly fromUserId: number;
    };

/** Earliest first (UNIX milliseconds), and in the order of the changes. */
export const pushWork = table<[dueAt: number, workId: number], { readonly work: PushWorkRow }>(
  'push_work',
  ['work'],
);

/** Unread messages that devices of a user show, because they were pushed. */
export const pushedMessages = table<[userId: number, messageId: number], object>(
  'pushed_messages',
  [],
);

/**
 * The other side of `pushed_messages`, read if a message is deleted: the users whose devices show
 * it.
 */
export const pushedUsers = table<[messageId: number, userId: number], object>('pushed_users', []);
