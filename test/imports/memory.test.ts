import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serialize } from 'bson';
import { expect, test } from 'vitest';
import { ArchiveError } from '../../src/archives/archive-error.ts';
import { FORMATS } from '../../src/imports/formats/formats.ts';
import { Bound } from '../../src/imports/formats/shared/bounds.ts';
import { HashedNumbers } from '../../src/imports/formats/shared/hashed-numbers.ts';
import { SeenIds } from '../../src/imports/formats/shared/seen.ts';
import { ThreadTopics } from '../../src/imports/formats/shared/topics.ts';
import { byTime } from '../../src/imports/running/by-time.ts';
import type { ArchiveSource } from '../../src/imports/sources/archive-source.ts';

// An import reads gigabytes; nothing that it keeps may grow by the messages.

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const AT = 1_600_000_000;
const TEXT = 'a line of a log, which somebody wrote. '.repeat(25);
const PEOPLE = 20;
const CHANNELS = 4;

type Parts = Iterable<string | Buffer>;

/** An archive whose files are made while they are read, so that the test does not hold them. */
function archiveOf(files: Readonly<Record<string, () => Parts>>): ArchiveSource {
  return {
    names: () => Object.keys(files).sort(),
    has: (entry) => Object.hasOwn(files, entry),
    size: () => 64 * 1024,
    open: async (entry) => Readable.from(bytesOf(files[entry]?.() ?? [])),
    close: async () => {},
  };
}

function* bytesOf(parts: Parts): Generator<Buffer> {
  let pending: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    const bytes = Buffer.from(part as string);
    pending.push(bytes);
    size += bytes.length;
    if (size < 32 * 1024) continue;
    yield Buffer.concat(pending);
    pending = [];
    size = 0;
  }
  yield Buffer.concat(pending);
}

const numbers = (count: number, every = 1) =>
  Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);

function* mapped<Item>(items: Iterable<Item>, partOf: (item: Item) => string | Buffer) {
  for (const item of items) yield partOf(item);
}

function* listed(items: Iterable<number>, rowOf: (item: number) => object): Generator<string> {
  let separator = '';
  for (const item of items) {
    yield `${separator}${JSON.stringify(rowOf(item))}`;
    separator = ',';
  }
}

function* within(before: string, parts: Parts, after: string): Parts {
  yield before;
  yield* parts;
  yield after;
}

function* range(from: number, to: number, every = 1) {
  for (let at = from; at < to; at += every) yield at;
}

const people = numbers(PEOPLE);
const channels = numbers(CHANNELS);
const json = (value: unknown) => () => [JSON.stringify(value)];
const inList = (parts: () => Parts) => () => within('[', parts(), ']');

