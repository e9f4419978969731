import { randomBytes } from 'node:crypto';
import type { RealmRow } from '../../../storage/tables/realm/realm.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { DELETION_DELAY_DAYS_MIN, FORMER_NAMES_MAX } from '../../domain/limits/organizations.ts';
import { NOTIFICATION_BOT } from '../../domain/rules/people/system-bots.ts';
import { SERVICE_VERSION } from '../../domain/version.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Reads } from './groups.ts';

/**
 * Matches a host label (RFC 1123), so that `<realm>.<domain>` is a host name; it has a letter, so
 * that no IP address begins with it.
 */
const STRING_ID = /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export interface NewRealm {
  readonly id: number;
  readonly stringId: string;
  readonly name: string;
}

/** Writes the realm into its own, empty store. */
export function create(tx: RealmTransaction, { id, stringId, name }: NewRealm) {
  const dateJoined = Math.floor(tx.now / 1000);
  tx.users.put([NOTIFICATION_BOT.id], { ...NOTIFICATION_BOT, dateJoined });
  tx.realm.put(['realm'], {
    id,
    stringId,
    name,
    description: '',
    dateCreated: Math.floor(tx.now / 1000),
    isActive: true,
    settings: {},
    userDefaults: {},
    deletableAt: null,
    formerStringIds: [],
    firstStringId: null,
    newsVersion: SERVICE_VERSION,
    formerIds: [],
  });
  tx.secrets.put(['external content'], { value: randomBytes(32).toString('hex') });
}

/**
 * Gives an imported organization, whose rows are all stored, its id here, and perhaps another name.
 */
export function settle(tx: RealmTransaction, { id, stringId }: Pick<NewRealm, 'id' | 'stringId'>) {
  const row = existing(tx);
  const formerIds = [...new Set([...row.formerIds, row.id])].filter((former) => former !== id);
  // Its former names may belong to other organizations here.
  const names = { stringId, formerStringIds: [], firstStringId: null };
  tx.realm.put(['realm'], { ...row, ...names, id, formerIds });
}

/**
 * Deactivates the organization: no user can do anything in it, and it does nothing by itself, but
 * keeps all data. The caller ends the queues in an operation after this one, so that their clients
 * get the event first.
 */
export function deactivate(tx: RealmTransaction, deletionDelayDays: number | null) {
  const row = existing(tx);
  if (deletionDelayDays !== null && deletionDelayDays < DELETION_DELAY_DAYS_MIN) {
    throw errors.badRequest(
      `Data deletion time must be at least ${DELETION_DELAY_DAYS_MIN} days in the future.`,
    );
  }
  if (!row.isActive) return;
  const delayMs = deletionDelayDays === null ? null : deletionDelayDays * DAY_MS;
  const deletableAt = delayMs === null ? null : Math.floor((tx.now + delayMs) / 1000);
  tx.realm.put(['realm'], { ...row, isActive: false, deletableAt });
  tx.emit({
    event: { type: 'realm', op: 'deactivated', realm_id: row.id },
    audience: { everyone: true },
  });
}

/** Reactivates the organization. Jobs that were due meanwhile run now, or are too late. */
export function reactivate(tx: RealmTransaction) {
  const row = existing(tx);
  if (row.isActive) throw errors.badRequest('The organization is not deactivated.');
  tx.realm.put(['realm'], { ...row, isActive: true, deletableAt: null });
  tx.wakeAt(tx.now);
}

/**
 * Renames the organization. Its former names still find it, so that no user has to log in again.
 * The caller has made sure that no other realm has the name.
 */
export function rename(tx: RealmTransaction, stringId: string) {
  const row = existing(tx);
  if (stringId === row.stringId) return;
  refuseStringId(stringId);
  const former = [...row.formerStringIds.filter((name) => name !== stringId), row.stringId];
  if (former.length > FORMER_NAMES_MAX) {
    throw errors.badRequest(`An organization can have at most ${FORMER_NAMES_MAX} former names.`);
  }
  const firstStringId = row.firstStringId ?? row.stringId;
  tx.realm.put(['realm'], { ...row, stringId, formerStringIds: former, firstStringId });
}

/** Returns its name, and its former ones. */
export function namesOf(reads: Pick<Reads, 'realm'>): readonly string[] {
  const { stringId, formerStringIds } = existing(reads);
  return [stringId, ...formerStringIds];
}

/**
 * Returns the name in made-up addresses of its accounts, which stay the same when it is renamed.
 */
export function addressName(reads: Pick<Reads, 'realm'>): string {
  const { stringId, firstStringId } = existing(reads);
  return firstStringId ?? stringId;
}

export const isActive = (reads: Pick<Reads, 'realm'>): boolean => existing(reads).isActive;

/**
 * Refuses requests without credentials to a deactivated organization; credentials are refused
 * elsewhere.
 */
export function refuseDeactivated(reads: Pick<Reads, 'realm'>) {
  if (!isActive(reads)) throw errors.realmDeactivated();
}

const DAY_MS = 86_400_000;

/** Returns the organization itself: every store has one. */
export function existing(reads: Pick<Reads, 'realm'>): RealmRow {
  const row = reads.realm.get(['realm']);
  if (row === undefined) throw new Error('the store holds no realm');
  return row;
}

export function refuseStringId(stringId: string) {
  if (!STRING_ID.test(stringId)) {
    throw errors.badRequest(
      `'${stringId}' cannot be the name of a realm: lower-case letters, digits and dashes, at most 63`,
    );
  }
}
