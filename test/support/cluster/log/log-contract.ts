import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BrokenLogError } from '../../../../src/cluster/log/errors.ts';
import type { StoredRecord } from '../../../../src/cluster/log/shard-log.ts';
import { describeBusAndValues, type OpenNode } from './bus-contract.ts';
import { fill, follow, freshShard, later, newRecord, upTo } from './records.ts';

const textOf = (record: StoredRecord | undefined) => record && Buffer.from(record.body).toString();

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
      expect([await log.first(), await log.last()]).toEqual([8, 10]);
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
      expect([await log.first(), await log.last()]).toEqual([1, 0]);
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

  describeBusAndValues(openNode);

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
