/** The people of channels: asked for when they are first shown, and kept true by events. */
import { effect, signal } from '@preact/signals';
import { app } from '../app.ts';
import { sayFault } from '../notices.ts';

/** Channels whose people are kept; the one that was asked for first goes first. */
const CHANNELS_MAX = 30;

/** By channel; null while the answer is on its way. */
const lists = signal<ReadonlyMap<number, ReadonlySet<number> | null>>(new Map());

/** The fields of the events that change who is in a channel. */
interface Fields {
  readonly type: string;
  readonly op?: string;
  readonly stream_ids?: readonly number[];
  readonly user_ids?: readonly number[];
  readonly subscriptions?: readonly { readonly stream_id: number }[];
}

/** Returns the people of a channel; undefined until they are known. */
export function subscribersOf(channelId: number): ReadonlySet<number> | undefined {
  return lists.value.get(channelId) ?? undefined;
}

/** Asks for the people of a channel, once. */
export async function loadSubscribers(channelId: number): Promise<void> {
  open();
  if (lists.peek().has(channelId)) return;
  put(channelId, null);
  const noted: Fields[] = [];
  waiting.set(channelId, noted);
  try {
    const { subscribers } = await app.chat.call('GET', '/streams/{stream_id}/members', {
      stream_id: channelId,
    });
    if (waiting.get(channelId) !== noted) return;
    // The answer may be older or newer than the events: the last one about somebody holds.
    let people: ReadonlySet<number> = new Set(subscribers);
    for (const event of noted) people = changed(people, channelId, event);
    put(channelId, people);
  } catch (error) {
    if (waiting.get(channelId) !== noted) return;
    forget(channelId);
    sayFault(error);
  }
  waiting.delete(channelId);
}

/** The events that came since a list was asked for. */
const waiting = new Map<number, Fields[]>();

let isOpen = false;

function open(): void {
  if (isOpen) return;
  isOpen = true;
  app.onEvents((events) => {
    for (const event of events as unknown as readonly Fields[]) {
      if (event.type !== 'subscription') continue;
      for (const [channelId, people] of lists.peek()) {
        waiting.get(channelId)?.push(event);
        if (people === null) continue;
        const after = changed(people, channelId, event);
        if (after !== people) put(channelId, after);
      }
    }
  });
  app.onRenewed(forgetAll);
  effect(() => {
    if (app.phase.value !== 'open') forgetAll();
  });
}

/** Forgets all lists: another account is opened, or events are missing. */
function forgetAll(): void {
  waiting.clear();
  lists.value = new Map();
}

function changed(
  people: ReadonlySet<number>,
  channelId: number,
  { op, stream_ids: ids = [], user_ids = [], subscriptions = [] }: Fields,
): ReadonlySet<number> {
  const isAdded = op === 'peer_add' || op === 'add';
  if (!isAdded && op !== 'peer_remove' && op !== 'remove') return people;
  const isOwn = subscriptions.some(({ stream_id }) => stream_id === channelId);
  if (!isOwn && !ids.includes(channelId)) return people;
  const after = new Set(people);
  for (const id of isOwn ? [app.read().ownId] : user_ids) {
    if (isAdded) after.add(id);
    else after.delete(id);
  }
  return after;
}

function put(channelId: number, people: ReadonlySet<number> | null): void {
  const next = new Map(lists.peek()).set(channelId, people);
  for (const id of next.keys()) {
    if (next.size <= CHANNELS_MAX) break;
    if (id !== channelId && !waiting.has(id)) next.delete(id);
  }
  lists.value = next;
}

function forget(channelId: number): void {
  const next = new Map(lists.peek());
  next.delete(channelId);
  lists.value = next;
}
