import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ClusterStore } from '../../../src/cluster/log/cluster-store.ts';
import { openNatsCluster } from '../../../src/cluster/log/nats/nats-cluster.ts';
import { streamOf, subjectOf, tailOf } from '../../../src/cluster/log/nats/nats-streams.ts';
import { appendOn } from '../../support/cluster/log/appending.ts';
import { fill, follow, freshShard, newRecord } from '../../support/cluster/log/records.ts';
import { isNatsMissing, type NatsServers, startNats } from '../../support/cluster/nats-servers.ts';
import { openProxy } from '../../support/cluster/proxy.ts';
import { openStreams, type Streams } from '../../support/cluster/streams.ts';

const WAIT = { timeout: 40_000 };

describe.skipIf(isNatsMissing)('three NATS servers with faults', () => {
  let servers: NatsServers;
  let streams: Streams;
  const nodes: ClusterStore[] = [];
  beforeAll(async () => {
    servers = await startNats();
    streams = await openStreams(servers);
  }, 60_000);
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.close()));
  });
  afterAll(async () => {
    await streams?.close();
    await servers?.close();
  });

  async function openNode(urls = servers.urls) {
    const node = await openNatsCluster({ servers: urls, node: 'test' });
    nodes.push(node);
    return node;
  }
  async function opened(urls?: readonly string[]) {
    const shard = freshShard();
    const writer = await (await openNode()).openLog(shard);
    const reader = await (await openNode(urls)).openLog(shard);
    return { shard, writer, reader };
  }

  test('appends go on when the leader of the stream is killed, and none is lost or twice', async () => {
    const { shard, writer, reader } = await opened();
    const followed = follow(reader);
    const appending = appendOn(writer, 0);
    await expect.poll(() => appending.acked.length, WAIT).toBeGreaterThan(20);
    const leader = await streams.leaderOf(shard);
    await servers.end(leader, 'SIGKILL');
    onTestFinished(() => servers.start(leader));
    const before = appending.acked.length;
    await expect.poll(() => appending.acked.length, WAIT).toBeGreaterThan(before + 20);
    await appending.stop();
    await expect.poll(() => followed.records.length, WAIT).toBe(appending.acked.length);
    expect(followed.records.map(({ id }) => id)).toEqual(appending.acked);
    expect(followed.errors).toEqual([]);
  }, 120_000);

  test('appends go on through changes of the leader', async () => {
    const { shard, writer, reader } = await opened();
    const followed = follow(reader);
    const appending = appendOn(writer, 0);
    for (let changes = 0; changes < 3; changes += 1) {
      const before = appending.acked.length;
      await expect.poll(() => appending.acked.length, WAIT).toBeGreaterThan(before + 20);
      await streams.stepDown(shard);
    }
    await appending.stop();
    await expect.poll(() => followed.records.length, WAIT).toBe(appending.acked.length);
    expect(followed.records.map(({ id }) => id)).toEqual(appending.acked);
  }, 120_000);

  test('all servers are killed and started again: acknowledged records are there, readers go on', async () => {
    const { shard, writer, reader } = await opened();
    const followed = follow(reader);
    await fill(writer, 30);
    const [one, other] = [await openNode(), await openNode()];
    const seen: string[] = [];
    await one.values.watch((key) => void seen.push(key));
    one.bus.subscribe('test.restart', () => void seen.push('message'));
    await other.values.put('restart.before', Buffer.from('1'));
    const all = servers.urls.map((_, number) => number);
    await Promise.all(all.map((number) => servers.end(number, 'SIGKILL')));
    await Promise.all(all.map((number) => servers.start(number)));
    await streams.leaderOf(shard);
    await expect.poll(() => writer.last().catch(() => 0), WAIT).toBe(30);
    await fill(writer, 10);
    await expect.poll(() => followed.records.length, WAIT).toBe(40);
    expect(followed.errors).toEqual([]);
    await other.values.put('restart.after', Buffer.from('2'));
    await expect.poll(() => seen, WAIT).toContain('restart.after');
    other.bus.publish('test.restart', Buffer.from(''));
    await expect.poll(() => seen, WAIT).toContain('message');
  }, 120_000);

  test('a node stops at once, though no server answers', async () => {
    const proxy = await openProxy(
      { host: '127.0.0.1', port: portOf(servers.urls[0]) },
      '127.0.0.1',
    );
    onTestFinished(() => proxy.close());
    const { writer, reader } = await opened([`nats://127.0.0.1:${proxy.port}`]);
    const { tail, records } = follow(reader);
    await fill(writer, 1);
    await expect.poll(() => records.length, WAIT).toBe(1);
    proxy.hold('both');
    tail.noteLast(2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const stopped = await Promise.race([
      tail.stop().then(() => 'stopped'),
      new Promise((resolve) => setTimeout(resolve, 2_500, 'waits')),
    ]);
    expect(stopped).toBe('stopped');
  }, 120_000);

  test('a reader whose connection is cut, or whose packets are held, misses nothing', async () => {
    const proxy = await openProxy(
      { host: '127.0.0.1', port: portOf(servers.urls[0]) },
      '127.0.0.1',
    );
    onTestFinished(() => proxy.close());
    // Other servers tell their addresses: the reader stays with what it was given.
    const { writer, reader } = await opened([`nats://127.0.0.1:${proxy.port}`]);
    const followed = follow(reader);
    await fill(writer, 5);
    await expect.poll(() => followed.records.length, WAIT).toBe(5);
    proxy.reset();
    await fill(writer, 5);
    await expect.poll(() => followed.records.length, WAIT).toBe(10);
    proxy.hold('from');
    await fill(writer, 5);
    proxy.heal();
    await expect.poll(() => followed.records.length, WAIT).toBe(15);
    expect(followed.sequences()).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    expect(followed.errors).toEqual([]);
  }, 120_000);

  test('an append that was sent on a connection that dies is repeated, and stored once', async () => {
    const proxy = await openProxy(
      { host: '127.0.0.1', port: portOf(servers.urls[1]) },
      '127.0.0.1',
    );
    onTestFinished(() => proxy.close());
    const { writer, reader } = await opened([`nats://127.0.0.1:${proxy.port}`]);
    await fill(writer, 1);
    // The answer does not come back.
    proxy.hold('from');
    const appended = reader.append(newRecord(1));
    await expect.poll(() => writer.last(), WAIT).toBe(2);
    proxy.reset();
    proxy.heal();
    expect(await appended).toBe('stored');
    expect(await writer.last()).toBe(2);
  }, 120_000);

  test('a server that takes itself for the leader, and knows less, refuses nothing for the leader', async () => {
    const { shard, writer } = await opened();
    await fill(writer, 3);
    let answers = 0;
    const stale = streams.connection.subscribe(subjectOf(shard), {
      callback(_, message) {
        answers += 1;
        const description = 'wrong last sequence: 1';
        message.respond(JSON.stringify({ error: { code: 400, err_code: 10_071, description } }));
        if (answers === 3) stale.unsubscribe();
      },
    });
    await streams.connection.flush();
    await fill(writer, 5);
    expect(await writer.last()).toBe(8);
    expect(answers).toBe(3);
  }, 120_000);

  test('an append behind more than the log has is refused once that is sure', async () => {
    const { writer } = await opened();
    await fill(writer, 3);
    expect(await writer.append(newRecord(7))).toBe('refused');
    expect(await writer.last()).toBe(3);
  }, 120_000);

  test('a slow reader is handed all, however much came while it was busy', async () => {
    const { writer, reader } = await opened();
    const seen: number[] = [];
    const tail = reader.tail({
      from: 1,
      async onRecord({ sequence }) {
        // It takes as long for the first one as the rest takes to come.
        if (sequence === 1) await new Promise((resolve) => setTimeout(resolve, 3_000));
        seen.push(sequence);
      },
      onBroken: (error) => expect.fail(String(error)),
    });
    onTestFinished(() => tail.stop());
    const body = randomBytes(1_048_576);
    for (let expected = 0; expected < 30; expected += 1) {
      expect(await writer.append({ ...newRecord(expected), body })).toBe('stored');
    }
    await expect.poll(() => seen.length, WAIT).toBe(30);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  }, 120_000);

  test('a record whose message was lost is fetched when the owner tells its number', async () => {
    const { shard, writer, reader } = await opened();
    const followed = follow(reader);
    await fill(writer, 3);
    await expect.poll(() => followed.records.length, WAIT).toBe(3);
    // The stream does not tell it to anybody.
    const { config } = await streams.jsm.streams.info(streamOf(shard));
    await streams.jsm.streams.update(streamOf(shard), {
      ...config,
      republish: { src: config.republish?.src ?? '', dest: 'nowhere' },
    });
    await fill(writer, 1);
    followed.tail.noteLast(4);
    await expect.poll(() => followed.records.length, WAIT).toBe(4);
    await fill(writer, 1);
    // The reader is not told, and looks by itself.
    await expect.poll(() => followed.records.length, WAIT).toBe(5);
  }, 120_000);

  test('a stream that was made again is another log, and readers are told so', async () => {
    const { shard, writer, reader } = await opened();
    const followed = follow(reader);
    await fill(writer, 5);
    await expect.poll(() => followed.records.length, WAIT).toBe(5);
    await streams.jsm.streams.delete(streamOf(shard));
    const again = await (await openNode()).openLog(shard);
    await fill(again, 1);
    await expect.poll(() => followed.errors.length, WAIT).toBe(1);
    expect(followed.errors[0]?.name).toBe('BrokenLogError');
    expect(followed.records).toHaveLength(5);
  }, 120_000);

  test('a reader that has more than the log is told so once the log surely ends before', async () => {
    const { writer, reader } = await opened();
    await fill(writer, 5);
    const ahead = follow(reader, 9);
    const level = follow(reader, 6);
    await expect.poll(() => ahead.errors.length, WAIT).toBe(1);
    expect(ahead.errors[0]?.message).toBe('The log ends with record 5, and 9 is next');
    expect(level.errors).toEqual([]);
  }, 120_000);

  test('a message that names a record which was handed on, with another id, breaks the reader', async () => {
    const { shard, writer, reader } = await opened();
    const followed = follow(reader);
    await fill(writer, 3);
    await expect.poll(() => followed.records.length, WAIT).toBe(3);
    const { headers } = await import('@nats-io/transport-node');
    const named = headers();
    named.set('Nats-Sequence', '2');
    named.set('Nats-Msg-Id', 'ffffffffffffffff');
    named.set('Confab-Epoch', '1');
    streams.connection.publish(tailOf(shard), 'other', { headers: named });
    await expect
      .poll(() => followed.errors.map(({ message }) => message), WAIT)
      .toEqual(['The log has another record 2 than it had']);
  }, 120_000);
});

const portOf = (url = '') => Number(new URL(url).port);
