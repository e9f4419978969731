import { signal } from '@preact/signals';
import { app } from '../app.ts';
import { sayFault } from '../notices.ts';
import { Recent, type Said } from './recent.ts';

/** The conversations of the newest messages, kept true by events once they were asked for. */
export const recent = new Recent();

export type Loading = 'not-yet' | 'loading' | 'more' | 'all';

/** The state of the list: older messages can be asked for, are on their way, or there are none. */
export const loading = signal<Loading>('not-yet');

const MESSAGES_AT_ONCE = 400;

interface ListedMessage {
  readonly id: number;
  readonly sender_id: number;
  readonly timestamp: number;
  readonly type: 'stream' | 'private';
  readonly stream_id?: number;
  readonly subject: string;
  readonly display_recipient: string | readonly { readonly id: number }[];
}

/** Asks for the newest messages, or for those before the ones that are known. */
export async function loadRecent(): Promise<void> {
  if (loading.value === 'loading' || loading.value === 'all') return;
  loading.value = 'loading';
  try {
    const { messages, found_oldest: isAll } = (await app.chat.call('GET', '/messages', {
      anchor: recent.oldestId ?? 'newest',
      include_anchor: false,
      num_before: MESSAGES_AT_ONCE,
      num_after: 0,
      allow_empty_topic_name: true,
    })) as { messages: readonly ListedMessage[]; found_oldest: boolean };
    recent.add(messages.map(saidIn));
    loading.value = isAll ? 'all' : 'more';
  } catch (error) {
    loading.value = 'more';
    sayFault(error);
  }
}

function saidIn(message: ListedMessage): Said {
  const { id, sender_id: senderId, timestamp, stream_id: channelId, subject } = message;
  return { id, senderId, atMs: timestamp * 1_000, place: placeIn(message, channelId, subject) };
}

function placeIn(
  { display_recipient: recipients }: ListedMessage,
  channelId: number | undefined,
  topic: string,
): Said['place'] {
  if (channelId !== undefined) return { kind: 'topic', channelId, topic };
  const { ownId } = app.read();
  const all = typeof recipients === 'string' ? [] : recipients.map(({ id }) => id);
  const others = all.filter((id) => id !== ownId).sort((one, other) => one - other);
  return { kind: 'dm', userIds: others.length === 0 ? [ownId] : others };
}

interface MessageEvent {
  readonly type: string;
  readonly message?: ListedMessage;
  readonly message_ids?: readonly number[];
  readonly message_id?: number;
  readonly stream_id?: number;
  readonly new_stream_id?: number;
  readonly subject?: string;
}

/** Follows the events of messages, whether the list is shown or not. */
export function openRecent(): void {
  app.onRenewed(() => {
    recent.clear();
    loading.value = 'not-yet';
  });
  app.phase.subscribe((phase) => {
    if (phase === 'open') return;
    recent.clear();
    loading.value = 'not-yet';
  });
  app.onEvents((events) => {
    if (loading.value === 'not-yet') return;
    for (const event of events) follow(event as unknown as MessageEvent);
  });
}

function follow(event: MessageEvent): void {
  if (event.type === 'message' && event.message !== undefined) {
    recent.add([saidIn(event.message)]);
  } else if (event.type === 'delete_message') {
    recent.remove(event.message_ids ?? (event.message_id === undefined ? [] : [event.message_id]));
  } else if (event.type === 'update_message' && event.stream_id !== undefined) {
    const { subject: topic, new_stream_id: moved, stream_id: from, message_ids: ids = [] } = event;
    const channelId = moved ?? from;
    if (topic !== undefined) recent.move(ids, { kind: 'topic', channelId, topic });
    else if (moved !== undefined) recent.moveTo(ids, moved);
  }
}
