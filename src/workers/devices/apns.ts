import http2 from 'node:http2';
import type { ServerSettings } from '../../config.ts';
import { PUSH_ANSWER_BYTES_MAX, PUSH_MS_MAX } from '../../domain/limits/outbox.ts';
import type { TokenPush } from '../../operations/notifications/push-notices.ts';
import { retryAfterMsOf, TooEarly } from '../post.ts';
import { collapseIdOf, fitting, shownOf } from './phone-notice.ts';
import { KeysRefused, type Refusal } from './refusals.ts';
import type { Outcome, Sender } from './sender.ts';
import { signedToken } from './tokens.ts';

type ApnsSettings = NonNullable<ServerSettings['apns']>;

/** Apple takes no larger payloads ("Sending notification requests to APNs"). */
const PAYLOAD_BYTES_MAX = 4_096;
/** Apple wants a token to be used for 20 to 60 minutes. */
const TOKEN_MS = 40 * 60_000;
/** A day, after which Apple forgets a push that it could not deliver. */
const EXPIRATION_S = 86_400;

/** Sends pushes to Apple's service, all on one connection. */
export function apnsSender(settings: ApnsSettings): Sender {
  const connection = openConnection(settings);
  const token = tokenKept(settings);
  return async (push) => {
    const { status, reason, retryAfterMs } = await connection.ask(
      headersOf(push, { settings, token: token.current() }),
      JSON.stringify(payloadOf(push)),
    );
    if (reason === 'ExpiredProviderToken') token.forget();
    return outcomeOf({ service: new URL(settings.url).host, status, reason }, retryAfterMs);
  };
}

interface Answered {
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number | null;
}

/** Reads an answer by Apple's table ("Handling notification responses from APNs"). */
function outcomeOf(refusal: Refusal, retryAfterMs: number | null): Outcome {
  const { status, reason } = refusal;
  if (status === 200) return 'taken';
  if (status === 410 || reason === 'BadDeviceToken' || reason === 'DeviceTokenNotForTopic') {
    return 'gone';
  }
  // The operator's key is not right, or the service has trouble: neither is the device's fault.
  if (status === 403) throw new KeysRefused(refusal, retryAfterMs);
  // Another attempt would be refused in the same way, as a payload that is too large.
  if (status === 400 || status === 404 || status === 405 || status === 413) return refusal;
  throw new TooEarly(`Apple's push service answered ${status} ${reason}`, retryAfterMs ?? 0);
}

function tokenKept({ key, keyId, teamId }: ApnsSettings) {
  let kept: { text: string; madeAt: number } | undefined;
  return {
    current(): string {
      const now = Date.now();
      if (kept === undefined || now - kept.madeAt > TOKEN_MS) {
        const claims = { iss: teamId, iat: Math.floor(now / 1_000) };
        kept = { text: signedToken(key, { alg: 'ES256', kid: keyId }, claims), madeAt: now };
      }
      return kept.text;
    },
    forget() {
      kept = undefined;
    },
  };
}

function headersOf(
  { token, appId, isUrgent, notice }: TokenPush,
  given: { readonly settings: ApnsSettings; readonly token: string },
): http2.OutgoingHttpHeaders {
  const collapseId = collapseIdOf(notice);
  return {
    ':method': 'POST',
    ':path': `/3/device/${token}`,
    authorization: `bearer ${given.token}`,
    'apns-topic': appId ?? given.settings.topic,
    'apns-push-type': isUrgent ? 'alert' : 'background',
    // Apple refuses pushes in the background with more than 5.
    'apns-priority': isUrgent ? '10' : '5',
    'apns-expiration': String(Math.floor(Date.now() / 1_000) + EXPIRATION_S),
    ...(collapseId === undefined ? {} : { 'apns-collapse-id': collapseId }),
  };
}

const payloadOf = ({ notice }: TokenPush) =>
  fitting(notice, {
    bytesMax: PAYLOAD_BYTES_MAX,
    make(some) {
      const shown = shownOf(some);
      const aps =
        shown === undefined
          ? { 'content-available': 1 }
          : { alert: shown, sound: 'default', 'mutable-content': 1 };
      return { aps, notice: some };
    },
  });

/**
 * Keeps one connection (RFC 9113), and opens another when it was closed, has failed, or its server
 * says by GOAWAY that it takes no more.
 */
function openConnection({ url, authorities }: ApnsSettings) {
  let session: http2.ClientHttp2Session | undefined;

  function leave(made: http2.ClientHttp2Session) {
    if (session === made) session = undefined;
    // What is under way may still be answered.
    if (!made.closed) made.close();
  }

  function current(): http2.ClientHttp2Session {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    const made = http2.connect(url, authorities === null ? {} : { ca: authorities });
    // The requests fail as well, and say why.
    for (const end of ['error', 'goaway', 'close']) made.on(end, () => leave(made));
    made.setTimeout(IDLE_MS, () => made.close());
    made.unref();
    session = made;
    return made;
  }

  return {
    ask: (headers: http2.OutgoingHttpHeaders, body: string): Promise<Answered> =>
      new Promise((resolve, reject) => {
        const asked = current();
        // It also ends one that waits for the connection, or for its turn among the streams.
        const signal = AbortSignal.timeout(PUSH_MS_MAX);
        const stream = asked.request(headers, { signal });
        // A connection that is dead without a word would take further pushes for minutes.
        signal.addEventListener('abort', () => {
          if (!stream.closed) leave(asked);
        });
        let answer: http2.IncomingHttpHeaders = {};
        let text = '';
        stream.setEncoding('utf8');
        stream.on('response', (given) => {
          answer = given;
        });
        stream.on('data', (part: string) => {
          if (text.length < PUSH_ANSWER_BYTES_MAX) text += part;
        });
        stream.on('error', reject);
        stream.on('close', () => {
          const { ':status': status, 'retry-after': after } = answer;
          if (typeof status !== 'number') reject(new Error("Apple's push service did not answer"));
          else
            resolve({
              status,
              reason: reasonIn(text),
              retryAfterMs: retryAfterMsOf(after?.toString()),
            });
        });
        stream.end(body);
      }),
  };
}

const IDLE_MS = 10 * 60_000;

/** Returns the reason of a refusal, a word. */
function reasonIn(text: string): string {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown };
    return typeof reason === 'string' && /^[A-Za-z]{1,60}$/.test(reason) ? reason : '';
  } catch {
    return '';
  }
}
