import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { Caller } from './caller.ts';
import * as userSettings from './user-settings.ts';
import * as userStatuses from './user-statuses.ts';

/** What somebody asks of their own status. */
interface OwnChange extends userStatuses.StatusChange {
  /** Legacy: not the setting `presence_enabled`. */
  readonly away?: boolean | undefined;
}

/** Sets one's own status, where being away is a change as well. */
export function set(tx: RealmTransaction, { user, place }: Caller, { away, ...change }: OwnChange) {
  if (away !== undefined) userSettings.set(tx, { user, place }, { presence_enabled: !away });
  const isAlone = change.status_text === undefined && change.emoji_name === undefined;
  if (away === undefined || !isAlone) userStatuses.set(tx, user, { change, place });
}
