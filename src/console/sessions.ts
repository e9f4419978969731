import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  CONSOLE_LOGINS_PER_MINUTE,
  CONSOLE_SESSION_MS,
  CONSOLE_SESSIONS_MAX,
  CONSOLE_TOKEN_MS,
  CONSOLE_TOKENS_MAX,
} from '../domain/limits/operator.ts';

/** Opens sessions for one-time tokens and for the operator's token, and knows which are open. */
export interface Sessions {
  /** Makes a token that lets one browser in, once and soon. */
  issue(): { readonly token: string; readonly expiresAt: number };
  /** Opens a session for a one-time token; undefined if there is no such token any more. */
  redeem(token: string): string | undefined;
  /** Opens a session for the operator's token; undefined if it is wrong or was tried too often. */
  logIn(token: string): string | undefined;
  /** Tests a cookie, and keeps its session open. */
  has(session: string): boolean;
  end(session: string): void;
}

/** A secret of 256 bits; only its hash is kept. */
const secret = () => randomBytes(32).toString('base64url');
const digest = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Opens the sessions of a console; they end with the process. Times are in UNIX milliseconds. */
export function openSessions(now: () => number, operatorToken: string | null): Sessions {
  /** When each token and each session ends, by the hash; those that end first are first. */
  const tokens = new Map<string, number>();
  const sessions = new Map<string, number>();
  let failures: number[] = [];

  function open(): string {
    const session = secret();
    keep(sessions, digest(session), now() + CONSOLE_SESSION_MS, CONSOLE_SESSIONS_MAX);
    return session;
  }

  return {
    issue() {
      const token = secret();
      const expiresAt = now() + CONSOLE_TOKEN_MS;
      keep(tokens, digest(token), expiresAt, CONSOLE_TOKENS_MAX);
      return { token, expiresAt };
    },
    redeem(token) {
      const hash = digest(token);
      const endsAt = tokens.get(hash);
      tokens.delete(hash);
      return endsAt === undefined || endsAt <= now() ? undefined : open();
    },
    logIn(token) {
      failures = failures.filter((at) => at > now() - 60_000);
      if (operatorToken === null || failures.length >= CONSOLE_LOGINS_PER_MINUTE) return undefined;
      if (isEqual(token, operatorToken)) return open();
      failures.push(now());
      return undefined;
    },
    has(session) {
      const hash = digest(session);
      const endsAt = sessions.get(hash);
      if (endsAt === undefined || endsAt <= now()) return false;
      keep(sessions, hash, now() + CONSOLE_SESSION_MS, CONSOLE_SESSIONS_MAX);
      return true;
    },
    end: (session) => void sessions.delete(digest(session)),
  };
}

/** Puts an entry last, and forgets the first one if there are too many. */
function keep(ends: Map<string, number>, hash: string, endsAt: number, max: number) {
  ends.delete(hash);
  ends.set(hash, endsAt);
  for (const first of ends.keys()) {
    if (ends.size <= max) return;
    ends.delete(first);
  }
}

/** Hashes are equally long, so that the comparison takes the same time for any token. */
export const isEqual = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(digest(one)), Buffer.from(digest(other)));
