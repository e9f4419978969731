import type { PushDeviceRow } from '../../../storage/tables/notifications/push.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  PUSH_DEVICES_KNOWN_PER_USER_MAX,
  PUSH_DEVICES_PER_USER_MAX,
} from '../../domain/limits/outbox.ts';
import * as errors from '../../domain/wire/errors.ts';
import { hasPushBouncer } from '../../settings/services.ts';
import type { Caller } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as pushes from '../posting/pushes.ts';

export interface NewDevice
  extends Pick<
    PushDeviceRow,
    'tokenKind' | 'publicKey' | 'bouncerPublicKey' | 'encryptedRegistration'
  > {
  readonly pushAccountId: string;
}

/** The length of an X25519 key, as sealed boxes of libsodium use. */
const PUBLIC_KEY_BYTES = 32;

/**
 * Registers a device. The push bouncer is asked after the commit, and events tell the owner the
 * outcome.
 */
export function register(
  tx: RealmTransaction,
  { user, site }: Caller,
  { pushAccountId, ...given }: NewDevice,
) {
  if (!hasPushBouncer(site.settings)) throw errors.pushServiceNotConfigured();
  if (Buffer.from(given.publicKey, 'base64').length !== PUBLIC_KEY_BYTES) {
    throw errors.badRequest(`push_public_key is not a key of ${PUBLIC_KEY_BYTES} bytes`);
  }
  const known = tx.pushDevices.get([user.id, pushAccountId]);
  // A client that did not get the answer repeats its request.
  if (known !== undefined && known.status !== 'failed' && isSame(known, given)) return;
  if (known === undefined || known.status === 'failed') {
    refuseTooMany(tx, user.id, { isNew: known === undefined });
  }
  const row = { ...given, status: 'pending', errorCode: null, bouncerDeviceId: null } as const;
  put(tx, { userId: user.id, pushAccountId }, row);
  pushes.postEntry(tx, { type: 'register', userId: user.id, pushAccountId });
}

function refuseTooMany(tx: RealmTransaction, userId: number, { isNew }: { isNew: boolean }) {
  let known = 0;
  let used = 0;
  for (const [, { status }] of tx.pushDevices.under([userId])) {
    known += 1;
    if (status !== 'failed') used += 1;
  }
  const isFull = isNew && known >= PUSH_DEVICES_KNOWN_PER_USER_MAX;
  if (used >= PUSH_DEVICES_PER_USER_MAX || isFull) {
    throw errors.badRequest(`An account has at most ${PUSH_DEVICES_PER_USER_MAX} push devices.`);
  }
}

const isSame = (row: PushDeviceRow, given: Omit<NewDevice, 'pushAccountId'>) =>
  row.tokenKind === given.tokenKind &&
  row.publicKey === given.publicKey &&
  row.bouncerPublicKey === given.bouncerPublicKey &&
  row.encryptedRegistration === given.encryptedRegistration;

/** The bouncer's answer to a registration. */
export type Verdict =
  | { readonly status: 'active'; readonly bouncerDeviceId: string }
  | { readonly status: 'failed'; readonly errorCode: string };

interface DeviceKey {
  readonly userId: number;
  readonly pushAccountId: string;
}

/** Stores the answer to a registration, unless the device has sent another one since. */
export function settle(
  tx: RealmTransaction,
  device: DeviceKey,
  { sent, verdict }: { sent: PushDeviceRow; verdict: Verdict },
) {
  const row = tx.pushDevices.get([device.userId, device.pushAccountId]);
  if (row?.status !== 'pending' || !isSame(row, sent)) return;
  put(tx, device, { ...row, ...verdict });
}

/** Marks a device as failed that the bouncer no longer knows; it may register again. */
export function expire(tx: RealmTransaction, device: DeviceKey, bouncerDeviceId: string) {
  const row = tx.pushDevices.get([device.userId, device.pushAccountId]);
  if (row?.status !== 'active' || row.bouncerDeviceId !== bouncerDeviceId) return;
  const errorCode = 'INVALID_REMOTE_PUSH_DEVICE_TOKEN';
  put(tx, device, { ...row, status: 'failed', errorCode, bouncerDeviceId: null });
}

/** Marks a device as failed whose owner wants no pushes there; it may register again. */
export function withdraw(tx: RealmTransaction, device: DeviceKey) {
  const row = tx.pushDevices.get([device.userId, device.pushAccountId]);
  if (row === undefined || row.status === 'failed') return;
  put(tx, device, { ...row, status: 'failed', errorCode: 'REMOVED', bouncerDeviceId: null });
}

/** Sends a test notification to one of the caller's devices, or to all of them. */
export function testNotification(
  tx: RealmTransaction,
  { user, site }: Caller,
  pushAccountId: string | null,
) {
  if (!hasPushBouncer(site.settings)) throw errors.pushServiceNotConfigured();
  const devices = active(tx, user.id);
  const isThere =
    pushAccountId === null
      ? devices.length > 0
      : devices.some((device) => device.pushAccountId === pushAccountId);
  if (!isThere) throw errors.invalidPushDeviceToken();
  pushes.postEntry(tx, { type: 'test', userId: user.id, pushAccountId });
}

/**
 * Updates the index of users that can be pushed to. Called after each change of their devices or
 * tokens.
 */
export function noteHolder(tx: RealmTransaction, userId: number) {
  const hasToken = [...tx.pushTokens.keysUnder([userId], { limit: 1 })].length > 0;
  if (hasToken || active(tx, userId).length > 0) tx.pushHolders.put([userId], {});
  else tx.pushHolders.remove([userId]);
}

/** Returns the value of the key `push_devices` of a snapshot. */
export const state = (tx: Reads, userId: number) =>
  Object.fromEntries(
    Array.from(tx.pushDevices.under([userId]), ([[, id], { status, errorCode }]) => [
      id,
      { status, error_code: errorCode },
    ]),
  );

/** Returns the devices of a user that can be pushed to. */
export const active = (tx: Reads, userId: number) =>
  registered(tx, userId).filter(({ status }) => status === 'active');

/** Returns those too that wait for the bouncer's answer. */
export const registered = (tx: Reads, userId: number) =>
  Array.from(tx.pushDevices.under([userId]), ([[, pushAccountId], row]) => ({
    pushAccountId,
    ...row,
  })).filter(({ status }) => status !== 'failed');

function put(tx: RealmTransaction, { userId, pushAccountId }: DeviceKey, row: PushDeviceRow) {
  tx.pushDevices.put([userId, pushAccountId], row);
  noteHolder(tx, userId);
  tx.emit({
    event: {
      type: 'push_device',
      push_account_id: pushAccountId,
      status: row.status,
      ...(row.errorCode === null ? {} : { error_code: row.errorCode }),
    },
    audience: { users: [userId] },
  });
}
