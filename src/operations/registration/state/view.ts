import type { ChannelRow } from '../../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../../storage/tables/people/users.ts';
import type { QueueOptions } from '../../../domain/wire/events/queue-options.ts';
import type { Site } from '../../access/caller.ts';
import { accounts as allAccounts, type Reads } from '../../access/groups.ts';
import type { PeopleView } from './people-view.ts';

export type IncludeSubscribers = 'true' | 'false' | 'partial';
export type State = Record<string, unknown>;

/** The viewer of a snapshot, and the forms that their client wants. */
export interface View {
  readonly tx: Reads;
  readonly user: UserRow;
  readonly site: Site;
  /** UNIX milliseconds. */
  readonly now: number;
  readonly clientGravatar: boolean;
  readonly capabilities: QueueOptions['capabilities'];
  readonly includeSubscribers: IncludeSubscribers;
  /** True if presences are by user id and not by address. */
  readonly slimPresence?: boolean;
  readonly presenceHistoryDays?: number;
  /** Returns all channels of the realm, ascending by id. */
  readonly channels: () => readonly ChannelRow[];
  /** Returns all accounts, ascending by id. */
  readonly accounts: () => readonly UserRow[];
  /** The materialized view of people, within a transaction. */
  readonly people?: PeopleView;
  /** Returns the ids of the active accounts. */
  readonly activeIds: () => ReadonlySet<number>;
}

/**
 * Makes a view, which reads channels and accounts at their first use, and only once for all parts
 * of a snapshot.
 */
export function viewOf(view: Omit<View, 'channels' | 'accounts' | 'activeIds'>): View {
  let channels: readonly ChannelRow[] | undefined;
  let accounts: readonly UserRow[] | undefined;
  let activeIds: ReadonlySet<number> | undefined;
  const readAccounts = () => {
    accounts ??= view.people?.accounts() ?? Array.from(allAccounts(view.tx));
    return accounts;
  };
  return {
    ...view,
    channels() {
      channels ??= Array.from(view.tx.channels.range({}), ([, channel]) => channel);
      return channels;
    },
    accounts: readAccounts,
    activeIds() {
      activeIds ??= new Set(
        readAccounts()
          .filter(({ isActive }) => isActive)
          .map(({ id }) => id),
      );
      return activeIds;
    },
  };
}
