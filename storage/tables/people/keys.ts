import type { AddressClass } from '../../../src/domain/wire/address-class.ts';
import type { KeyMaker } from '../../../src/domain/wire/key-makers.ts';
import { table } from '../../table.ts';

export interface ApiKeyRow {
  /** UNIX milliseconds. */
  readonly createdAt: number;
  /** Keys from a password login are bounded in number; the oldest makes room for the next. */
  readonly origin: 'issued' | 'login';
  /** Null if the key is older than this column. */
  readonly madeBy: KeyMaker | null;
}

/** SHA-256 (hex) of each API key of a user; the key itself is stored nowhere. */
export const apiKeys = table<[userId: number, keyHash: string], ApiKeyRow>(
  'api_keys',
  ['createdAt', 'origin', 'madeBy'],
  {
    defaults: { madeBy: null },
    decidesLogins: true,
    audited: [
      {
        kind: 'key',
        target: ([userId, keyHash]) => `${userId}/${keyId(keyHash)}`,
        values: ({ madeBy }, [userId, keyHash]) => ({
          user_id: userId,
          key_id: keyId(keyHash),
          made_by: madeBy,
        }),
      },
    ],
  },
);

/**
 * Returns the name of a key, by which accounts list theirs: the beginning of the hash of 128 random
 * bits, from which the key cannot be found.
 */
export const keyId = (keyHash: string): string => keyHash.slice(0, 16);

/**
 * Finds the owner of an API key by its hash: a request for a file may carry a key without an email
 * address.
 */
export const keyOwners = table<[keyHash: string], { readonly userId: number }>('key_owners', [
  'userId',
]);

export interface KeyUseRow {
  /** UNIX seconds; noted once an hour. */
  readonly usedAt: number;
  /** The client's own name; null if only its listening is known. */
  readonly client: string | null;
  readonly addressClass: AddressClass | null;
}

/**
 * The last use of an API key or of a session. It is apart from them, because writing it does not
 * change who may log in.
 */
export const keyUses = table<[userId: number, keyHash: string], KeyUseRow>('key_uses', [
  'usedAt',
  'client',
  'addressClass',
]);

export interface SessionRow {
  /** UNIX milliseconds. */
  readonly createdAt: number;
  /** The browser and the system of the log-in, in words; empty if they are not known. */
  readonly client: string;
  /** `password`, or the name of the entry that vouched for the person; null: not known. */
  readonly method: string | null;
}

/**
 * The sessions of browsers, by the SHA-256 (hex) of the secret in the cookie; the secret itself is
 * stored nowhere. User first, because the cookie names the user as well.
 */
export const sessions = table<[userId: number, secretHash: string], SessionRow>(
  'sessions',
  ['createdAt', 'client', 'method'],
  {
    defaults: { method: null },
    decidesLogins: true,
    audited: [
      {
        kind: 'session',
        target: ([userId, secretHash]) => `${userId}/${keyId(secretHash)}`,
        values: ({ client, method }, [userId, secretHash]) => ({
          user_id: userId,
          session_id: keyId(secretHash),
          client,
          method,
        }),
      },
    ],
  },
);

export interface SessionTimeRow {
  /** True if the session was over at the look before this one. */
  readonly isSecond: boolean;
}

/** The times (UNIX ms) at which the sweep looks whether a session is over, the next one first. */
export const sessionTimes = table<
  [lookAt: number, userId: number, secretHash: string],
  SessionTimeRow
>('session_times', ['isSecond']);
