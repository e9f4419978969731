import type { PresenceRow } from '../../../storage/tables/people/presences.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  type Heard,
  legacyPresenceOf,
  modernPresence,
  PRESENCE_ANNOUNCED_ACCOUNTS_MAX,
  PRESENCE_ANNOUNCED_SECONDS,
  PRESENCE_HISTORY_DAYS,
  PRESENCE_OFFLINE_SECONDS,
  PRESENCE_STORED_SECONDS,
} from '../../domain/rules/people/presence.ts';
import { apiEmail, dummyEmail, isPresenceEnabled } from '../../domain/rules/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { LoggedEvent } from '../../domain/wire/events/logged-events.ts';
import type { Site } from '../access/caller.ts';
import { accounts, type Reads, realmSetting } from '../access/groups.ts';
import { isEveryoneSeen, visibilityTo, whoDoesNotSee, whoSees } from '../access/user-visibility.ts';

export type Status = 'active' | 'idle';

/**
 * Notes a client's report about its user. Most reports only refresh the stored time, and are not
 * announced.
 */
function report(
  tx: RealmTransaction,
  { user, site }: { user: UserRow; site: Site },
  status: Status,
) {
  if (!isPresenceEnabled(user)) return;
  const now = secondsOf(tx.now);
  const before = of(tx, user.id);
  const isStale = (at: number | null | undefined, seconds: number) =>
    at === null || at === undefined || now - at > seconds;
  const isActiveAnew = status === 'active' && isStale(before?.activeAt, PRESENCE_STORED_SECONDS);
  if (!isActiveAnew && !isStale(before?.connectedAt, PRESENCE_STORED_SECONDS)) return;
  const heard = {
    activeAt: isActiveAnew ? now : (before?.activeAt ?? null),
    connectedAt: now,
  };
  store(tx, user, heard);
  const isBack = status === 'active' && isStale(before?.activeAt, PRESENCE_ANNOUNCED_SECONDS);
  if (before === undefined || isBack) announce(tx, { user, site, heard });
}

/**
 * Notes that a user became visible or invisible: the first counts as being at the device, the
 * second as leaving at once (reference/events-and-register.md 4.3).
 */
export function setVisible(
  tx: RealmTransaction,
  { user, site }: { user: UserRow; site: Site },
  isVisible: boolean,
) {
  const now = secondsOf(tx.now);
  const before = of(tx, user.id);
  if (!isVisible && before === undefined) return;
  const gone = now - PRESENCE_OFFLINE_SECONDS - 1;
  const earlier = (at: number | null) => (at === null ? null : Math.min(at, gone));
  const heard: Heard = isVisible
    ? { activeAt: now, connectedAt: now }
    : {
        activeAt: earlier(before?.activeAt ?? null),
        connectedAt: Math.min(before?.connectedAt ?? gone, gone),
      };
  store(tx, user, heard);
  announce(tx, { user, site, heard });
}

interface Report {
  readonly status: Status;
  readonly last_update_id?: number | undefined;
  readonly history_limit_days: number;
  readonly ping_only: boolean;
  readonly slim_presence: boolean;
}

/**
 * Answers a report with the presences of others that the client does not know yet (specification,
 * "POST /users/me/presence").
 */
export function exchange(
  tx: RealmTransaction,
  { user, site }: { user: UserRow; site: Site },
  given: Report,
) {
  report(tx, { user, site }, given.status);
  const known = given.last_update_id;
  const ending = { zephyr_mirror_active: false };
  if (given.ping_only) return { presence_last_update_id: known ?? NOTHING_NEW, ...ending };
  const { present, updateId } = list(tx, {
    viewer: user,
    site,
    now: tx.now,
    sinceUpdateId: known,
    historyDays: given.history_limit_days,
  });
  const isModern = known !== undefined || given.slim_presence;
  return {
    presence_last_update_id: Math.max(updateId, known ?? NOTHING_NEW),
    server_timestamp: tx.now / 1000,
    presences: isModern ? modern(present) : legacy(present),
    ...ending,
  };
}

const NOTHING_NEW = -1;

export interface PresenceQuery {
  readonly viewer: UserRow;
  readonly site: Site;
  /** UNIX milliseconds. */
  readonly now: number;
  /** Only newer presences, of any age; undefined, -1 or 0 for all within the history. */
  readonly sinceUpdateId?: number | undefined;
  readonly historyDays: number;
}

export interface Present {
  readonly user: UserRow;
  readonly heard: Heard;
  /** The address by which the viewer knows the user. */
  readonly email: string;
}

