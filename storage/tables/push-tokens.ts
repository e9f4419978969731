import { table } from '../table.ts';

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
