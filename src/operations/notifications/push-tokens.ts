import { createHash } from 'node:crypto';
import type { PushTokenKind, PushTokenRow } from '../../../storage/tables/notifications/push.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  BROWSERS_PER_USER_MAX,
  PUSH_DEVICES_PER_USER_MAX,
  PUSH_TOKEN_LENGTH_MAX,
} from '../../domain/limits/outbox.ts';
import * as errors from '../../domain/wire/errors.ts';
import { hasPhoneService, hasPushBouncer, sendsItself } from '../../settings/services.ts';
import type { Caller } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as pushes from '../posting/pushes.ts';
import { noteHolder } from './push-devices.ts';

export interface DeviceToken {
  readonly kind: PushTokenKind;
  readonly token: string;
}

/** Registers a device by its token only. A known token may belong to another app now. */
export function add(
  tx: RealmTransaction,
  { user }: Caller,
  {
    appId,
    keys = null,
    ...given
  }: DeviceToken & Pick<PushTokenRow, 'appId'> & Partial<Pick<PushTokenRow, 'keys'>>,
) {
  const device = { ...given, token: acceptable(given) };
  const known = noted(tx, user.id, device);
  if (known === undefined && isFull(tx, user.id, device.kind)) {
    const most = device.kind === 'web' ? BROWSERS_PER_USER_MAX : PUSH_DEVICES_PER_USER_MAX;
    const what = device.kind === 'web' ? 'browsers that get pushes' : 'push devices';
    throw errors.badRequest(`An account has at most ${most} ${what}.`);
  }
  // A page tells of its browser each time that it is loaded.
  const isKnown = known?.token === device.token && isSame(known, { appId, keys });
  if (isKnown && device.kind === 'web') return;
  if (known !== undefined && known.token !== device.token)
    tx.pushTokens.remove(keyOf(user.id, known));
  tx.pushTokens.put(keyOf(user.id, device), {
    token: device.token,
    appId,
    keys,
    registeredAt: tx.now,
  });
  noteHolder(tx, user.id);
}

const isSame = (known: PushTokenRow, { appId, keys }: Pick<PushTokenRow, 'appId' | 'keys'>) =>
  known.appId === appId && known.keys?.auth === keys?.auth && known.keys?.p256dh === keys?.p256dh;

function isFull(tx: Reads, userId: number, kind: PushTokenKind): boolean {
  const known = of(tx, userId);
  const browsers = known.filter((one) => one.kind === 'web').length;
  return kind === 'web'
    ? browsers >= BROWSERS_PER_USER_MAX
    : known.length - browsers >= PUSH_DEVICES_PER_USER_MAX;
}

/** Removes a token of the caller. Pushes that are under way skip the device as well. */
export function remove(tx: RealmTransaction, { user }: Caller, given: DeviceToken) {
  const known = noted(tx, user.id, { ...given, token: acceptable(given) });
  if (known === undefined) throw errors.badRequest('Token does not exist');
  forget(tx, user.id, known);
}

/** Removes a token that the bouncer no longer knows, or whose owner wants no pushes there. */
export function forget(tx: RealmTransaction, userId: number, given: DeviceToken) {
  tx.pushTokens.remove(keyOf(userId, given));
  noteHolder(tx, userId);
}

/**
 * Removes a token that a push service does not know any more, unless the device has registered
 * again while the push was under way, or after the service has lost it. Returns whether the device
 * is off the list.
 */
export function forgetSent(
  tx: RealmTransaction,
  sent: KnownToken & { readonly userId: number },
  goneAt = Number.POSITIVE_INFINITY,
): boolean {
  const row = tx.pushTokens.get([sent.userId, sent.kind, sent.hash]);
  if (row === undefined) return true;
  if (row.keys?.auth !== sent.keys?.auth || row.registeredAt > goneAt) return false;
  forget(tx, sent.userId, sent);
  return true;
}

/** Sends a test notification to one of the caller's devices, or to all of them. */
export function testNotification(
  tx: RealmTransaction,
  { user, site }: Caller,
  token: string | null,
) {
  const { settings } = site;
  const reached = of(tx, user.id).filter(
    ({ kind }) => sendsItself(settings, kind) || (kind !== 'web' && hasPushBouncer(settings)),
  );
  const device = reached.find((one) => token === null || isOf(one, token));
  if (device === undefined) {
    if (!hasPhoneService(settings)) throw errors.pushServiceNotConfigured();
    throw errors.invalidPushDeviceToken();
  }
  pushes.postEntry(tx, {
    type: 'test_token',
    userId: user.id,
    token: token === null ? null : device.token,
  });
}

/** A device as it is stored, with the hash of its key. */
export interface KnownToken extends PushTokenRow, DeviceToken {
  readonly hash: string;
}

export const of = (tx: Reads, userId: number): KnownToken[] =>
  Array.from(tx.pushTokens.under([userId]), ([[, kind, hash], row]) => ({ kind, hash, ...row }));

/**
 * Finds the row of a device. Older rows have the token as the client sent it (before tokens of APNs
 * had one form).
 */
const noted = (tx: Reads, userId: number, { kind, token }: DeviceToken) =>
  of(tx, userId).find((one) => one.kind === kind && isOf(one, token));

const isOf = (one: DeviceToken, token: string) =>
  one.token === token || (one.kind === 'apns' && asApns(one.token) === asApns(token));

/**
 * Returns the token as it is stored. "Empty or over 4096 characters, undecodable" are refused
 * (reference/endpoints.md 1.13).
 */
function acceptable({ kind, token }: DeviceToken): string {
  if (token === '' || token.length > PUSH_TOKEN_LENGTH_MAX) {
    throw errors.badRequest('Empty or invalid length token');
  }
  const stored = kind === 'apns' ? asApns(token) : asPrintable(token);
  if (stored === undefined) throw errors.badRequest(`Invalid ${NAMES[kind]} token`);
  return stored;
}

/**
 * Returns the bytes of a token of APNs in lower-case hexadecimal digits. Older clients send base64.
 * A text that could be either is taken as digits: a token has 32 bytes, so its base64 ends with
 * `=`.
 */
function asApns(token: string): string | undefined {
  if (/^(?:[0-9a-f]{2})+$/i.test(token)) return token.toLowerCase();
  if (token.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(token)) return undefined;
  return Buffer.from(token, 'base64').toString('hex');
}

const asPrintable = (token: string) => (/^[\x21-\x7e]+$/.test(token) ? token : undefined);

const NAMES = { apns: 'APNS', fcm: 'FCM', web: 'web' } as const;

const keyOf = (userId: number, { kind, token }: DeviceToken) =>
  [userId, kind, createHash('sha256').update(token).digest('base64')] as [
    number,
    DeviceToken['kind'],
    string,
  ];
