import { Role } from '../../src/domain/wire/roles.ts';
import type { Caller } from '../../src/operations/access/caller.ts';
import * as realms from '../../src/operations/access/realms.ts';
import * as messages from '../../src/operations/posting/messages.ts';
import * as searchIndex from '../../src/operations/search/index.ts';
import * as users from '../../src/operations/users/users.ts';
import { openRealmStore, type RealmStore } from '../../storage/store.ts';
import type { RealmTransaction } from '../../storage/transaction.ts';
import type { IrcMessage } from '../fixtures/irc.ts';
import { addChannel, SITE } from './realm.ts';

export const USERS = 500;
const CHANNELS = 20;
/** Channels that the member is in: the first three. The owner is in all. */
const CHANNELS_OF_MEMBER = 3;
export const OWNER = 1;
export const MEMBER = 2;
/** Sends that share a commit. */
const IN_FLIGHT = 64;

export interface Store {
  readonly store: RealmStore;
  readonly path: string;
  sentCount(): number;
  /** Sends the next messages. */
  send(count: number): Promise<Cost>;
  /** Brings the index up to date. */
  catchUp(): Promise<void>;
}

export interface Cost {
  readonly count: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly commitMs: readonly number[];
}

/** A message and its destination. */
export interface Script {
  /** The first operation of the realm. */
  readonly populate: (tx: RealmTransaction) => void;
  /** Sends the message of this index. */
  readonly sending: (index: number) => (tx: RealmTransaction) => unknown;
}

/**
 * Sends real messages to a few channels. When they are at an end, they begin again with some words
 * changed.
 */
export const searched = (texts: readonly IrcMessage[]): Script => ({
  populate,
  sending: (index) => sending(texts, index),
});

/** A realm that is sent messages, some of which share each commit. */
export async function openStore(
  path: string,
  { script, isIndexed }: { script: Script; isIndexed: boolean },
): Promise<Store> {
  const store = openRealmStore(path);
  let now = 1_700_000_000_000;
  let sent = store.reader.counters.get(['counters'])?.message ?? 0;
  const commit = (operations: readonly ((tx: RealmTransaction) => unknown)[]) => {
    now += 1000;
    return store.commit(
      () => operations,
      () => now,
    );
  };
  if (store.reader.realm.get(['realm']) === undefined) {
    for (const outcome of await commit([script.populate]))
      if ('error' in outcome) throw outcome.error;
  }

  async function indexStep(): Promise<boolean> {
    if (!isIndexed || searchIndex.nextAt(store.reader) === undefined) return false;
    const [outcome] = await commit([searchIndex.step]);
    if (outcome === undefined || 'error' in outcome) throw outcome?.error;
    return true;
  }

  return {
    store,
    path,
    sentCount: () => sent,
    async send(count) {
      const commitMs: number[] = [];
      const start = performance.now();
      const cpu = process.cpuUsage();
      for (const end = sent + count; sent < end; ) {
        const before = performance.now();
        const batch = Math.min(IN_FLIGHT, end - sent);
        const sends = Array.from({ length: batch }, (_, index) => script.sending(sent + index));
        // As the scheduler does: its step shares the commit of what is sent meanwhile.
        const isDue = isIndexed && searchIndex.nextAt(store.reader) !== undefined;
        const outcomes = await commit(isDue ? [...sends, searchIndex.step] : sends);
        for (const outcome of outcomes) if ('error' in outcome) throw outcome.error;
        sent += batch;
        commitMs.push(performance.now() - before);
      }
      const { user, system } = process.cpuUsage(cpu);
      const seconds = (performance.now() - start) / 1000;
      return { count, seconds, cpuSeconds: (user + system) / 1e6, commitMs };
    },
    async catchUp() {
      while (await indexStep());
    },
  };
}

/** Sends in one turn, between two looks at what comes of it. */
export const TURN = 1_000;

/** Sends until the store has so many messages, and brings the index up to date. */
export async function fill(
  store: Store,
  countWanted: number,
  onSent: (part: number) => void = () => {},
): Promise<readonly Cost[]> {
  const count = countWanted - store.sentCount();
  const costs: Cost[] = [];
  for (let sent = 0; sent < count; sent += TURN) {
    costs.push(await store.send(Math.min(TURN, count - sent)));
    onSent(Math.min(1, (sent + TURN) / count));
  }
  await store.catchUp();
  return costs;
}

export function callerOf(store: Pick<RealmStore, 'reader'>, userId: number): Caller {
  const user = store.reader.users.get([userId]);
  if (user === undefined) throw new Error(`there is no user ${userId}`);
  return { user, site: SITE, client: 'bench' };
}

/**
 * A realm of so many people, of whom the first owns it. Their ids follow from their order, from 1.
 */
export function addPeople(tx: RealmTransaction): void {
  realms.create(tx, { id: 1, stringId: 'bench', name: 'Bench' });
  for (let index = 0; index < USERS; index++) {
    const role = index === 0 ? Role.owner : Role.member;
    const email = `user-${index}@bench.example.com`;
    users.create(tx, { email, fullName: `User ${index}`, role }, SITE);
  }
}

function populate(tx: RealmTransaction) {
  addPeople(tx);
  for (let channel = 1; channel <= CHANNELS; channel++) {
    const people = channel <= CHANNELS_OF_MEMBER ? [OWNER, MEMBER] : [OWNER];
    addChannel(tx, { name: `channel ${channel}`, people });
  }
}

function sending(texts: readonly IrcMessage[], index: number) {
  const { nick, text } = messageAt(texts, index);
  const place = placeOf(texts, index);
  return (tx: RealmTransaction) => {
    const channel = tx.channels.get([place.channel]);
    const user = tx.users.get([1 + (hashOf(nick) % USERS)]);
    if (channel === undefined || user === undefined) throw new Error('the realm is not there');
    messages.send(
      tx,
      { user, site: SITE, client: 'bench' },
      {
        destination: { channel, topic: place.topic },
        content: contentOf(text, roundOf(texts, index)),
        isReadBySender: true,
        repeatKeys: [],
      },
    );
  };
}

/** Returns the destination of the message with this index. */
export function placeOf(texts: readonly IrcMessage[], index: number) {
  const { date } = messageAt(texts, index);
  return { channel: 1 + (hashOf(date) % CHANNELS), topic: `${date} ${roundOf(texts, index)}` };
}

const roundOf = (texts: readonly IrcMessage[], index: number) => Math.floor(index / texts.length);

function messageAt(texts: readonly IrcMessage[], index: number): IrcMessage {
  const message = texts[index % texts.length];
  if (message === undefined) throw new Error('there are no messages');
  return message;
}

/**
 * Other words in each round, as a realm that grows has other words; a line in a hundred is of
 * another script.
 */
export function contentOf(text: string, round: number): string {
  if (hashOf(text) % 100 === 0) return unspaced(hashOf(`${text}${round}`));
  if (round === 0) return text;
  return text.replace(/[a-z]{5,}/g, (word) =>
    hashOf(`${word}${round}`) % 10 === 0 ? `${word}${round.toString(36)}` : word,
  );
}

/** Characters of a hash: some frequent, most rare. */
function unspaced(hash: number): string {
  let state = hash;
  return Array.from({ length: 4 + (hash % 20) }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCodePoint(0x4e00 + Math.floor(3000 * (state / 2 ** 32) ** 3));
  }).join('');
}

export function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 16_777_619);
  }
  return hash >>> 0;
}
