import type { DigestPlanRow } from '../../../storage/tables/notifications/digests.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  DIGEST_AWAY_MS_MIN,
  DIGEST_LATE_MS_MAX,
  DIGEST_PEOPLE_PER_STEP,
  DIGEST_STEP_MS,
} from '../../domain/limits/outbox.ts';
import { USER_SETTINGS } from '../../domain/wire/settings/user-settings.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as outbox from '../access/outbox.ts';

/**
 * Weekly mails to people who were away (docs/decisions/0281). They go to a few people at a time, in
 * the order of their ids; the plan says who is next.
 */

/** An outbox entry for a weekly mail, which is made when it is delivered. */
export interface DigestEntry {
  readonly userId: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The hour of the day (UTC) from which they are sent. */
const HOUR_OF_DAY = 7;

/** Returns when the next step is due (UNIX milliseconds); undefined if there are no digests. */
export function nextAt(reads: Reads): number | undefined {
  if (!realmSetting(reads, 'digest_emails_enabled')) return undefined;
  const plan = reads.digestPlan.get(['plan']);
  // Without a plan for this day of the week, making one is the next step.
  if (plan?.weekday !== realmSetting(reads, 'digest_weekday')) return 0;
  return plan.stepAt;
}

/** Adds the mails of the next few people to the outbox, or plans the next week. */
export function step(tx: RealmTransaction) {
  const weekday = realmSetting(tx, 'digest_weekday');
  const plan = tx.digestPlan.get(['plan']);
  const isPlanned = plan?.weekday === weekday && tx.now - plan.nextAt <= DIGEST_LATE_MS_MAX;
  if (!isPlanned) return planWeek(tx, weekday, formerOf(plan));
  if (tx.now < plan.stepAt) return;
  const people = Array.from(
    tx.users.range({ start: [plan.afterUserId + 1], limit: DIGEST_PEOPLE_PER_STEP }),
    ([, user]) => user,
  );
  for (const user of people) {
    if (!isWanted(tx, user, tx.now)) continue;
    const content: DigestEntry = { userId: user.id };
    outbox.post(tx, { kind: 'digest', content });
  }
  const last = people.at(-1);
  if (last === undefined || people.length < DIGEST_PEOPLE_PER_STEP) {
    return planWeek(tx, weekday, plan.nextAt);
  }
  write(tx, { ...plan, afterUserId: last.id, stepAt: tx.now + DIGEST_STEP_MS });
}

/** Plans the next week after a fault: the mails of this week are left out. */
export const skip = (tx: RealmTransaction) =>
  planWeek(tx, realmSetting(tx, 'digest_weekday'), tx.now);

/** Mails that have begun count, so that another day of the week does not bring a second one. */
const formerOf = (plan: DigestPlanRow | undefined): number => {
  if (plan === undefined) return 0;
  return plan.afterUserId > 0 ? plan.nextAt : plan.formerAt;
};

function planWeek(tx: RealmTransaction, weekday: number, formerAt: number) {
  // Two of these mails are a week apart, to the hour.
  const earliest = Math.max(tx.now, formerAt === 0 ? 0 : formerAt + 7 * DAY_MS - HOUR_MS);
  let nextAt = Math.floor(earliest / DAY_MS) * DAY_MS + HOUR_OF_DAY * HOUR_MS;
  while (nextAt <= earliest || weekdayOf(nextAt) !== weekday) nextAt += DAY_MS;
  write(tx, { weekday, nextAt, formerAt, stepAt: nextAt, afterUserId: 0 });
}

function write(tx: RealmTransaction, plan: DigestPlanRow) {
  tx.digestPlan.put(['plan'], plan);
  tx.wakeAt(plan.stepAt);
}

/** Monday is 0. The first day of UNIX time was a Thursday. */
const weekdayOf = (at: number) => (Math.floor(at / DAY_MS) + 3) % 7;

/** Tests whether somebody is to get a weekly mail at this moment. */
export function isWanted(reads: Reads, user: UserRow, now: number): boolean {
  if (!user.isActive || user.botType !== null || user.isSystem) return false;
  if (!realmSetting(reads, 'digest_emails_enabled')) return false;
  if (!(user.settings.enable_digest_emails ?? USER_SETTINGS.enable_digest_emails.default)) {
    return false;
  }
  return now - lastThere(reads, user) >= DIGEST_AWAY_MS_MIN;
}

/**
 * Returns when somebody was last there (UNIX milliseconds): by their presence, by the uses of their
 * keys and sessions, or else when they joined. A key that a program uses counts as well, because
 * people may hide their presence.
 */
export function lastThere(reads: Reads, user: UserRow): number {
  const updateId = reads.userPresences.get([user.id])?.updateId;
  const heard = updateId === undefined ? undefined : reads.presences.get([updateId]);
  let last = Math.max(user.dateJoined, heard?.activeAt ?? 0, heard?.connectedAt ?? 0);
  for (const [, { usedAt }] of reads.keyUses.under([user.id])) last = Math.max(last, usedAt);
  return last * 1000;
}
