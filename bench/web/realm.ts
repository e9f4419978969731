import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Role } from '../../src/domain/wire/roles.ts';
import * as messages from '../../src/operations/posting/messages.ts';
import * as searchIndex from '../../src/operations/search/index.ts';
import * as users from '../../src/operations/users/users.ts';
import { openRealmStore, type RealmStore } from '../../storage/store.ts';
import type { RealmTransaction } from '../../storage/transaction.ts';
import { usersOfNicks, withMention } from '../fixtures/irc.ts';
import { addChannel, SITE, userOf } from '../stores/realm.ts';
import type { Line } from './corpus.ts';

/** The size of an organization for which the budgets are. */
export interface RealmSize {
  readonly people: number;
  readonly channels: number;
  readonly messages: number;
}

export const WHOLE: RealmSize = { people: 1_000, channels: 500, messages: 100_000 };

/** The channel that a realm was filled with. */
export interface Filled {
  readonly channelId: number;
  readonly channelName: string;
  /** The topics of the channel with how many messages each has, in the order of their days. */
  readonly topics: ReadonlyMap<string, number>;
  /** The ids of its messages, ascending. */
  readonly ids: readonly number[];
}

/** The channel with all the messages. */
const CHANNEL = 'lobby';
/** Subscribers of it, besides its readers. */
const LISTENERS = 50;
/** The messages lie on so many days that end now. */
const DAYS = 90;
const DAY_MS = 86_400_000;
const MESSAGES_PER_COMMIT = 250;

/** Fills the one realm of a data directory, whose server is stopped, for these of its people. */
export async function fillRealm(
  data: string,
  parts: {
    readonly size: RealmSize;
    readonly lines: readonly Line[];
    /** The first one owns the channels; all of them are subscribed to them. */
    readonly readerIds: readonly number[];
    readonly onPart: (part: number) => void;
  },
): Promise<Filled> {
  const { size, lines, readerIds, onPart } = parts;
  const [realm] = readdirSync(join(data, 'realms'));
  if (realm === undefined) throw new Error(`there is no realm in ${data}`);
  const store = openRealmStore(join(data, 'realms', realm));
  const startedAt = Date.now();
  const people = peopleOf(lines, size.people);
  const topics = new Map<string, number>();
  const ids: number[] = [];
  try {
    await commit(store, startedAt, (tx) => addPeople(tx, people));
    await addChannels(store, startedAt, { count: size.channels, readerIds, people });
    const channelId = store.reader.channelNames.get([CHANNEL])?.channelId;
    if (channelId === undefined) throw new Error('the channel is not there');
    const known = [...people.values()];
    for (let from = 0; from < size.messages; from += MESSAGES_PER_COMMIT) {
      const end = Math.min(size.messages, from + MESSAGES_PER_COMMIT);
      const at = startedAt - DAYS * DAY_MS * (1 - end / size.messages);
      await commit(store, at, (tx) => {
        const channel = tx.channels.get([channelId]);
        if (channel === undefined) throw new Error('the channel is gone');
        for (let index = from; index < end; index += 1) {
          const line = lines[index % lines.length];
          if (line === undefined) throw new Error('there are no messages to send');
          const topic = line.date;
          const sender = people.get(line.nick) ?? known[index % known.length];
          const caller = { user: userOf(tx, sender?.id ?? 1), site: SITE, client: 'bench' };
          const content = withMention(line.text, people).content;
          const sent = { content, isReadBySender: true, repeatKeys: [] };
          ids.push(messages.send(tx, caller, { destination: { channel, topic }, ...sent }).id);
          topics.set(topic, (topics.get(topic) ?? 0) + 1);
        }
        // There are no queues yet: the log would only be trimmed beside the measurement.
        for (const key of [...tx.events.keys({ limit: 4 * MESSAGES_PER_COMMIT })])
          tx.events.remove(key);
        searchIndex.step(tx);
      });
      onPart(end / size.messages);
    }
    while (searchIndex.nextAt(store.reader) !== undefined) {
      await commit(store, startedAt, searchIndex.step);
    }
    return { channelId, channelName: CHANNEL, topics, ids };
  } finally {
    await store.close();
  }
}

interface Known {
  readonly full_name: string;
  readonly email: string;
  id: number;
}

/** Returns the people who wrote most, and made ones where there are too few. */
function peopleOf(lines: readonly Line[], count: number): Map<string, Known> {
  const counts = new Map<string, number>();
  for (const { nick } of lines) counts.set(nick, (counts.get(nick) ?? 0) + 1);
  const most = [...counts].sort(([, one], [, other]) => other - one).map(([nick]) => nick);
  const nicks = [
    ...most.slice(0, count),
    ...Array.from({ length: count }, (_, at) => `Guest ${at}`),
  ];
  const known = usersOfNicks(new Set(nicks.slice(0, count)));
  return new Map([...known].map(([nick, user]) => [nick, { ...user, id: 0 }]));
}

function addPeople(tx: RealmTransaction, people: ReadonlyMap<string, Known>) {
  for (const person of people.values()) {
    const { full_name: fullName, email } = person;
    person.id = users.create(tx, { email, fullName, role: Role.member }, SITE).id;
  }
}

const KINDS = ['design', 'support', 'releases', 'translations', 'events', 'infrastructure'];

async function addChannels(
  store: RealmStore,
  at: number,
  of: {
    readonly count: number;
    readonly readerIds: readonly number[];
    readonly people: ReadonlyMap<string, Known>;
  },
) {
  const listeners = [...of.people.values()].slice(0, LISTENERS).map(({ id }) => id);
  await commit(store, at, (tx) => {
    addChannel(tx, { name: CHANNEL, people: [...of.readerIds, ...listeners] });
  });
  for (let from = 0; from < of.count; from += 100) {
    await commit(store, at, (tx) => {
      for (let index = from; index < Math.min(of.count, from + 100); index += 1) {
        const name = `${KINDS[index % KINDS.length]} ${index + 1}`;
        addChannel(tx, { name, people: of.readerIds });
      }
    });
  }
}

async function commit(store: RealmStore, at: number, operation: (tx: RealmTransaction) => unknown) {
  const outcomes = await store.commit(
    () => [operation],
    () => at,
  );
  for (const outcome of outcomes) if ('error' in outcome) throw outcome.error;
}
