import {
  IMPORTED_UNREAD_MAX,
  IMPORTED_UNREAD_PER_MESSAGE_MAX,
} from '../../domain/limits/archives.ts';
import type { PastMessage } from '../../operations/importing/history.ts';
import type { HistoryChannel, HistoryMessage } from '../history.ts';
import type { Names } from './contents.ts';
import type { Report } from './report.ts';

interface Input {
  readonly names: Names;
  readonly channels: readonly HistoryChannel[];
  readonly report: Report;
}

interface Placed {
  readonly senderId: number;
  readonly to: PastMessage['to'];
  /** Users who have a flag of the message. */
  readonly flagged: readonly number[];
}

/**
 * Returns who has not read a message. A mark is a row, so their number is bounded; the report
 * counts the others, whose messages count as read.
 */
export function openUnread({ names, channels, report }: Input) {
  let left = IMPORTED_UNREAD_MAX;
  // The times until which people have read, by channel and then by their ids here.
  const readUntil = new Map<string, Map<number, number>>();
  for (const { id, readUntil: times } of channels) {
    const known = Array.from(times ?? [], ([user, time]) => [names.user(user), time] as const);
    const here = known.flatMap(([user, time]) =>
      user === undefined ? [] : [[user, time] as const],
    );
    if (here.length > 0) readUntil.set(id, new Map(here));
  }

  function marked<Id>(id: string, unreadBy: readonly Id[]): readonly Id[] {
    const kept = unreadBy.slice(0, Math.min(left, IMPORTED_UNREAD_PER_MESSAGE_MAX));
    left -= kept.length;
    const count = unreadBy.length - kept.length;
    const why = 'There are too many of them.';
    if (count > 0) report.skip({ what: 'unread mark', row: id, count, why });
    return kept;
  }

  return {
    of(row: HistoryMessage, { senderId, to, flagged }: Placed) {
      const others = (ids: readonly number[]) => ids.filter((id) => id !== senderId);
      if ('userIds' in to) {
        const read = row.readBy === undefined ? undefined : new Set(names.users(row.readBy));
        const unreadBy = read === undefined ? [] : to.userIds.filter((id) => !read.has(id));
        return { unreadBy: marked(row.id, others(unreadBy)), notReadBy: [], readBy: [] };
      }
      const times = 'channel' in row.to ? readUntil.get(row.to.channel) : undefined;
      const hasNotReached = (id: number) => (times?.get(id) ?? row.sentAt) < row.sentAt;
      return {
        unreadBy: others(names.users(marked(row.id, row.unreadBy ?? []))),
        notReadBy: others(flagged.filter(hasNotReached)),
        readBy: hasNotReached(senderId) ? [senderId] : [],
      };
    },
  };
}
