import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ClusterStore } from '../../../src/cluster/log/cluster-store.ts';
import {
  BrokenLogError,
  NoAnswerError,
  NobodyServesError,
} from '../../../src/cluster/log/errors.ts';
import type { NewRecord, ShardLog, StoredRecord } from '../../../src/cluster/log/shard-log.ts';

/** Opens the cluster store as one more node sees it. */
export type OpenNode = (name: string) => Promise<ClusterStore>;

let shards = 0;

/** Returns a shard that no other test of this file uses. */
export const freshShard = () => shards++;

export const newRecord = (expected: number, text = `record ${expected + 1}`): NewRecord => ({
  expected,
  id: randomBytes(8).toString('hex'),
  epoch: 1,
  body: Buffer.from(text),
});

const textOf = (record: StoredRecord | undefined) => record && Buffer.from(record.body).toString();

/** Appends records after each other, from the end of the log on. */
export async function fill(log: ShardLog, count: number): Promise<void> {
  const from = await log.last();
  for (let at = 0; at < count; at += 1) {
    expect(await log.append(newRecord(from + at))).toBe('stored');
  }
}

/** Follows a log and keeps what it was handed. */
export function follow(log: ShardLog, from = 1) {
  const records: StoredRecord[] = [];
  const errors: Error[] = [];
  const tail = log.tail({
    from,
    onRecord: (record) => {
      records.push(record);
    },
    onBroken: (error) => errors.push(error),
  });
  onTestFinished(() => tail.stop());
  return { records, errors, tail, sequences: () => records.map(({ sequence }) => sequence) };
}

/** Returns a promise, and the function that resolves it. */
export function later<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const upTo = (last: number, from = 1) =>
  Array.from({ length: Math.max(last - from + 1, 0) }, (_, index) => from + index);

