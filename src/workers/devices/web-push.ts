import { WEB_PUSH_ANSWER_BYTES_MAX, WEB_PUSH_MS_MAX } from '../../domain/limits/outbox.ts';
import type { PushNotice, TokenPush } from '../../operations/notifications/push-notices.ts';
import { type VapidKeys, vapidKeysOf } from '../../operations/notifications/vapid-keys.ts';
import { NotPublic } from '../hosts.ts';
import { isTimeout, post, TooEarly } from '../post.ts';
import { fitting } from './phone-notice.ts';
import { KeysRefused, type Refusal } from './refusals.ts';
import type { Outcome, Sender } from './sender.ts';
import { openPatience } from './silent-services.ts';
import { keyOfPair, signedToken } from './tokens.ts';
import { encryptedFor, WEB_CONTENT_BYTES_MAX } from './web-encryption.ts';

/** Sends a push to the push service of a browser (RFC 8030), which cannot read it. */
export const sendToBrowser: Sender = async (push, { realm, site }) => {
  if (push.keys === null) return 'gone';
  if (isUnwanted(push)) return 'unwanted';
  const body = encrypted(push);
  if (body === undefined) return 'gone';
  try {
    const vapid = vapidKeysOf(realm.reader);
    const service = new URL(push.token).host;
    const { status, retryAfterMs } = await patience(service, () =>
      post({
        url: push.token,
        contentType: 'application/octet-stream',
        body,
        headers: {
          'content-encoding': 'aes128gcm',
          ttl: String(push.isUrgent ? TTL_S : REMOVAL_TTL_S),
          urgency: push.isUrgent ? 'high' : 'low',
          ...topicOf(push.notice),
          authorization: vapidHeader(push.token, { vapid, contact: site.url }),
        },
        timeoutMs: WEB_PUSH_MS_MAX,
        bytesMax: WEB_PUSH_ANSWER_BYTES_MAX,
        allowsPrivate: site.settings.allowsPrivateWebPush,
      }),
    );
    return outcomeOf({ service, status }, retryAfterMs);
  } catch (error) {
    // Settings and names change, so that the service may be asked later: it has said nothing yet.
    throw error instanceof NotPublic ? new Error('its address may not be asked') : error;
  }
};

/** Anybody may subscribe with a push service that never answers. */
const patience = openPatience(isTimeout);

/** A day: after that, the reader has other things to look at first. */
const TTL_S = 86_400;
/** A notice that is taken back is gone by then, or its browser is off. */
const REMOVAL_TTL_S = 3_600;

/**
 * Reads the answer of a push service: RFC 8030, section 7.3, has 404 and 410 for subscriptions that
 * are gone, and RFC 8292, section 4.2, has 401 and 403 for tokens that are not valid, which a wrong
 * clock makes of all of them.
 */
function outcomeOf(refusal: Refusal, retryAfterMs: number | null): Outcome {
  const { status } = refusal;
  if (status >= 200 && status < 300) return 'taken';
  if (status === 404 || status === 410) return 'gone';
  if (status === 401 || status === 403) throw new KeysRefused(refusal, retryAfterMs);
  const message = `the push service answered with status ${status}`;
  if (status === 429 || status >= 500) throw new TooEarly(message, retryAfterMs ?? 0);
  // Another attempt would be refused in the same way; the subscription is not at fault.
  return refusal;
}

/**
 * Apple withdraws the permission of pages whose pushes show nothing, so it is not told of notices
 * that are taken back.
 */
const isUnwanted = ({ token, notice }: TokenPush) =>
  notice['type'] === 'remove' && new URL(token).hostname.endsWith('.push.apple.com');

const fitted = (notice: PushNotice) =>
  fitting(notice, { bytesMax: WEB_CONTENT_BYTES_MAX, make: (some) => some });

function encrypted({ keys, notice }: TokenPush): Buffer | undefined {
  try {
    return keys === null
      ? undefined
      : encryptedFor(keys, Buffer.from(JSON.stringify(fitted(notice))));
  } catch {
    // The key is not a point of the curve.
    return undefined;
  }
}

/**
 * A push that waits at its service is replaced by a later one of the same topic (RFC 8030, section
 * 5.4): the one that takes a notice back replaces it.
 */
function topicOf({ message_id: id, message_ids: ids }: PushNotice): { topic?: string } {
  const [only] = Array.isArray(ids) && ids.length === 1 ? ids : [id];
  return typeof only === 'number' ? { topic: `m${only}` } : {};
}

interface Signer {
  readonly vapid: VapidKeys;
  readonly contact: string;
}

/** Half of the time that RFC 8292, section 2, allows. */
const TOKEN_S = 43_200;

/** Returns the `Authorization` of RFC 8292, which names the origin of the push service. */
function vapidHeader(endpoint: string, { vapid, contact }: Signer): string {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(Date.now() / 1_000) + TOKEN_S,
    sub: contact,
  };
  const token = signedToken(keyOfPair(vapid), { typ: 'JWT', alg: 'ES256' }, claims);
  return `vapid t=${token}, k=${vapid.publicKey}`;
}
