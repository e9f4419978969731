import { table } from '../../table.ts';

/** A device that may be pushed to, through a bouncer that alone can read what it registered with. */
export interface PushDeviceRow {
  readonly tokenKind: 'fcm' | 'apns';
  /** Base64: what is encrypted for the device is encrypted with it. */
  readonly publicKey: string;
  readonly bouncerPublicKey: string;
  /** Base64; read by the bouncer alone. */
  readonly encryptedRegistration: string;
  readonly status: 'pending' | 'active' | 'failed';
  readonly errorCode: string | null;
  /** What the bouncer calls it, once it has accepted it. */
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

/** A device that registered by its bare token, as older clients do: what is pushed to it can be read on the way. */
export interface PushTokenRow {
  readonly token: string;
  /** Of the program on the device; null where the kind of token needs none. */
  readonly appId: string | null;
}

/** A token is longer than a key may be, so the key has its hash. */
export const pushTokens = table<[userId: number, kind: 'fcm' | 'apns', hash: string], PushTokenRow>(
  'push_tokens',
  ['token', 'appId'],
);

/** Who has a device that can be pushed to: those whom a message is pushed to are looked for among them alone. */
export const pushHolders = table<[userId: number], object>('push_holders', []);

/** In place of a channel: of all channels that the user did not decide about. No channel has this id. */
export const ALL_CHANNELS = 0;

/** Who wants every message of a channel pushed. Channel first: those of a channel are one range. */
export const pushListeners = table<[channelId: number, userId: number], object>(
  'push_listeners',
  [],
);

/** Users that are still to be looked for, because of a message that came, or of messages that are gone. */
export type PushWorkRow =
  | {
      readonly type: 'message';
      readonly messageId: number;
      /** In order: a mention by name says more than one of a group. */
      readonly mentionedUserIds: readonly number[];
      readonly mentionedGroupIds: readonly number[];
      /** Only these, of an edit; null: all whom the message is for. */
      readonly userIds: readonly number[] | null;
      /** Where the next step begins. */
      readonly fromUserId: number;
    }
  | {
      readonly type: 'gone';
      readonly messageId: number;
      /** Gone for those alone who may not read it. */
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

/** The other side of `pushed_messages`: whose devices show a message, for when it is deleted. */
export const pushedUsers = table<[messageId: number, userId: number], object>('pushed_users', []);
