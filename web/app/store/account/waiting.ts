import type { OutboxEntry as Sending } from '@confab/client';
import { computed, signal } from '@preact/signals';
import { app } from '../app.ts';
import type { Outbox, OutboxEntry } from '../feed/feed-store.ts';

/** Messages that the server has taken, until their events come. */
const sent = signal<ReadonlyMap<string, OutboxEntry>>(new Map());

/** The event of a message comes with the answer, or never, where it is not for this account. */
const SENT_KEPT_MS = 10_000;

const EXPIRED = 'It has waited for more than a day, so that it is not sent by itself any more.';

/** The messages that wait, that were refused, or that were sent a moment ago. */
export const waiting: Outbox = {
  entries: computed(() => [...sent.value.values(), ...app.outbox.value.map(shown)]),
  retry: (key) => app.chat.outbox.retry(key),
  discard: (key) => app.chat.outbox.discard(key),
};

function shown(entry: Sending): OutboxEntry {
  const { key, message, state, refusal, id } = entry;
  const { type, to, topic = '', content } = message;
  const isDirect = type === 'direct' || type === 'private';
  const ids = [to].flat().map(Number);
  return {
    key,
    state: state === 'expired' ? 'refused' : state,
    content,
    refusal: state === 'expired' ? EXPIRED : (refusal?.message ?? null),
    type: isDirect ? 'direct' : 'channel',
    channelId: isDirect ? null : (ids[0] ?? null),
    topic,
    userIds: isDirect ? ids : [],
    id: id ?? null,
  };
}

const followed = new Set<string>();

/** Keeps what was sent in sight until its event is here. */
export function openWaiting(): void {
  app.outbox.subscribe((entries) => {
    for (const entry of entries) {
      if (entry.state !== 'pending' || followed.has(entry.key)) continue;
      followed.add(entry.key);
      entry.sent.then(
        ({ id }) => keep({ ...shown(entry), state: 'sent', id }),
        () => followed.delete(entry.key),
      );
    }
  });
}

function keep(entry: OutboxEntry): void {
  followed.delete(entry.key);
  sent.value = new Map(sent.value).set(entry.key, entry);
  setTimeout(() => {
    const left = new Map(sent.value);
    left.delete(entry.key);
    sent.value = left;
  }, SENT_KEPT_MS);
}