/** Describes what each implementation of the cluster store keeps to. */
export function describeClusterStore(openNode: OpenNode): void {
  async function openLog(shard: number, name = 'a') {
    const node = await openNode(name);
    return node.openLog(shard);
  }

  describe('append', () => {
    test('stores records one after the other, and gives them back as they were', async () => {
      const log = await openLog(freshShard());
      expect(await log.last()).toBe(0);
      expect(await log.record(1)).toBeUndefined();
      const body = randomBytes(300);
      const record = { expected: 0, id: '0011223344556677', epoch: 7, body };
      expect(await log.append(record)).toBe('stored');
      const stored = await log.record(1);
      expect(stored).toMatchObject({ sequence: 1, id: record.id, epoch: 7 });
      expect(Buffer.compare(stored?.body ?? Buffer.alloc(0), body)).toBe(0);
      expect(await log.append(newRecord(1))).toBe('stored');
      expect(await log.last()).toBe(2);
    });

    test('an empty record and one of four mebibytes are stored whole', async () => {
      const log = await openLog(freshShard());
      expect(await log.append({ ...newRecord(0), body: new Uint8Array() })).toBe('stored');
      const body = randomBytes(4 * 1_048_576);
      expect(await log.append({ ...newRecord(1), body })).toBe('stored');
      expect((await log.record(1))?.body).toHaveLength(0);
      expect(Buffer.compare((await log.record(2))?.body ?? Buffer.alloc(0), body)).toBe(0);
    });

    test('a record that is larger than a log takes is refused with a clear error', async () => {
      const log = await openLog(freshShard());
      const body = new Uint8Array(5 * 1_048_576 + 1);
      await expect(log.append({ ...newRecord(0), body })).rejects.toThrow(
        '5242881 bytes are more than the 5242880 that are allowed',
      );
      expect(await log.last()).toBe(0);
    });

    test('a writer who has not seen the last record is refused', async () => {
      const log = await openLog(freshShard());
      await fill(log, 3);
      expect(await log.append(newRecord(2))).toBe('refused');
      expect(await log.append(newRecord(0))).toBe('refused');
      expect(await log.append(newRecord(4))).toBe('refused');
      expect(await log.last()).toBe(3);
      expect(await log.append(newRecord(3))).toBe('stored');
    });

    test('a repeat with the same id is stored once, whatever came after it', async () => {
      const shard = freshShard();
      const log = await openLog(shard);
      const record = newRecord(0);
      expect(await log.append(record)).toBe('stored');
      expect(await log.append(record)).toBe('stored');
      await fill(log, 2);
      expect(await log.append(record)).toBe('stored');
      expect(await log.last()).toBe(3);
    });

    test('a repeat that expects another place than it has is refused', async () => {
      const log = await openLog(freshShard());
      const record = newRecord(0);
      expect(await log.append(record)).toBe('stored');
      expect(await log.append({ ...record, expected: 1 })).toBe('refused');
      expect(await log.last()).toBe(1);
    });

    test('one of six who append at once wins, in each of ten rounds', async () => {
      const shard = freshShard();
      const rivals = await Promise.all(
        upTo(6).map(async (number) => openLog(shard, `rival-${number}`)),
      );
      for (const round of upTo(10)) {
        const outcomes = await Promise.all(
          rivals.map((log, number) => log.append(newRecord(round - 1, `rival ${number}`))),
        );
        expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
        const winner = `rival ${outcomes.indexOf('stored')}`;
        expect(textOf(await rivals[0]?.record(round))).toBe(winner);
      }
    });
  });

  describe('the shards', () => {
    test('have logs of their own, which all nodes see', async () => {
      const [one, other] = [freshShard(), freshShard()];
      const log = await openLog(one);
      await fill(log, 2);
      expect(await (await openLog(other, 'b')).last()).toBe(0);
      expect(await (await openLog(one, 'b')).last()).toBe(2);
    });
  });

  describe('tail', () => {
    test('hands on what is stored, and then what comes, in order and without gaps', async () => {
      const shard = freshShard();
      const log = await openLog(shard);
      await fill(log, 20);
      const { records, sequences } = follow(await openLog(shard, 'b'));
      await fill(log, 20);
      await expect.poll(() => records.length).toBe(40);
      expect(sequences()).toEqual(upTo(40));
      expect(records.map(textOf)).toEqual(upTo(40).map((sequence) => `record ${sequence}`));
    });

    test('begins where it is told to, also at a record that does not exist yet', async () => {
      const log = await openLog(freshShard());
      await fill(log, 5);
      const late = follow(log, 4);
      const next = follow(log, 6);
      await expect.poll(late.sequences).toEqual([4, 5]);
      await fill(log, 2);
      await expect.poll(late.sequences).toEqual([4, 5, 6, 7]);
      await expect.poll(next.sequences).toEqual([6, 7]);
    });

    test('hands on the next record once the one before was taken', async () => {
      const log = await openLog(freshShard());
      await fill(log, 10);
      let under = 0;
      let most = 0;
      const seen: number[] = [];
      const tail = log.tail({
        from: 1,
        async onRecord({ sequence }) {
          under += 1;
          most = Math.max(most, under);
          await new Promise((resolve) => setTimeout(resolve, 2));
          under -= 1;
          seen.push(sequence);
        },
        onBroken: (error) => expect.fail(String(error)),
      });
      onTestFinished(() => tail.stop());
      await fill(log, 10);
      await expect.poll(() => seen).toEqual(upTo(20));
      expect(most).toBe(1);
    });

    test('hands on nothing more once it has stopped', async () => {
      const log = await openLog(freshShard());
      await fill(log, 3);
      const { records, tail } = follow(log);
      const other = follow(log);
      await expect.poll(() => records.length).toBe(3);
      await tail.stop();
      await tail.stop();
      await fill(log, 3);
      await expect.poll(other.sequences).toEqual(upTo(6));
      expect(records).toHaveLength(3);
    });

    test('waits for the record that is being taken before it has stopped', async () => {
      const log = await openLog(freshShard());
      await fill(log, 2);
      const steps: string[] = [];
      const started = later<void>();
      const taken = later<void>();
      const tail = log.tail({
        from: 1,
        async onRecord() {
          started.resolve();
          await taken.promise;
          steps.push('taken');
        },
        onBroken: (error) => expect.fail(String(error)),
      });
      await started.promise;
      const stopped = tail.stop().then(() => steps.push('stopped'));
      taken.resolve();
      await stopped;
      expect(steps).toEqual(['taken', 'stopped']);
    });

    test('is broken, and hands on nothing more, once a record could not be taken', async () => {
      const log = await openLog(freshShard());
      await fill(log, 3);
      const seen: number[] = [];
      const broken = later<Error>();
      const tail = log.tail({
        from: 1,
        onRecord({ sequence }) {
          seen.push(sequence);
          if (sequence === 2) throw new Error('It could not be applied.');
        },
        onBroken: broken.resolve,
      });
      onTestFinished(() => tail.stop());
      expect((await broken.promise).message).toBe('It could not be applied.');
      await fill(log, 2);
      expect(seen).toEqual([1, 2]);
    });
  });

  describe('forgetBefore', () => {
    test('forgets records and keeps their numbers', async () => {
      const shard = freshShard();
      const log = await openLog(shard);
      await fill(log, 10);
      const follower = follow(log);
      await expect.poll(follower.sequences).toEqual(upTo(10));
      await log.forgetBefore(8);
      expect(await log.record(7)).toBeUndefined();
      expect(textOf(await log.record(8))).toBe('record 8');
      expect(await log.last()).toBe(10);
      await log.forgetBefore(3);
      await fill(log, 1);
      expect(textOf(await log.record(11))).toBe('record 11');
      await expect.poll(follower.sequences).toEqual(upTo(11));
      expect(follower.errors).toEqual([]);
    });

    test('all records can be forgotten, and the log goes on', async () => {
      const log = await openLog(freshShard());
      await fill(log, 4);
      await log.forgetBefore(5);
      expect(await log.last()).toBe(4);
      const follower = follow(log, 5);
      expect(await log.append(newRecord(3))).toBe('refused');
      expect(await log.append(newRecord(4))).toBe('stored');
      await expect.poll(follower.sequences).toEqual([5]);
    });

    test('no more can be forgotten than there is', async () => {
      const log = await openLog(freshShard());
      await log.forgetBefore(9);
      expect(await log.last()).toBe(0);
      await fill(log, 3);
      await log.forgetBefore(100);
      expect(await log.last()).toBe(3);
      expect(await log.record(3)).toBeUndefined();
      expect(await log.append(newRecord(3))).toBe('stored');
    });

    test('a reader that needs a record which is forgotten is told so', async () => {
      const log = await openLog(freshShard());
      await fill(log, 6);
      await log.forgetBefore(4);
      const { records, errors } = follow(log, 2);
      await expect.poll(() => errors).toHaveLength(1);
      expect(errors[0]).toBeInstanceOf(BrokenLogError);
      expect(errors[0]?.message).toBe('The log begins with record 4, and 2 is next');
      expect(records).toEqual([]);
    });
  });

  describe('bus', () => {
    test('hands a message to all who listen, in the order of the sender', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      const heard: Record<string, string[]> = { a: [], b: [] };
      for (const [name, { bus }] of Object.entries({ a, b })) {
        const end = bus.subscribe('test.order', (body) => {
          heard[name]?.push(Buffer.from(body).toString());
        });
        onTestFinished(end);
      }
      await listening(a, b);
      const sent = upTo(100).map(String);
      for (const text of sent) a.bus.publish('test.order', Buffer.from(text));
      await expect.poll(() => heard['a']).toEqual(sent);
      await expect.poll(() => heard['b']).toEqual(sent);
    });

    test('hands on nothing of other subjects, nor after the subscription has ended', async () => {
      const node = await openNode('a');
      const heard: string[] = [];
      const end = node.bus.subscribe('test.one', (body) =>
        heard.push(Buffer.from(body).toString()),
      );
      node.bus.publish('test.other', Buffer.from('other'));
      node.bus.publish('test.one', Buffer.from('one'));
      await expect.poll(() => heard).toEqual(['one']);
      end();
      const second = later<Uint8Array>();
      onTestFinished(node.bus.subscribe('test.one', second.resolve));
      node.bus.publish('test.one', Buffer.from('two'));
      expect(Buffer.from(await second.promise).toString()).toBe('two');
      expect(heard).toEqual(['one']);
    });

    test('a message that is not taken, and an answer that is not made, end nothing', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      onTestFinished(
        b.bus.serve('test.throws', () => {
          throw new Error('It failed before it began.');
        }),
      );
      await listening(a, b);
      const ask = a.bus.ask('test.throws', Buffer.from('?'), 5_000);
      await expect(ask).rejects.toBeInstanceOf(NoAnswerError);
      const second = later<Uint8Array>();
      onTestFinished(b.bus.subscribe('test.after', second.resolve));
      await listening(a, b);
      a.bus.publish('test.after', Buffer.from('after'));
      expect(Buffer.from(await second.promise).toString()).toBe('after');
    });

    test('answers requests by one of those who serve', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      let asked = 0;
      for (const { bus } of [a, b]) {
        const end = bus.serve('test.double', async (body) => {
          asked += 1;
          return Buffer.concat([body, body]);
        });
        onTestFinished(end);
      }
      await listening(a, b);
      for (const text of ['x', 'yy', '']) {
        const answer = await a.bus.ask('test.double', Buffer.from(text), 5_000);
        expect(Buffer.from(answer).toString()).toBe(text + text);
      }
      expect(asked).toBe(3);
    });

    test('tells at once when nobody serves, and when the one who served has ended', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      const ask = (timeoutMs = 30_000) => {
        return a.bus.ask('test.nobody', Buffer.from('?'), timeoutMs);
      };
      await expect(ask()).rejects.toBeInstanceOf(NobodyServesError);
      const end = b.bus.serve('test.nobody', async (body) => body);
      await expect.poll(() => ask().then(() => 'answered', String)).toBe('answered');
      end();
      // A request that is under way as it ends is not answered.
      await expect
        .poll(() =>
          ask(500).then(
            () => 'answered',
            (error) => error.name,
          ),
        )
        .toBe('NobodyServesError');
    });

    test('does not know what became of a request that was not answered, or failed', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      onTestFinished(b.bus.serve('test.silent', () => new Promise(() => {})));
      onTestFinished(
        b.bus.serve('test.failing', async () => {
          throw new Error('It failed in the middle.');
        }),
      );
      await listening(a, b);
      const silent = a.bus.ask('test.silent', Buffer.from('?'), 300);
      await expect(silent).rejects.toBeInstanceOf(NoAnswerError);
      const failing = a.bus.ask('test.failing', Buffer.from('?'), 5_000);
      await expect(failing).rejects.toBeInstanceOf(NoAnswerError);
    });

    test.each(['', 'two words', 'all.*', 'rest.>', '.x', 'x.', 'x..y', 'x'.repeat(201)])(
      'refuses %j as the name of a subject',
      async (subject) => {
        const { bus, values } = await openNode('a');
        expect(() => bus.publish(subject, Buffer.from(''))).toThrow(RangeError);
        expect(() => bus.subscribe(subject, () => {})).toThrow(RangeError);
        expect(() => bus.serve(subject, async (body) => body)).toThrow(RangeError);
        await expect(bus.ask(subject, Buffer.from(''), 100)).rejects.toThrow(RangeError);
        await expect(values.put(subject, Buffer.from(''))).rejects.toThrow(RangeError);
      },
    );
  });

  describe('values', () => {
    test('are stored, replaced and removed', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      expect(await a.values.get('test.value')).toBeUndefined();
      await a.values.put('test.value', Buffer.from('one'));
      expect(Buffer.from((await b.values.get('test.value')) ?? '').toString()).toBe('one');
      await b.values.put('test.value', Buffer.from('two'));
      expect(Buffer.from((await a.values.get('test.value')) ?? '').toString()).toBe('two');
      await a.values.remove('test.value');
      await a.values.remove('test.value');
      expect(await b.values.get('test.value')).toBeUndefined();
    });

    test('a new value is stored by one of six, also where one was removed', async () => {
      const nodes = await Promise.all(upTo(6).map((number) => openNode(`rival-${number}`)));
      for (const round of upTo(2)) {
        const won = await Promise.all(
          nodes.map(({ values }, number) => values.putNew('test.new', Buffer.from(`${number}`))),
        );
        expect(won.filter(Boolean), `round ${round}`).toHaveLength(1);
        const value = Buffer.from((await nodes[0]?.values.get('test.new')) ?? '').toString();
        expect(value).toBe(`${won.indexOf(true)}`);
        await nodes[1]?.values.remove('test.new');
      }
    });

    test('who watches is handed all, and then each change', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      await a.values.put('watch.one', Buffer.from('1'));
      await a.values.put('watch.two', Buffer.from('2'));
      const seen = new Map<string, string | undefined>();
      const end = await b.values.watch((key, value) => {
        if (key.startsWith('watch.')) seen.set(key, value && Buffer.from(value).toString());
      });
      onTestFinished(end);
      await expect
        .poll(() => Object.fromEntries(seen))
        .toEqual({
          'watch.one': '1',
          'watch.two': '2',
        });
      await a.values.put('watch.three', Buffer.from('3'));
      await a.values.put('watch.one', Buffer.from('11'));
      await a.values.remove('watch.two');
      await expect
        .poll(() => Object.fromEntries(seen))
        .toEqual({
          'watch.one': '11',
          'watch.two': undefined,
          'watch.three': '3',
        });
    });
  });

  test('a store that was closed is not connected, and says so', async () => {
    const node = await openNode('closing');
    expect(node.isConnected()).toBe(true);
    const log = await node.openLog(freshShard());
    await node.close();
    expect(node.isConnected()).toBe(false);
    await expect(log.append(newRecord(0))).rejects.toThrow('closed');
    await expect(node.bus.ask('test.closed', Buffer.from(''), 1_000)).rejects.toThrow('closed');
    expect(() => node.bus.publish('test.closed', Buffer.from(''))).not.toThrow();
  });
}

/** Waits until both nodes hear each other, as subscriptions take their time to be known. */
async function listening(...nodes: readonly ClusterStore[]): Promise<void> {
  for (const from of nodes) {
    for (const to of nodes) {
      let isHeard = false;
      const subject = `test.hears.${randomBytes(4).toString('hex')}`;
      const end = to.bus.subscribe(subject, () => {
        isHeard = true;
      });
      await expect
        .poll(() => {
          from.bus.publish(subject, Buffer.from(''));
          return isHeard;
        })
        .toBe(true);
      end();
    }
  }
}
