import { app } from './app.ts';
import { sayFault } from './notices.ts';
import { isNarrow, narrowOf, type Place } from './route.ts';

/** The server takes no more at once. */
const MARKED_AT_ONCE = 1_000;
/** A conversation with more unread messages is marked by several clicks. */
const ROUNDS_MAX = 50;

/** Marks a channel or a conversation as read. The events that follow change the counts. */
export async function markRead(place: Place): Promise<void> {
  const narrow = [...narrowOf(place), ...isNarrow('unread')];
  try {
    let anchor: number | 'oldest' = 'oldest';
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const reply = (await app.chat.call('POST', '/messages/flags/narrow', {
        ...{ anchor, include_anchor: true, num_before: 0, num_after: MARKED_AT_ONCE },
        ...{ op: 'add', flag: 'read', narrow },
      })) as { found_newest: boolean; last_processed_id: number | null };
      if (reply.found_newest || reply.last_processed_id === null) return;
      anchor = reply.last_processed_id;
    }
  } catch (error) {
    sayFault(error);
  }
}
