import { randomBytes } from 'node:crypto';
import {
  keyId as idOf,
  type KeyUseRow,
  type SessionTimeRow,
} from '../../../storage/tables/people/keys.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import {
  KEY_USES_WRITTEN_MS,
  SESSION_IDLE_MS,
  SESSIONS_PER_STEP,
  SESSIONS_PER_USER_MAX,
} from '../../domain/limits/credentials.ts';
import { agentName } from '../../domain/rules/people/agent-name.ts';
import { addressClass } from '../../domain/wire/address-class.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { SessionObject } from '../../domain/wire/personal-objects.ts';
import { hashOfKey } from '../access/accounts.ts';
import { sessionCookie, sessionEnd } from '../access/authentication.ts';
import * as eventQueues from '../access/event-queues.ts';
import type { Reads } from '../access/groups.ts';
import { useOnce } from '../second-steps/use-once.ts';
import type { LoggedOut, ProviderSession } from './provider-sessions.ts';
import * as providerSessions from './provider-sessions.ts';

/** The browser that logs in. */
export interface NewBrowser {
  readonly userAgent: string;
  readonly address: string;
  /** As in the row of a session. */
  readonly method?: string;
  /** The session at the provider by which the person came. */
  readonly provider?: ProviderSession;
}

/**
 * Begins a session, and returns the value of its cookie. Only a hash of it is stored. The oldest
 * session makes room, and its event queues end.
 */
export function begin(tx: RealmTransaction, userId: number, from: NewBrowser): string {
  const rows = [...tx.sessions.under([userId])].sort(
    ([, one], [, other]) => one.createdAt - other.createdAt,
  );
  for (const [[, hash]] of rows.slice(0, Math.max(0, rows.length + 1 - SESSIONS_PER_USER_MAX))) {
    endOne(tx, userId, hash);
  }
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const hash = hashOfKey(secret);
  tx.sessions.put([userId, hash], {
    createdAt: tx.now,
    client: agentName(from.userAgent),
    method: from.method ?? null,
  });
  if (from.provider !== undefined) providerSessions.keep(tx, [userId, hash], from.provider);
  tx.keyUses.put([userId, hash], {
    usedAt: Math.floor(tx.now / 1000),
    client: null,
    addressClass: addressClass(from.address),
  });
  lookAt(tx, [tx.now + SESSION_IDLE_MS, userId, hash], { isSecond: false });
  return sessionCookie(userId, secret);
}

/** 256 bits cannot be guessed. */
const SECRET_BYTES = 32;

interface ListInput {
  /** Hash of the session that authenticates the request, if it is one. */
  readonly current?: string | undefined;
  /** Returns the last use of a session if it is not stored yet. */
  readonly recentUse: (hash: string) => KeyUseRow | undefined;
  /** UNIX milliseconds. */
  readonly now: number;
}

/** Returns the sessions of an account that have not ended, newest first. */
export function list(
  reads: Reads,
  userId: number,
  { current, recentUse, now }: ListInput,
): SessionObject[] {
  const rows = [...reads.sessions.under([userId])];
  rows.sort(([, one], [, other]) => other.createdAt - one.createdAt);
  return rows.flatMap(([[, keyHash], { createdAt, client }]) => {
    const endsAt = sessionEnd(reads, { userId, keyHash }, recentUse(keyHash)) ?? 0;
    if (now >= endsAt) return [];
    const use = recentUse(keyHash) ?? reads.keyUses.get([userId, keyHash]);
    return {
      id: idOf(keyHash),
      created_at: Math.floor(createdAt / 1000),
      expires_at: Math.floor(endsAt / 1000),
      is_current: keyHash === current,
      last_used_at: use?.usedAt ?? Math.floor(createdAt / 1000),
      client,
      address_class: use?.addressClass ?? null,
    };
  });
}

