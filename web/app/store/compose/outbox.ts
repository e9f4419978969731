import type { OutboxEntry as ChatEntry } from '@confab/client';
import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Outbox, OutboxEntry } from '../feed/feed-store.ts';
import type { WireEvent } from '../feed/message.ts';

/** A message that was sent is shown as such until its event is there, or for so long. */
const SENT_SHOWN_MS = 10_000;

interface Sender {
  readonly retry: (key: string) => void;
  readonly discard: (key: string) => void;
}

/**
 * The outbox as the feed shows it. What has left it stays until its message is there, so that it is
 * never out of sight between the two.
 */
export class OutboxView implements Outbox {
  readonly entries: Signal<readonly OutboxEntry[]> = signal([]);
  readonly #sender: () => Sender;
  /** Keys whose messages came by events, which may be before the answer to the send. */
  readonly #arrived = new Set<string>();
  #before = new Map<string, ChatEntry>();

  constructor(source: ReadonlySignal<readonly ChatEntry[]>, sender: () => Sender) {
    this.#sender = sender;
    effect(() => this.#changed(source.value));
  }

  retry = (key: string): void => this.#sender().retry(key);
  discard = (key: string): void => this.#sender().discard(key);

  /** Takes away what has come back as a message. */
  apply(event: WireEvent): void {
    const key = event['local_message_id'];
    if (event.type !== 'message' || typeof key !== 'string') return;
    this.#arrived.add(key);
    if (this.#arrived.size > ARRIVED_MAX) this.#arrived.clear();
    this.#remove(key);
  }

  #changed(entries: readonly ChatEntry[]) {
    const present = new Set(entries.map(({ key }) => key));
    const left = [...this.#before.values()].filter(({ key }) => !present.has(key));
    this.#before = new Map(entries.map((entry) => [entry.key, entry]));
    const shown = entries.filter(({ key }) => !this.#arrived.has(key)).map(shownAs);
    const stay = this.entries
      .peek()
      .filter(({ key }) => !present.has(key) && !this.#arrived.has(key));
    this.entries.value = [...stay, ...shown];
    for (const entry of left) void this.#watch(entry);
  }

  /** Follows an entry that has left: it was sent, or thrown away. */
  async #watch(entry: ChatEntry) {
    try {
      const { id } = await entry.sent;
      this.entries.value = this.entries
        .peek()
        .map((one) => (one.key === entry.key ? { ...one, state: 'sent', id } : one));
      setTimeout(() => this.#remove(entry.key), SENT_SHOWN_MS);
    } catch {
      this.#remove(entry.key);
    }
  }

  #remove(key: string) {
    this.entries.value = this.entries.peek().filter((one) => one.key !== key);
  }
}

/** Keys are kept for the time between an event and an answer. */
const ARRIVED_MAX = 1_000;

const EXPIRED = 'It is old, and may have been sent already. Look before you send it again.';

function shownAs({ key, state, message, refusal, id }: ChatEntry): OutboxEntry {
  const isDirect = message.type === 'direct' || message.type === 'private';
  const { to } = message;
  const ids = Array.isArray(to) ? to.filter((one) => typeof one === 'number') : [];
  return {
    key,
    state: state === 'expired' ? 'refused' : state,
    content: message.content,
    refusal: state === 'expired' ? EXPIRED : (refusal?.message ?? null),
    type: isDirect ? 'direct' : 'channel',
    channelId: typeof to === 'number' ? to : null,
    topic: message.topic ?? '',
    userIds: isDirect ? ids : [],
    id: id ?? null,
  };
}
