import { createHash } from 'node:crypto';
import { keyId } from '../../../storage/tables/people/keys.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { ServerSettings } from '../../config.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { PushReceiverObject } from '../../domain/wire/personal-objects.ts';
import { hasPushBouncer, sendsItself } from '../../settings/services.ts';
import type { Reads } from '../access/groups.ts';
import * as pushDevices from './push-devices.ts';
import * as pushTokens from './push-tokens.ts';

/** Browsers come first, since people know them by sight of the page that lists them. */
const ORDER = ['web', 'apns', 'fcm'] as const;

/**
 * Returns all that gets pushes for an account: browsers, and devices of either way of registering.
 * It tells no token and no address, only parts of their hashes.
 */
export function list(reads: Reads, userId: number, settings: ServerSettings): PushReceiverObject[] {
  const byToken = pushTokens.of(reads, userId).map((token): PushReceiverObject => {
    const { kind } = token;
    return {
      id: idOfToken(token),
      kind,
      // The rest of an address is a secret of the browser.
      service: kind === 'web' ? new URL(token.token).host : null,
      app_id: token.appId,
      is_encrypted: kind === 'web',
      status: 'active',
      is_reached: sendsItself(settings, kind) || (kind !== 'web' && hasPushBouncer(settings)),
    };
  });
  const byKey = pushDevices.registered(reads, userId).map(
    ({ pushAccountId, tokenKind, status }): PushReceiverObject => ({
      id: idOfDevice(pushAccountId),
      kind: tokenKind,
      service: null,
      app_id: null,
      is_encrypted: true,
      status: status === 'pending' ? 'pending' : 'active',
      is_reached: hasPushBouncer(settings),
    }),
  );
  return [...byToken, ...byKey].sort(
    (one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind),
  );
}

/**
 * Stops the pushes to one of them. A device that had registered a key is told by an event that it
 * has failed, since no event takes one away.
 */
export function remove(tx: RealmTransaction, userId: number, id: string) {
  const token = pushTokens.of(tx, userId).find((one) => idOfToken(one) === id);
  if (token !== undefined) return pushTokens.forget(tx, userId, token);
  const device = pushDevices
    .registered(tx, userId)
    .find(({ pushAccountId }) => idOfDevice(pushAccountId) === id);
  if (device === undefined) throw errors.noSuchPushDevice();
  pushDevices.withdraw(tx, { userId, pushAccountId: device.pushAccountId });
}

/** The page of a browser finds itself by it: it is a part of the SHA-256 of its address. */
const idOfToken = ({ hash }: pushTokens.KnownToken) =>
  keyId(Buffer.from(hash, 'base64').toString('hex'));

const idOfDevice = (pushAccountId: string) =>
  keyId(createHash('sha256').update(pushAccountId).digest('hex'));