/** Archives of so many messages in each format; one message in three begins a thread. */
const ARCHIVES: Readonly<Record<string, (count: number) => ArchiveSource>> = {
  irc: (count) =>
    archiveOf(
      Object.fromEntries(
        channels.map((channel) => [
          `tea${channel}/log.jsonl`,
          () =>
            mapped(range(channel, count, CHANNELS), (at) => {
              const [date, time] = new Date((AT + at) * 1000).toISOString().split(/[T.]/);
              return `${JSON.stringify({ date, time, nick: `n${at % PEOPLE}`, text: TEXT })}\n`;
            }),
        ]),
      ),
    ),
  slack(count) {
    const perDay = 50;
    const days = channels.flatMap((channel) =>
      numbers(Math.ceil(count / CHANNELS), perDay).map((from, day) => {
        const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
        const rowOf = (index: number) => {
          const ts = `${AT + index}.${String(channel).padStart(6, '0')}`;
          const thread = index % 3 === 0 ? { thread_ts: ts } : {};
          return { type: 'message', user: `U${index % PEOPLE}`, text: TEXT, ts, ...thread };
        };
        return [
          `tea${channel}/${date}.json`,
          inList(() => listed(range(from, Math.min(from + perDay, count / CHANNELS)), rowOf)),
        ] as const;
      }),
    );
    return archiveOf({
      'users.json': json(people.map((id) => ({ id: `U${id}`, name: `u${id}` }))),
      'channels.json': json(
        channels.map((id) => ({ id: `C${id}`, name: `tea${id}`, members: [] })),
      ),
      ...Object.fromEntries(days),
    });
  },
  mattermost: (count) =>
    archiveOf({
      *'import.jsonl'() {
        const line = (type: string, of: object) => `${JSON.stringify({ type, [type]: of })}\n`;
        for (const id of people) yield line('user', { username: `u${id}` });
        for (const id of channels) yield line('channel', { team: 't', name: `c${id}` });
        for (const at of range(0, count)) {
          const post = { user: `u${at % PEOPLE}`, message: TEXT, create_at: (AT + at) * 1000 };
          const replies = at % 3 === 0 ? [{ ...post, create_at: (AT + at) * 1000 + 1 }] : [];
          yield line('post', { team: 't', channel: `c${at % CHANNELS}`, ...post, replies });
        }
      },
    }),
  rocketchat: (count) =>
    archiveOf({
      'users.bson': () =>
        mapped(people, (id) => Buffer.from(serialize({ _id: `u${id}`, username: `u${id}` }))),
      'rocketchat_room.bson': () =>
        mapped(channels, (id) => Buffer.from(serialize({ _id: `r${id}`, t: 'c', name: `c${id}` }))),
      'rocketchat_message.bson': () =>
        mapped(range(0, count), (at) =>
          Buffer.from(
            serialize({
              _id: `m${at}`,
              rid: `r${at % CHANNELS}`,
              msg: TEXT,
              ts: new Date((AT + at) * 1000),
              u: { _id: `u${at % PEOPLE}` },
              ...(at % 3 === 0 ? { tcount: 1 } : {}),
            }),
          ),
        ),
    }),
  discord: (count) =>
    archiveOf(
      Object.fromEntries(
        channels.map((id) => [
          `${id}.json`,
          () =>
            within(
              `{"guild":{"id":"9"},"channel":{"id":"${id + 1}","type":"GuildTextChat","name":"c${id}"},"messages":[`,
              listed(range(id, count, CHANNELS), (at) => ({
                id: String(100_000 + at),
                type: 'Default',
                timestamp: new Date((AT + at) * 1000).toISOString(),
                content: TEXT,
                author: { id: String(1 + (at % PEOPLE)), name: `u${at % PEOPLE}` },
              })),
              '],"messageCount":1}',
            ),
        ]),
      ),
    ),
  zulip(count) {
    const perFile = 500;
    const tables = {
      zerver_realm: [{ id: 2, string_id: 'tea' }],
      zerver_userprofile: people.map((id) => ({
        id: id + 1,
        full_name: `Person ${id}`,
        role: 400,
      })),
      zerver_stream: channels.map((id) => ({ id: id + 1, name: `c${id}` })),
      zerver_recipient: channels.map((id) => ({ id: id + 1, type: 2, type_id: id + 1 })),
    };
    const files = numbers(count, perFile).map((from, index) => {
      const rowOf = (at: number) => ({
        id: at + 1,
        sender: 1 + (at % PEOPLE),
        recipient: 1 + (at % CHANNELS),
        subject: `topic ${at % 3}`,
        content: TEXT,
        date_sent: AT + at,
      });
      const rows = () => listed(range(from, Math.min(from + perFile, count)), rowOf);
      const name = `messages-${String(index + 1).padStart(6, '0')}.json`;
      return [name, () => within('{"zerver_message":[', rows(), ']}')] as const;
    });
    const reaction = (at: number) => ({
      id: at,
      user_profile: 1 + (at % PEOPLE),
      message: at + 1,
      emoji_name: 'tada',
      emoji_code: '1f389',
      reaction_type: 'unicode_emoji',
    });
    const start = `${JSON.stringify(tables).slice(0, -1)},"zerver_reaction":[`;
    return archiveOf({
      'realm.json': () => within(start, listed(range(0, count), reaction), ']}'),
      ...Object.fromEntries(files),
    });
  },
};

