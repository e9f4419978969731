import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { QueueOptions } from '../../src/domain/wire/events/queue-options.ts';
import * as eventQueues from '../../src/operations/access/event-queues.ts';
import * as messages from '../../src/operations/posting/messages.ts';
import type { RealmTransaction } from '../../storage/transaction.ts';
import type { IrcMessage } from '../fixtures/irc.ts';
import { TOPIC } from '../load/speaker.ts';
import { addChannel, SITE, userOf } from './realm.ts';
import { fill, openStore, type Store } from './search-store.ts';

/** The rows that a realm gets while no server has its store. */
type StoredKind = 'channels' | 'messages' | 'log' | 'queues';

interface Growth {
  readonly sizes: Readonly<Record<StoredKind, number>>;
  readonly texts: readonly IrcMessage[];
  readonly ownerId: number;
  /** Subscribers of the channel that is sent to; the first of them listens. */
  readonly people: readonly number[];
  readonly channel: string;
}

export const grownChannel = (index: number): string => `grown ${index}`;

/** Enlarges the one realm of a data directory. */
export async function grow(data: string, growth: Growth): Promise<void> {
  const [realm] = readdirSync(join(data, 'realms'));
  if (realm === undefined) throw new Error(`there is no realm in ${data}`);
  const store = await openStore(join(data, 'realms', realm), {
    script: { populate: () => {}, sending: (index) => sending(growth, index) },
    isIndexed: true,
  });
  try {
    const { sizes } = growth;
    // First, as it removes the events of what it makes.
    await fillWithMessages(store, sizes.messages);
    await inSteps(store, sizes.channels, addChannelOf(growth));
    await inSteps(store, sizes.log, addEvent);
    await inSteps(store, sizes.queues, addQueueOf(growth));
  } finally {
    await store.store.close();
  }
}

type Step = (tx: RealmTransaction, index: number) => void;

const addChannelOf =
  ({ ownerId, people }: Growth): Step =>
  (tx, index) => {
    const name = grownChannel(index);
    addChannel(tx, { name, people: [ownerId, ...people.slice(0, 1)] });
    // The first message of a topic costs more than those that follow, of which the load sends.
    say(tx, ownerId, { channel: name, topic: TOPIC, content: 'the first' });
  };

// The smallest events there are: it is their number that is looked at.
const addEvent: Step = (tx) =>
  tx.emit({ event: { type: 'heartbeat' }, audience: { heartbeat: true } });

// The detached queues belong to this many users.
const QUEUE_OWNERS_MAX = 100;

const addQueueOf =
  ({ people }: Growth): Step =>
  (tx, index) => {
    const userId = people[index % Math.min(people.length, QUEUE_OWNERS_MAX)];
    if (userId !== undefined) eventQueues.add(tx, { userId }, QUEUE_OPTIONS);
  };

/**
 * A queue that hears of messages, and that lives for as long as the run though nobody takes
 * anything from it.
 */
export const QUEUE_OPTIONS: QueueOptions = {
  applyMarkdown: true,
  clientGravatar: true,
  slimPresence: false,
  allPublicChannels: false,
  eventTypes: ['message'],
  narrow: [],
  capabilities: { empty_topic_name: true },
  idleSeconds: 3_600,
};

// In one commit; more would only make it longer.
const STEPS_PER_COMMIT = 500;

async function inSteps(store: Store, size: number, step: Step): Promise<void> {
  for (let start = 0; start < size; start += STEPS_PER_COMMIT) {
    const end = Math.min(size, start + STEPS_PER_COMMIT);
    await commit(store, (tx) => {
      for (let index = start; index < end; index++) step(tx, index);
    });
  }
}

async function commit({ store }: Store, operation: (tx: RealmTransaction) => void): Promise<void> {
  const outcomes = await store.commit(() => [operation], Date.now);
  for (const outcome of outcomes) if ('error' in outcome) throw outcome.error;
}

/**
 * Their events are removed: the log is another kind of growth, and trimming it would go on beside
 * the measurement.
 */
async function fillWithMessages(store: Store, size: number): Promise<void> {
  await fill(store, size);
  for (let isMore = true; isMore; ) {
    await commit(store, (tx) => {
      const old = [...tx.events.keys({ limit: STEPS_PER_COMMIT })].slice(0, STEPS_PER_COMMIT);
      for (const key of old) tx.events.remove(key);
      isMore = old.length === STEPS_PER_COMMIT;
    });
  }
}

// Real days have some hundred messages each.
const MESSAGES_PER_TOPIC = 300;

function sending({ texts, ownerId, channel }: Growth, index: number) {
  const content = texts[index % texts.length]?.text ?? '';
  const topic = `topic ${Math.floor(index / MESSAGES_PER_TOPIC)}`;
  return (tx: RealmTransaction) => say(tx, ownerId, { channel, topic, content });
}

interface Said {
  readonly channel: string;
  readonly topic: string;
  readonly content: string;
}

function say(tx: RealmTransaction, senderId: number, { channel, topic, content }: Said): void {
  const id = tx.channelNames.get([channel.toLowerCase()])?.channelId;
  const row = id === undefined ? undefined : tx.channels.get([id]);
  if (row === undefined) throw new Error(`there is no channel ${channel}`);
  messages.send(
    tx,
    { user: userOf(tx, senderId), site: SITE, client: 'bench' },
    { destination: { channel: row, topic }, content, isReadBySender: true, repeatKeys: [] },
  );
}
