import { z } from 'zod';
import type { ServerSettings } from '../../config.ts';
import { PUSH_ANSWER_BYTES_MAX, PUSH_MS_MAX } from '../../domain/limits/outbox.ts';
import type { PushNotice, TokenPush } from '../../operations/notifications/push-notices.ts';
import { post, TooEarly } from '../post.ts';
import { fitting } from './phone-notice.ts';
import { KeysRefused } from './refusals.ts';
import type { Outcome, Sender } from './sender.ts';
import { signedToken } from './tokens.ts';

type FcmSettings = NonNullable<ServerSettings['fcm']>;

/** Google takes no larger `data` ("About FCM messages"). */
const DATA_BYTES_MAX = 4_000;
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
/** Google gives tokens for an hour at most (RFC 7523, as Google has it). */
const ASSERTION_S = 3_600;
/** A token is got again before it ends. */
const MARGIN_MS = 5 * 60_000;
/** Google asks to wait as long if it does not say how long ("Scale FCM sends"). */
const QUOTA_PAUSE_MS = 60_000;

/** Sends pushes to Google's service by its HTTP interface, version 1. */
export function fcmSender(settings: FcmSettings): Sender {
  const access = accessOf(settings);
  return async (push) => {
    const token = await access.current();
    const answer = await post({
      url: `${settings.url}/v1/projects/${settings.projectId}/messages:send`,
      contentType: 'application/json',
      body: JSON.stringify({ message: messageOf(push) }),
      headers: { authorization: `Bearer ${token}` },
      timeoutMs: PUSH_MS_MAX,
      bytesMax: PUSH_ANSWER_BYTES_MAX,
      // The operator chose the URL.
      allowsPrivate: true,
    });
    if (answer.status === 401) access.forget();
    return outcomeOf(answer);
  };
}

const refused = z.object({
  error: z.object({
    status: z.string().default(''),
    details: z
      .array(
        z.object({
          errorCode: z
            .string()
            .regex(/^[A-Z_]{1,60}$/)
            .optional(),
        }),
      )
      .default([]),
  }),
});

/** Reads an answer by Google's table (`ErrorCode` of the reference). */
function outcomeOf({ status, text, retryAfterMs }: Awaited<ReturnType<typeof post>>): Outcome {
  if (status === 200) return 'taken';
  const { data } = refused.safeParse(jsonIn(text));
  const code = data?.error.details.find(({ errorCode }) => errorCode !== undefined)?.errorCode;
  const refusal = { service: 'Google', status, ...(code === undefined ? {} : { reason: code }) };
  if (code === 'UNREGISTERED') return 'gone';
  // The device is of another project than the operator's key. It stays, as the key may be wrong.
  if (code === 'SENDER_ID_MISMATCH') return refusal;
  if (status === 401 || status === 403) throw new KeysRefused(refusal, retryAfterMs);
  // Another attempt would be refused in the same way.
  if (status === 400 || status === 404) return refusal;
  const pauseMs = retryAfterMs ?? (status === 429 ? QUOTA_PAUSE_MS : 0);
  throw new TooEarly(`Google's push service answered with status ${status}`, pauseMs);
}

/**
 * Only data is sent, so that the app shows the notice and can take it back. There is no collapse
 * key: Google keeps but four of them for a device that is off, and a hundred messages without.
 */
const messageOf = ({ token, isUrgent, notice }: TokenPush) => ({
  token,
  data: fitting(notice, { bytesMax: DATA_BYTES_MAX, make: texts }),
  android: { priority: isUrgent ? 'HIGH' : 'NORMAL', ttl: '86400s' },
});

/** All values of `data` are texts; those that are none are JSON. */
const texts = (notice: PushNotice): Record<string, string> =>
  Object.fromEntries(
    Object.entries(notice)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

const granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

/** Keeps a token of OAuth 2 (RFC 7523, section 2.1); all that wait for one share one request. */
function accessOf(settings: FcmSettings) {
  let kept: { token: string; until: number } | undefined;
  let asking: Promise<string> | undefined;

  async function ask(): Promise<string> {
    const answer = await post({
      url: settings.tokenUrl,
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: assertionOf(settings),
      }).toString(),
      timeoutMs: PUSH_MS_MAX,
      bytesMax: PUSH_ANSWER_BYTES_MAX,
      allowsPrivate: true,
    });
    const { success, data } = granted.safeParse(jsonIn(answer.text));
    if (answer.status !== 200 || !success) throw noToken(answer);
    kept = { token: data.access_token, until: Date.now() + data.expires_in * 1_000 - MARGIN_MS };
    return data.access_token;
  }

  return {
    current(): Promise<string> {
      if (kept !== undefined && Date.now() < kept.until) return Promise.resolve(kept.token);
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    forget() {
      kept = undefined;
    },
  };
}

/** The word of a refusal (RFC 6749, section 5.2), such as `invalid_grant`. */
const notGranted = z.object({ error: z.string().regex(/^[a-z_]{1,60}$/) });

/** The account is not right, or the clock of this machine, unless the service has trouble. */
function noToken({ status, text, retryAfterMs }: Awaited<ReturnType<typeof post>>): TooEarly {
  const { data } = notGranted.safeParse(jsonIn(text));
  if (status === 400 || status === 401 || status === 403) {
    const reason = data?.error ?? 'no token';
    return new KeysRefused({ service: 'Google (tokens)', status, reason }, retryAfterMs);
  }
  const words = `Google gave no token, but the status ${status}`;
  return new TooEarly(words, retryAfterMs ?? 0);
}

function assertionOf({ key, keyId, email, tokenUrl }: FcmSettings): string {
  const now = Math.floor(Date.now() / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === null ? {} : { kid: keyId }) } as const;
  return signedToken(key, header, {
    iss: email,
    scope: SCOPE,
    aud: tokenUrl,
    iat: now,
    exp: now + ASSERTION_S,
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
