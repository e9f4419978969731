import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { PushDeviceRow } from '../../storage/tables/push-devices.ts';
import * as errors from '../domain/errors.ts';
import { PUSH_DEVICES_PER_USER_MAX } from '../domain/limits.ts';
import type { Caller } from './caller.ts';
import type { Reads } from './groups.ts';
import * as outbox from './outbox.ts';

export interface NewDevice
  extends Pick<
    PushDeviceRow,
    'tokenKind' | 'publicKey' | 'bouncerPublicKey' | 'encryptedRegistration'
  > {
  readonly pushAccountId: string;
}

/** A registration, or a notice, on its way to the bouncer. */
export type PushLetter =
  | { readonly type: 'register'; readonly userId: number; readonly pushAccountId: string }
  | { readonly type: 'notify'; readonly userId: number; readonly messageId: number };

/** Notes a device and has the bouncer asked; its owner hears what came of it by events. */
export function register(
  tx: RealmTransaction,
  { user, place }: Caller,
  { pushAccountId, ...given }: NewDevice,
) {
  if (!place.hasPushService) throw errors.pushServiceNotConfigured();
  const known = tx.pushDevices.get([user.id, pushAccountId]);
  // A client that did not hear the answer asks again.
  if (known !== undefined && known.status !== 'failed' && isSame(known, given)) return;
  if (known === undefined) {
    const count = [...tx.pushDevices.keysUnder([user.id])].length;
    if (count >= PUSH_DEVICES_PER_USER_MAX) {
      throw errors.badRequest(`An account has at most ${PUSH_DEVICES_PER_USER_MAX} push devices.`);
    }
  }
  const row = { ...given, status: 'pending', errorCode: null, bouncerDeviceId: null } as const;
  put(tx, { userId: user.id, pushAccountId }, row);
  const content: PushLetter = { type: 'register', userId: user.id, pushAccountId };
  outbox.post(tx, { kind: 'push', content });
}

const isSame = (row: PushDeviceRow, given: Omit<NewDevice, 'pushAccountId'>) =>
  row.tokenKind === given.tokenKind &&
  row.publicKey === given.publicKey &&
  row.bouncerPublicKey === given.bouncerPublicKey &&
  row.encryptedRegistration === given.encryptedRegistration;

/** What the bouncer said of a registration. */
export type Verdict =
  | { readonly status: 'active'; readonly bouncerDeviceId: string }
  | { readonly status: 'failed'; readonly errorCode: string };

/** Notes the verdict on the registration that was sent; one that was replaced since waits for its own. */
export function settle(
  tx: RealmTransaction,
  device: { readonly userId: number; readonly pushAccountId: string },
  { sent, verdict }: { sent: PushDeviceRow; verdict: Verdict },
) {
  const row = tx.pushDevices.get([device.userId, device.pushAccountId]);
  if (row?.status !== 'pending' || !isSame(row, sent)) return;
  put(tx, device, { ...row, ...verdict });
}

/** The key `push_devices` of a snapshot. */
export const state = (tx: Reads, userId: number) =>
  Object.fromEntries(
    Array.from(tx.pushDevices.under([userId]), ([[, id], { status, errorCode }]) => [
      id,
      { status, error_code: errorCode },
    ]),
  );

/** The devices of a user that can be pushed to. */
export const active = (tx: Reads, userId: number) =>
  Array.from(tx.pushDevices.under([userId]), ([[, pushAccountId], row]) => ({
    pushAccountId,
    ...row,
  })).filter(({ status }) => status === 'active');

function put(
  tx: RealmTransaction,
  { userId, pushAccountId }: { userId: number; pushAccountId: string },
  row: PushDeviceRow,
) {
  tx.pushDevices.put([userId, pushAccountId], row);
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
