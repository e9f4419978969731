import http2 from 'node:http2';
import type { ServerSettings } from '../../config.ts';
import { PUSH_ANSWER_BYTES_MAX, PUSH_MS_MAX } from '../../domain/limits/outbox.ts';
import type { TokenPush } from '../../operations/notifications/push-notices.ts';
import { noAnswer, retryAfterMsOf, TooEarly } from '../post.ts';
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
    const { status, reason, retryAfterMs, goneAt } = await connection.ask(
      headersOf(push, { settings, token: token.current() }),
      JSON.stringify(payloadOf(push)),
    );
    if (reason === 'ExpiredProviderToken') token.forget();
    const service = new URL(settings.url).host;
    const outcome = outcomeOf({ service, status, reason }, retryAfterMs);
    return outcome === 'gone' && goneAt !== null ? { goneAt } : outcome;
  };
}

interface Answered {
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number | null;
  /** Since when the token is not valid, in UNIX milliseconds; null if Apple does not say it. */
  readonly goneAt: number | null;
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
    // A push that only wakes the app would be of the background, but may not change the badge then.
    'apns-push-type': 'alert',
    // One that shows nothing has no haste.
    'apns-priority': isUrgent ? '10' : '5',
    'apns-expiration': String(Math.floor(Date.now() / 1_000) + EXPIRATION_S),
    ...(collapseId === undefined ? {} : { 'apns-collapse-id': collapseId }),
  };
}

const payloadOf = ({ notice, badge }: TokenPush) =>
  fitting(notice, {
    bytesMax: PAYLOAD_BYTES_MAX,
    make(some) {
      const shown = shownOf(some);
      const aps =
        shown === undefined
          ? { 'content-available': 1 }
          : { alert: shown, sound: 'default', 'mutable-content': 1 };
      return { aps: { ...aps, ...(badge === null ? {} : { badge }) }, notice: some };
    },
  });

/**
 * Keeps one connection (RFC 9113), and opens another when it was closed, has failed, or its server
 * says by GOAWAY that it takes no more.
 */
function openConnection({ url, authorities }: ApnsSettings) {
  let kept: Connection | undefined;

  function leave(connection: Connection) {
    if (kept === connection) kept = undefined;
    // Streams under way may still be answered.
    if (!connection.session.closed) connection.session.close();
  }

  function current(): Connection {
    if (kept !== undefined && !kept.session.closed && !kept.session.destroyed) return kept;
    const session = http2.connect(url, authorities === null ? {} : { ca: authorities });
    const made: Connection = { session, ready: readyOf(session) };
    // The requests fail as well, and say why.
    for (const end of ['error', 'goaway', 'close']) session.on(end, () => leave(made));
    session.setTimeout(IDLE_MS, () => session.close());
    session.unref();
    kept = made;
    return made;
  }

  return {
    async ask(headers: http2.OutgoingHttpHeaders, body: string): Promise<Answered> {
      const connection = current();
      const signal = AbortSignal.timeout(PUSH_MS_MAX);
      try {
        await Promise.race([connection.ready, abortOf(signal)]);
        return await answered(connection.session.request(headers, { signal }), body);
      } catch (error) {
        // A connection that is dead without a word would take further pushes for minutes.
        if (!signal.aborted) throw error;
        leave(connection);
        throw noAnswer(PUSH_MS_MAX);
      }
    },
  };
}

interface Connection {
  readonly session: http2.ClientHttp2Session;
  /**
   * Resolves when the server has said how many streams it takes at once: it refuses more that come
   * before, and later ones wait for their turn.
   */
  readonly ready: Promise<void>;
}

function readyOf(session: http2.ClientHttp2Session): Promise<void> {
  const ready = new Promise<void>((resolve, reject) => {
    session.once('remoteSettings', () => resolve());
    session.once('error', reject);
    session.once('close', () => reject(new Error("Apple's push service closed the connection")));
  });
  // The requests that wait for it say so.
  ready.catch(() => undefined);
  return ready;
}

const abortOf = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

function answered(stream: http2.ClientHttp2Stream, body: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
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
      if (typeof status !== 'number') {
        reject(new Error("Apple's push service did not answer"));
        return;
      }
      const retryAfterMs = retryAfterMsOf(after?.toString());
      resolve({ status, ...wordsIn(text), retryAfterMs });
    });
    stream.end(body);
  });
}

const IDLE_MS = 10 * 60_000;

/** Returns the reason of a refusal, a word, and the time that comes with status 410. */
function wordsIn(text: string): Pick<Answered, 'reason' | 'goneAt'> {
  try {
    const { reason, timestamp } = JSON.parse(text) as { reason?: unknown; timestamp?: unknown };
    const isWord = typeof reason === 'string' && /^[A-Za-z]{1,60}$/.test(reason);
    return {
      reason: isWord ? reason : '',
      goneAt: typeof timestamp === 'number' && timestamp > 0 ? timestamp : null,
    };
  } catch {
    return { reason: '', goneAt: null };
  }
}