/** Returns the presences for a viewer, and the newest of their numbers: -1 without any. */
export function list(reads: Reads, query: PresenceQuery): { present: Present[]; updateId: number } {
  const { viewer, site, sinceUpdateId = 0, historyDays } = query;
  const present: Present[] = [];
  const nothing = { present, updateId: NOTHING_NEW };
  const isDelta = sinceUpdateId > 0;
  if (realmSetting(reads, 'presence_disabled') || (!isDelta && historyDays === 0)) return nothing;
  const oldest = isDelta ? 0 : secondsOf(query.now) - historyDays * 86_400;
  const sees = visibilityTo(reads, viewer);
  let updateId = NOTHING_NEW;
  for (const [[id], heard] of reads.presences.range({
    start: isDelta ? [sinceUpdateId + 1] : [0],
  })) {
    if (heard.connectedAt < oldest) continue;
    const user = reads.users.get([heard.userId]);
    if (!user?.isActive) continue;
    const isSeen = sees(user);
    if (site.settings.limitsPresence && !isSeen) continue;
    const email = isSeen ? apiEmail(user, site.host) : dummyEmail(user.id, site.host);
    present.push({ user, heard, email });
    updateId = id;
  }
  return { present, updateId };
}

/** Returns all presences, in the form of older clients. */
export const legacyList = (
  reads: Reads,
  asked: Pick<PresenceQuery, 'viewer' | 'site' | 'now'>,
) => ({
  server_timestamp: asked.now / 1000,
  presences: legacy(list(reads, { ...asked, historyDays: PRESENCE_HISTORY_DAYS }).present),
});

export const modern = (present: readonly Omit<Present, 'email'>[]) =>
  Object.fromEntries(present.map(({ user, heard }) => [user.id, modernPresence(heard, user)]));

/** Returns presences by API address, each under two equal names (specification, "Presence"). */
export const legacy = (present: readonly Present[]) =>
  Object.fromEntries(
    present.map(({ user, heard, email }) => {
      const website = legacyPresenceOf(heard, user);
      const { pushable, ...aggregated } = website;
      return [email, { aggregated, website }];
    }),
  );

/** Tests whether a user is at a client at this moment. */
export function isPresent(reads: Reads, user: UserRow, now: number): boolean {
  const heard = of(reads, user.id);
  if (heard === undefined) return false;
  const { status, timestamp } = legacyPresenceOf(heard, user);
  return status === 'active' && secondsOf(now) - timestamp <= PRESENCE_OFFLINE_SECONDS;
}

/** Returns one person's presence, the only reply with `offline` (reference/endpoints.md 2.2). */
export function statusOf(reads: Reads, user: UserRow, now: number) {
  if (user.botType !== null) throw errors.badRequest('Presence is not supported for bot users.');
  const heard = of(reads, user.id);
  if (heard === undefined || !user.isActive) {
    throw errors.badRequest(`No presence data for ${user.id}`);
  }
  const { status, timestamp } = legacyPresenceOf(heard, user);
  const isOffline = secondsOf(now) - timestamp > PRESENCE_OFFLINE_SECONDS;
  return {
    aggregated: { status: isOffline ? ('offline' as const) : status, timestamp },
    website: { status, timestamp },
  };
}

function of(reads: Reads, userId: number): PresenceRow | undefined {
  const known = reads.userPresences.get([userId]);
  return known === undefined ? undefined : reads.presences.get([known.updateId]);
}

function store(tx: RealmTransaction, { id: userId }: UserRow, heard: Heard) {
  const before = tx.userPresences.get([userId]);
  if (before !== undefined) tx.presences.remove([before.updateId]);
  const updateId = tx.nextId('presence');
  tx.presences.put([updateId], { ...heard, userId });
  tx.userPresences.put([userId], { updateId });
}

/** Removes the presence of a deactivated account. */
export function forget(tx: RealmTransaction, userId: number) {
  const known = tx.userPresences.get([userId]);
  if (known === undefined) return;
  tx.presences.remove([known.updateId]);
  tx.userPresences.remove([userId]);
}

interface News {
  readonly user: UserRow;
  readonly heard: Heard;
  readonly site: Site;
}

function announce(tx: RealmTransaction, { user, site, heard }: News) {
  if (realmSetting(tx, 'presence_disabled') || isLarge(tx)) return;
  const event = (email: string): LoggedEvent => ({
    type: 'presence',
    user_id: user.id,
    email,
    server_timestamp: tx.now / 1000,
    presence: { website: legacyPresenceOf(heard, user) },
    presences: modern([{ user, heard }]),
  });
  tx.emit({ event: event(apiEmail(user, site.host)), audience: whoSees(tx, user) });
  if (site.settings.limitsPresence || isEveryoneSeen(tx)) return;
  // Users who may not see the person get the presence of a hidden user, with the made-up address.
  const audience = whoDoesNotSee(tx, user);
  tx.emit({ event: event(dummyEmail(user.id, site.host)), audience });
}

function isLarge(tx: Reads): boolean {
  let count = 0;
  for (const { isActive } of accounts(tx)) {
    if (isActive) count += 1;
    if (count > PRESENCE_ANNOUNCED_ACCOUNTS_MAX) return true;
  }
  return false;
}

const secondsOf = (ms: number) => Math.floor(ms / 1000);
