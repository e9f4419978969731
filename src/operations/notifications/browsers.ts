import { createECDH } from 'node:crypto';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { WEB_PUSH_URL_LENGTH_MAX } from '../../domain/limits/outbox.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as pushTokens from './push-tokens.ts';
import { vapidKeysOf } from './vapid-keys.ts';

/** A subscription of a browser, as `PushSubscription.toJSON` has it. */
export interface Subscription {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** Returns the key that a browser subscribes with; null if it cannot. */
export const applicationServerKey = (tx: Reads, { site }: Caller): string | null =>
  site.settings.hasWebPush ? vapidKeysOf(tx).publicKey : null;

/** Adds a browser, or its new keys. */
export function add(tx: RealmTransaction, caller: Caller, given: Subscription) {
  const { settings } = caller.site;
  if (!settings.hasWebPush) throw errors.pushServiceNotConfigured();
  refuseAddress(given.endpoint, settings.allowsPrivateWebPush);
  if (!isPoint(given.p256dh)) throw errors.badRequest('p256dh is not a key on the curve P-256');
  if (Buffer.from(given.auth, 'base64url').length !== SECRET_BYTES) {
    throw errors.badRequest(`auth is not a secret of ${SECRET_BYTES} bytes`);
  }
  const keys = { p256dh: given.p256dh, auth: given.auth };
  pushTokens.add(tx, caller, { kind: 'web', token: given.endpoint, appId: null, keys });
}

export const remove = (tx: RealmTransaction, caller: Caller, endpoint: string) =>
  pushTokens.remove(tx, caller, { kind: 'web', token: endpoint });

/** RFC 8291, section 3.2, has this length. */
const SECRET_BYTES = 16;

/**
 * Push services have public names and https (RFC 8030, section 8). Where a name leads is checked
 * with each push.
 */
function refuseAddress(endpoint: string, allowsPrivate: boolean) {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isHttp = url?.protocol === 'https:' || (allowsPrivate && url?.protocol === 'http:');
  const isBare = url?.username === '' && url.password === '';
  if (!isHttp || !isBare || endpoint.length > WEB_PUSH_URL_LENGTH_MAX) {
    throw errors.badRequest('endpoint is not an address of https');
  }
  if (!allowsPrivate && !isPublicName(url.hostname)) {
    throw errors.badRequest('endpoint is not a public address');
  }
}

/** An address in numbers, or a name without a domain, is not that of a push service. */
const isPublicName = (host: string): boolean =>
  /\.[a-z][a-z0-9-]*$/.test(host) && !/\.(?:local|localhost|internal)$/.test(host);

function isPoint(p256dh: string): boolean {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  try {
    ecdh.computeSecret(Buffer.from(p256dh, 'base64url'));
    return Buffer.from(p256dh, 'base64url').length === 65;
  } catch {
    return false;
  }
}
