import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { MaterializedView, ViewKind } from '../../../storage/views.ts';
import { isIn } from '../../domain/ascending.ts';
import { membersOf } from '../access/groups.ts';

/**
 * Returns the users whom the mention of a group reaches in a channel now: its active members who
 * are subscribed, ascending. The array stays the same as long as the users do, since groups are
 * mentioned again and again.
 */
export const reachOf = (
  tx: RealmTransaction,
  { groupId, channelId }: GroupInChannel,
): readonly number[] => tx.view(REACHES).of(tx, { groupId, channelId });

interface GroupInChannel {
  readonly groupId: number;
  readonly channelId: number;
}

interface Reach {
  readonly members: readonly number[];
  readonly reached: readonly number[];
}

/** Ids in the cached lists, some megabytes; if there are more, the cache is cleared. */
const IDS_MAX = 1_000_000;
/** Overhead of a list, in ids. */
const IDS_PER_LIST = 16;

const weightOf = (ids: readonly number[]) => IDS_PER_LIST + ids.length;

export class Reaches implements MaterializedView {
  /** The members of each group. */
  private readonly members = new Map<number, readonly number[]>();
  /** The reached users by channel and group. */
  private readonly reached = new Map<number, Map<number, readonly number[]>>();
  private weight = 0;
  private readonly weightMax: number;

  constructor(weightMax = IDS_MAX) {
    this.weightMax = weightMax;
  }

  of(tx: RealmTransaction, { groupId, channelId }: GroupInChannel): readonly number[] {
    const known = this.reached.get(channelId)?.get(groupId);
    if (known !== undefined) return known;
    const members = this.members.get(groupId) ?? membersOf(tx, groupId);
    const reached = members.filter((id) => tx.subscriptions.get([channelId, id])?.isActive);
    const added = weightOf(reached) + (this.members.has(groupId) ? 0 : weightOf(members));
    if (this.weight + added > this.weightMax) this.forgetAll();
    this.keep({ groupId, channelId }, { members, reached });
    return reached;
  }

  changed(table: string, key: readonly (string | number)[], row: object | undefined) {
    if (table !== 'subscriptions') return this.forgetAll();
    const [channelId, userId] = key as readonly [number, number]; // of this table
    const isActive = (row as { isActive?: boolean } | undefined)?.isActive === true;
    const ofChannel = this.reached.get(channelId);
    if (ofChannel === undefined) return;
    // Most writes store how far a user has read, and change nothing here.
    for (const [groupId, reached] of ofChannel) {
      if (isIn(reached, userId) === isActive || !isIn(this.members.get(groupId) ?? [], userId))
        continue;
      ofChannel.delete(groupId);
      this.weight -= weightOf(reached);
    }
  }

  private keep({ groupId, channelId }: GroupInChannel, { members, reached }: Reach) {
    if (!this.members.has(groupId)) this.weight += weightOf(members);
    this.members.set(groupId, members);
    const ofChannel = this.reached.get(channelId) ?? new Map<number, readonly number[]>();
    this.reached.set(channelId, ofChannel.set(groupId, reached));
    this.weight += weightOf(reached);
  }

  private forgetAll() {
    this.members.clear();
    this.reached.clear();
    this.weight = 0;
  }
}

const REACHES: ViewKind<
  'users' | 'waitingMembers' | 'groupMembers' | 'subgroups' | 'subscriptions',
  Reaches
> = {
  tables: ['users', 'waitingMembers', 'groupMembers', 'subgroups', 'subscriptions'],
  open: () => new Reaches(),
};
