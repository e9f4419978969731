import { randomBytes } from 'node:crypto';
import type { RealmTransaction } from '../../storage/realm-store.ts';
import * as errors from '../domain/errors.ts';
import { NOTIFICATION_BOT } from '../domain/system-bots.ts';

/** A host label (RFC 1123), so that `<realm>.<domain>` is a host name; with a letter, so that no address begins with it. */
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
  });
  tx.secrets.put(['external content'], { value: randomBytes(32).toString('hex') });
}

export function refuseStringId(stringId: string) {
  if (!STRING_ID.test(stringId)) {
    throw errors.badRequest(
      `'${stringId}' cannot be the name of a realm: lower-case letters, digits and dashes, at most 63`,
    );
  }
}