const [FEW, MANY] = [500, 5_000];
/** The few are more than fit into memory here, and their files more than are merged at once. */
const BOUNDS = { charactersMax: 128 * 1024, runsMax: 4 };
/** A message takes some 1,200 bytes; ids that came before and names of threads some dozens. */
const BYTES_PER_MESSAGE_MAX = 300;

function bytesHeld(): number {
  // The bytes of buffers are given back by the second one.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Reads and sorts an archive. Returns the bytes that are held, as `measure` tells them, at the end
 * of the reading, or in the middle of the sorted messages if they are more.
 */
async function mostHeld(format: string, count: number, measure: () => number): Promise<number> {
  const reader = FORMATS[format];
  const archive = ARCHIVES[format]?.(count);
  if (reader === undefined || archive === undefined) throw new Error(`there is no ${format}`);
  const before = measure();
  let most = 0;
  let [read, written] = [0, 0];
  const note = () => {
    most = Math.max(most, measure());
  };
  async function* counted() {
    for await (const row of reader?.read(archive as ArchiveSource, {}) ?? []) {
      if (row.kind === 'message') read += 1;
      if (read === count - 1) note();
      yield row;
    }
  }
  for await (const row of byTime(counted(), BOUNDS)) {
    if (row.kind === 'message') written += 1;
    if (written === count / 2) note();
  }
  expect(read).toBeGreaterThanOrEqual(count);
  expect(written).toBe(read);
  return most - before;
}

/** Returns how many bytes more are held for each message of many than of few. */
async function growth(format: string): Promise<number> {
  const few = await mostHeld(format, FEW, bytesHeld);
  const many = await mostHeld(format, MANY, bytesHeld);
  return (many - few) / (MANY - FEW);
}

test.each(Object.keys(FORMATS))(
  '%s: ten times the messages take no more memory',
  async (format) => {
    await mostHeld(format, 100, () => 0); // what is made once, such as code, counts for neither
    // A process that tests begins to hold other things meanwhile, but not each time.
    let least = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 3 && least >= BYTES_PER_MESSAGE_MAX; tries += 1) {
      least = Math.min(least, await growth(format));
    }
    expect(least).toBeLessThan(BYTES_PER_MESSAGE_MAX);
  },
);

test('an id that came lately is known, among more than are remembered', () => {
  const seen = new SeenIds();
  for (let id = 0; id < 250_000; id += 1) {
    if (seen.isRepeated(`channel:${id}`)) throw new Error(`${id} is new`);
  }
  expect(seen.isRepeated('channel:249999')).toBe(true);
  expect(seen.isRepeated('channel:150000')).toBe(true);
  expect(seen.isRepeated('channel:0')).toBe(false);
});

test('a map of hashes keeps its numbers while it grows, and refuses more than its bound', () => {
  const map = new HashedNumbers(10_000);
  for (let at = 1; at <= 10_000; at += 1) map.set(`key ${at}`, at);
  expect(map.set('one more', 1)).toBe(false);
  expect(map.get('one more')).toBe(0);
  expect(map.set('key 7', 70)).toBe(true);
  expect([map.get('key 7'), map.get('key 9999'), map.size]).toEqual([70, 9_999, 10_000]);
});

test('threads beyond the bound have their day as their name, as have their replies', () => {
  const topics = new ThreadTopics(3);
  const thread = (id: string) => ({ channel: 'c', id });
  expect(topics.name(thread('1'), 'Where is the tea?', AT)).toBe('Where is the tea?');
  expect(topics.name(thread('2'), 'Where is the tea?', AT)).toBe('Where is the tea? (2)');
  expect(topics.name({ channel: 'd', id: '2' }, 'Milk', AT)).toBe('Milk');
  expect(topics.name(thread('3'), 'No room', AT)).toBe('Thread of 2020-09-13');
  expect(topics.name(thread('3'), '', AT)).toBe('Thread of 2020-09-13');
  expect(topics.of(thread('2'))).toBe('Where is the tea? (2)');
});

test('an archive with more people or channels than an import holds is refused', () => {
  const bound = new Bound('people', 1_000);
  bound.add(1_000);
  expect(() => bound.add()).toThrow(
    new ArchiveError(
      'The archive has more than 1,000 people, which is the most that an import holds.',
    ),
  );
});
