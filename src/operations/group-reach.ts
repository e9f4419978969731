import type { Mirror, MirrorKind } from '../../storage/mirrors.ts';
import type { Readers, RealmTransaction } from '../../storage/realm-store.ts';
import { membersOf } from './groups.ts';

/**
 * Those whom the mention of a group reaches in a channel now: its active members who are subscribed, ascending. The list is
 * the same array for as long as it is the same people, as groups are mentioned again and again.
 */
export const reachOf = (
  tx: RealmTransaction,
  { groupId, channelId }: GroupInChannel,
): readonly number[] => tx.mirror(REACHES).of(tx, { groupId, channelId });

interface GroupInChannel {
  readonly groupId: number;
  readonly channelId: number;
}

interface Reach {
  /** Wherever they are. */
  readonly members: ReadonlySet<number>;
  readonly reached: readonly number[];
  readonly isReached: ReadonlySet<number>;
}

/** Groups in channels that are remembered; when there are more, it begins anew. */
const REACHES_MAX = 1_000;

class Reaches implements Mirror {
  /** By channel and group. */
  private readonly known = new Map<number, Map<number, Reach>>();
  private count = 0;

  of(tx: RealmTransaction, { groupId, channelId }: GroupInChannel): readonly number[] {
    const known = this.known.get(channelId)?.get(groupId);
    if (known !== undefined) return known.reached;
    const members = membersOf(tx, groupId);
    const reached = members.filter((id) => tx.subscriptions.get([channelId, id])?.isActive);
    if (this.count >= REACHES_MAX) this.forgetAll();
    const ofChannel = this.known.get(channelId) ?? new Map<number, Reach>();
    ofChannel.set(groupId, { members: new Set(members), reached, isReached: new Set(reached) });
    this.known.set(channelId, ofChannel);
    this.count += 1;
    return reached;
  }

  changed(table: string, key: readonly (string | number)[], row: object | undefined) {
    if (table !== 'subscriptions') return this.forgetAll();
    const [channelId, userId] = key as readonly [number, number]; // of this table
    const isActive = (row as { isActive?: boolean } | undefined)?.isActive === true;
    const ofChannel = this.known.get(channelId);
    if (ofChannel === undefined) return;
    // Most writes say how far somebody has read, and change nothing here.
    for (const [groupId, { members, isReached }] of ofChannel) {
      if (!members.has(userId) || isReached.has(userId) === isActive) continue;
      ofChannel.delete(groupId);
      this.count -= 1;
    }
  }

  private forgetAll() {
    this.known.clear();
    this.count = 0;
  }
}

const REACHES: MirrorKind<Readers, Reaches> = {
  tables: ['users', 'newcomers', 'groupMembers', 'subgroups', 'subscriptions'],
  open: () => new Reaches(),
};