/** Ends one session and the event queues registered in it. */
export function end(tx: RealmTransaction, userId: number, sessionId: string) {
  const hashes = Array.from(tx.sessions.keysUnder([userId]), ([, hash]) => hash);
  const hash = hashes.find((one) => idOf(one) === sessionId);
  if (hash === undefined) throw errors.noSuchSession();
  endOne(tx, userId, hash);
}

/** A session, as its own request names it. */
export interface OwnSession {
  readonly userId: number;
  readonly hash: string;
}

/** Ends the session of a request, unless it has ended meanwhile. */
export function endCurrent(tx: RealmTransaction, { userId, hash }: OwnSession) {
  if (tx.sessions.has([userId, hash])) endOne(tx, userId, hash);
}

/**
 * Ends the sessions here of which a provider says that it has logged them out. There may be none;
 * the same token is refused when it comes again.
 */
export function endLoggedOut(
  tx: RealmTransaction,
  { id, endsAt, ...loggedOut }: LoggedOut & { readonly id: string; readonly endsAt: number },
) {
  if (!useOnce(tx, `logout ${loggedOut.issuer} ${id}`, endsAt)) {
    throw errors.badRequest('This logout token has come before, or is too old.');
  }
  for (const [userId, hash] of providerSessions.meant(tx, loggedOut)) endOne(tx, userId, hash);
}

/** Ends the sessions of an account, except a kept one, and the event queues registered in them. */
export function endAll(tx: RealmTransaction, userId: number, kept?: string) {
  for (const [, hash] of [...tx.sessions.keysUnder([userId])]) {
    if (hash !== kept) endOne(tx, userId, hash);
  }
}

/** Ends the sessions and the event queues of everybody, in an organization that is deactivated. */
export function endAllOfRealm(tx: RealmTransaction) {
  eventQueues.endAll(tx);
  for (const [userId, hash] of [...tx.sessions.keys({})]) remove(tx, userId, hash);
}

function endOne(tx: RealmTransaction, userId: number, hash: string) {
  remove(tx, userId, hash);
  eventQueues.endOfKey(tx, { userId, keyHash: hash });
}

/** Removes a session with its last use; the sweep finds its time without a session. */
function remove(tx: RealmTransaction, userId: number, hash: string) {
  tx.sessions.remove([userId, hash]);
  providerSessions.forget(tx, [userId, hash]);
  tx.keyUses.remove([userId, hash]);
}

type TimeKey = [lookAt: number, userId: number, hash: string];

/** Returns when the sweep next looks at a session (UNIX milliseconds). */
export function nextAt(reader: Pick<RealmReader, 'sessionTimes'>): number | undefined {
  for (const [at] of reader.sessionTimes.keys({ limit: 1 })) return at;
  return undefined;
}

/** Returns sessions that the sweep has to look at. */
export const due = (reader: Pick<RealmReader, 'sessionTimes'>, now: number): TimeKey[] =>
  Array.from(reader.sessionTimes.keys({ end: [now + 1], limit: SESSIONS_PER_STEP }));

/**
 * Ends a session that is over. The housekeeping may not have written the last use yet, so it takes
 * two looks, and the second one must be at its time: a machine that has slept has written nothing.
 * A session that was used is looked at later.
 */
export function look(tx: RealmTransaction, key: TimeKey) {
  const [at, userId, keyHash] = key;
  const { isSecond = false } = tx.sessionTimes.get(key) ?? {};
  tx.sessionTimes.remove(key);
  const endsAt = sessionEnd(tx, { userId, keyHash }, undefined);
  if (endsAt === undefined) return;
  if (endsAt > tx.now) lookAt(tx, [endsAt, userId, keyHash], { isSecond: false });
  else if (isSecond && tx.now - at < KEY_USES_WRITTEN_MS) endOne(tx, userId, keyHash);
  else lookAt(tx, [tx.now + 2 * KEY_USES_WRITTEN_MS, userId, keyHash], { isSecond: true });
}

function lookAt(tx: RealmTransaction, key: TimeKey, row: SessionTimeRow) {
  tx.sessionTimes.put(key, row);
  tx.wakeAt(key[0]);
}
