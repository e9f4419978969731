import { createHash } from 'node:crypto';
import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { PushTokenRow } from '../../storage/tables/push-tokens.ts';
import * as errors from '../domain/errors.ts';
import { PUSH_DEVICES_PER_USER_MAX, PUSH_TOKEN_LENGTH_MAX } from '../domain/limits.ts';
import type { Caller } from './caller.ts';
import type { Reads } from './groups.ts';
import { noteHolder } from './push-devices.ts';
import * as pushLetters from './push-letters.ts';

export interface DeviceToken {
  readonly kind: 'fcm' | 'apns';
  readonly token: string;
}

/** Notes a device by its bare token; one that is there already may be of another program now. */
export function add(
  tx: RealmTransaction,
  { user }: Caller,
  { appId, ...given }: DeviceToken & { readonly appId: string | null },
) {
  refuseNonsense(given);
  const key = keyOf(user.id, given);
  if (!tx.pushTokens.has(key) && of(tx, user.id).length >= PUSH_DEVICES_PER_USER_MAX) {
    throw errors.badRequest(`An account has at most ${PUSH_DEVICES_PER_USER_MAX} push devices.`);
  }
  tx.pushTokens.put(key, { token: given.token, appId });
  noteHolder(tx, user.id);
}

/** Nothing is pushed to the device from now on, be it under way. */
export function remove(tx: RealmTransaction, { user }: Caller, given: DeviceToken) {
  refuseNonsense(given);
  if (!tx.pushTokens.has(keyOf(user.id, given))) throw errors.badRequest('Token does not exist');
  forget(tx, user.id, given);
}

/** The same without a word: the bouncer does not know it any more. */
export function forget(tx: RealmTransaction, userId: number, given: DeviceToken) {
  tx.pushTokens.remove(keyOf(userId, given));
  noteHolder(tx, userId);
}

/** Has one of the caller's devices show something, or all of them. */
export function testNotification(
  tx: RealmTransaction,
  { user, place }: Caller,
  token: string | null,
) {
  if (!place.hasPushService) throw errors.pushServiceNotConfigured();
  const known = of(tx, user.id);
  const isThere = token === null ? known.length > 0 : known.some((one) => one.token === token);
  if (!isThere) throw errors.invalidPushDeviceToken();
  pushLetters.post(tx, { type: 'test_token', userId: user.id, token });
}

export const of = (tx: Reads, userId: number): (PushTokenRow & DeviceToken)[] =>
  Array.from(tx.pushTokens.under([userId]), ([[, kind], row]) => ({ kind, ...row }));

/** "Empty or over 4096 characters, undecodable" (reference/endpoints.md 1.13). */
function refuseNonsense({ kind, token }: DeviceToken) {
  if (token === '' || token.length > PUSH_TOKEN_LENGTH_MAX) {
    throw errors.badRequest('Empty or invalid length token');
  }
  if (!FORMS[kind].test(token)) throw errors.badRequest(`Invalid ${NAMES[kind]} token`);
}

const FORMS = { apns: /^(?:[0-9a-f]{2})+$/i, fcm: /^[\x21-\x7e]+$/ } as const;
const NAMES = { apns: 'APNS', fcm: 'FCM' } as const;

const keyOf = (userId: number, { kind, token }: DeviceToken) =>
  [userId, kind, createHash('sha256').update(token).digest('base64')] as [
    number,
    DeviceToken['kind'],
    string,
  ];
