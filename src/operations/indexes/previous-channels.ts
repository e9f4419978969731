import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import { isWithinAny, NOTHING } from '../../domain/rules/messages/read-state.ts';
import type { Presence } from '../../domain/wire/events/log-entry.ts';
import type { Reads } from '../access/groups.ts';

type PreviousChannels = Presence['places'];

/**
 * Returns the channels that messages were moved from, with the times of their arrival and
 * departure.
 */
export function previousChannels(tx: Reads, rows: readonly MessageRow[]): PreviousChannels {
  const at = new Map<number, Set<number>>();
  const note = (channelId: number, number: number) => {
    const numbers = at.get(channelId);
    if (numbers === undefined) at.set(channelId, new Set([number]));
    else numbers.add(number);
  };
  for (const { id, homeChannelId } of rows) {
    if (homeChannelId === null) continue;
    const { moves } = tx.movedOutMessages.get([homeChannelId, id]) ?? { moves: [] };
    let [channelId, came] = [homeChannelId, id];
    for (let index = 0; index < moves.length; index += 2) {
      const left = moves[index + 1] ?? 0;
      note(channelId, came);
      note(channelId, left);
      [channelId, came] = [moves[index] ?? 0, left];
    }
  }
  return Array.from(at, ([channelId, numbers]) => ({ channelId, at: [...numbers] }));
}

/** Returns all users who were in one of these channels at one of its numbers. */
export function peopleOf(tx: Reads, channels: PreviousChannels): Set<number> {
  const people = new Set<number>();
  for (const { channelId, at } of channels) {
    for (const [[, userId], { received }] of tx.subscriptions.under([channelId])) {
      if (isWithinAny(received, at)) people.add(userId);
    }
  }
  return people;
}

export const wasIn = (
  tx: Reads,
  userId: number,
  { channelId, at }: PreviousChannels[number],
): boolean => isWithinAny(tx.subscriptions.get([channelId, userId])?.received ?? NOTHING, at);
