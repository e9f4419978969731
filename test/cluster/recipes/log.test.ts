import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ClusterStore } from '../../../src/cluster/log/cluster-store.ts';
import { openNatsCluster } from '../../../src/cluster/log/nats/nats-cluster.ts';
import type { ShardLog, StoredRecord } from '../../../src/cluster/log/shard-log.ts';
import { appendOn } from '../../support/cluster/log/appending.ts';
import { freshShard, newRecord } from '../../support/cluster/log/records.ts';
import { isNatsMissing, type NatsServers, startNats } from '../../support/cluster/nats-servers.ts';
import { isNetworkMissing, type Network, openNetwork } from '../../support/cluster/network.ts';
import { percentile, recipe, repeated } from '../../support/cluster/recipe.ts';
import { openStreams, type Streams } from '../../support/cluster/streams.ts';

const WAIT = { timeout: 60_000 };
const isLeftOut = isNatsMissing || isNetworkMissing;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe.skipIf(isLeftOut)('the log, on three hosts', () => {
  let network: Network;
  let servers: NatsServers;
  let streams: Streams;
  const nodes: ClusterStore[] = [];
  beforeAll(async () => {
    network = openNetwork();
    const places = ['nats-1', 'nats-2', 'nats-3'].map((name) => network.openHost(name));
    servers = await startNats({ places, isOnDisk: true });
    streams = await openStreams(servers);
  });
  afterAll(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.close()));
    await streams?.close();
    await servers?.close();
    network?.close();
  });

  async function openLog(shard: number, name = 'node'): Promise<ShardLog> {
    const node = await openNatsCluster({ servers: servers.urls, node: name });
    nodes.push(node);
    return node.openLog(shard);
  }

  /** A server that was cut off may say what is old for so long after it is back. */
  const OLD_MS = 60_000;
  let olds = 0;

  /**
   * Reads a whole log, by a reader that begins now. A server that was cut off may take itself for
   * the leader and know less: it is asked again until it has so many records.
   */
  async function readAll(shard: number, count = 0): Promise<readonly StoredRecord[]> {
    const log = await openLog(shard, 'reader');
    let last = await log.last();
    if (last < count) olds += 1;
    for (const until = Date.now() + OLD_MS; last < count && Date.now() < until; ) {
      await sleep(1_000);
      last = await log.last();
    }
    const records: StoredRecord[] = [];
    const errors: Error[] = [];
    const tail = log.tail({
      from: 1,
      onRecord: (record) => void records.push(record),
      onBroken: (error) => void errors.push(error),
    });
    await expect.poll(() => errors.length > 0 || records.length >= last, WAIT).toBe(true);
    await tail.stop();
    if (errors[0] !== undefined) throw errors[0];
    return records;
  }

  recipe({
    name: 'an owner appends, and a node follows',
    passes: 'every record follows, in order',
    runs: { few: 100, full: 3_000 },
    timeoutMs: 300_000,
    async run(runs) {
      const shard = freshShard();
      const log = await openLog(shard);
      const lags: number[] = [];
      const sent = new Map<string, number>();
      const reader = await openLog(shard, 'follower');
      const ids: string[] = [];
      const tail = reader.tail({
        from: 1,
        onRecord({ id }) {
          ids.push(id);
          lags.push(performance.now() - (sent.get(id) ?? Number.NaN));
        },
        onBroken: (error) => expect.fail(String(error)),
      });
      const acked: string[] = [];
      const tookMs: number[] = [];
      for (let expected = 0; expected < runs; expected += 1) {
        const id = randomBytes(8).toString('hex');
        const since = performance.now();
        sent.set(id, since);
        const body = randomBytes(700);
        if ((await log.append({ expected, id, epoch: 1, body })) === 'stored') acked.push(id);
        const took = performance.now() - since;
        tookMs.push(took);
        // The lag counts from the ack on: what a client may see before a follower has it.
        sent.set(id, performance.now());
      }
      await expect.poll(() => ids.length, WAIT).toBe(runs);
      await tail.stop();
      const ms = (values: readonly number[], percent: number) =>
        percentile(values, percent).toFixed(1);
      return {
        figure:
          `append p50 ${ms(tookMs, 50)}, p99 ${ms(tookMs, 99)} ms; ` +
          `a follower has a record p50 ${ms(lags, 50)}, p99 ${ms(lags, 99)} ms after its ack`,
        holds: acked.length === runs && String(ids) === String(acked),
      };
    },
  });

  recipe({
    name: 'six rivals claim, with changes of the leader',
    passes: 'no round has two winners, and the log has what was acknowledged',
    runs: { few: 40, full: 400 },
    timeoutMs: 1_200_000,
    async run(rounds) {
      const shard = freshShard();
      const rivals = await Promise.all(
        Array.from({ length: 6 }, (_, number) => openLog(shard, `rival-${number}`)),
      );
      let last = 0;
      let doubles = 0;
      let without = 0;
      let changes = 0;
      const won: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        if (round % 10 === 5) {
          changes += 1;
          streams.stepDown(shard).catch(() => {});
        }
        const ids = rivals.map(() => randomBytes(8).toString('hex'));
        const outcomes = await Promise.all(
          rivals.map((log, number) =>
            log.append({
              expected: last,
              id: ids[number] ?? '',
              epoch: round + 1,
              body: Buffer.from(`rival ${number}`),
            }),
          ),
        );
        const winners = ids.filter((_, number) => outcomes[number] === 'stored');
        if (winners.length > 1) doubles += 1;
        if (winners.length === 0) without += 1;
        won.push(...winners);
        last += winners.length;
      }
      const ids = (await readAll(shard)).map(({ id }) => id);
      return {
        figure: `${doubles} with two winners, ${without} without one, ${changes} changes`,
        holds: doubles === 0 && String(ids) === String(won),
      };
    },
  });

  /** Brings a fault about while an owner appends; all it was acknowledged has to be there, once. */
  async function underFault(runs: number, fault: (shard: number) => Promise<void>) {
    let lost = 0;
    let others = 0;
    let acked = 0;
    const ends: string[] = [];
    const oldsBefore = olds;
    const gaps: number[] = [];
    const done = await repeated(runs, async () => {
      const shard = freshShard();
      const log = await openLog(shard);
      const appending = appendOn(log, 0);
      await expect.poll(() => appending.acked.length, WAIT).toBeGreaterThan(30);
      await fault(shard);
      const before = appending.acked.length;
      const isOver = () =>
        appending.failure() !== undefined || appending.acked.length > before + 30;
      await expect.poll(isOver, WAIT).toBe(true);
      await appending.stop().catch((error: Error) => ends.push(error.message));
      gaps.push(Math.max(...appending.tookMs));
      const ids = (await readAll(shard, appending.acked.length)).map(({ id }) => id);
      const stored = new Set(ids);
      acked += appending.acked.length;
      lost += appending.acked.filter((id) => !stored.has(id)).length;
      others += ids.length - new Set(ids).size;
      // An append that was given up may be stored, as the last one.
      const known = appending.failure() === undefined ? ids : ids.slice(0, appending.acked.length);
      if (String(known) !== String(appending.acked)) others += 1;
      // A fault of two of three servers is another one: the log waits until one is back.
      await streams.whole(shard);
    });
    const s = (percent: number) => (percentile(gaps, percent) / 1_000).toFixed(1);
    return {
      figure:
        `${lost} of ${acked} lost, ${others} twice; gap p50 ${s(50)}, at most ${s(100)} s` +
        (olds === oldsBefore ? '' : `; ${olds - oldsBefore} old answers first`) +
        (ends.length === 0
          ? ''
          : `; ${ends.length} appends ended: ${[...new Set(ends)].join('; ')}`),
      runs: done,
      holds: lost === 0 && others === 0 && ends.length === 0 && Math.max(...gaps) < 12_500,
      isSafe: lost === 0 && others === 0,
    };
  }

  interface Runs {
    readonly few: number;
    readonly full: number;
  }

  /** Makes a recipe of a fault under which an owner appends. */
  const faultRecipe = (name: string, runs: Runs, fault: (shard: number) => Promise<void>) =>
    recipe({
      name,
      passes: 'nothing acknowledged is lost or twice; no append waits 12 s',
      runs,
      timeoutMs: 1_800_000,
      run: (count) => underFault(count, fault),
    });

  faultRecipe('the leader of the log is killed', { few: 0, full: 20 }, async (shard) => {
    const leader = await streams.leaderOf(shard);
    await servers.end(leader, 'SIGKILL');
    await sleep(500);
    await servers.start(leader);
  });

  faultRecipe(
    'the leader of the log is cut off from all, for 15 s',
    { few: 1, full: 20 },
    async (shard) => {
      const host = network.hosts()[await streams.leaderOf(shard)];
      network.isolate(host ?? expect.fail('the leader has a host'));
      await sleep(15_000);
      network.heal();
    },
  );

  faultRecipe(
    'packets between the servers are lost, 3 of 100, for 10 s',
    { few: 1, full: 10 },
    async () => {
      const hosts = network.hosts();
      for (const from of hosts) {
        for (const to of hosts) if (from !== to) network.lose(from, to, 3);
      }
      await sleep(10_000);
      network.heal();
    },
  );

  recipe({
    name: 'all servers are killed at once, and started again',
    passes: 'nothing acknowledged is lost or twice, and appends go on',
    // In the short form other tests have these faults: nats/faults.test.ts, and those of nodes.
    runs: { few: 0, full: 10 },
    timeoutMs: 1_800_000,
    async run(runs) {
      let lost = 0;
      let twice = 0;
      let acked = 0;
      const backMs: number[] = [];
      const done = await repeated(runs, async () => {
        const shard = freshShard();
        const log = await openLog(shard);
        const appending = appendOn(log, 0);
        await expect.poll(() => appending.acked.length, WAIT).toBeGreaterThan(50);
        await Promise.all(servers.urls.map((_, number) => servers.end(number, 'SIGKILL')));
        const since = performance.now();
        await Promise.all(servers.urls.map((_, number) => servers.start(number)));
        // The append that was under way may have been given up: nobody knows what became of it.
        await appending.stop().catch(() => {});
        const ids = (await readAll(shard)).map(({ id }) => id);
        const next = await appendOnce(log);
        backMs.push(performance.now() - since);
        acked += appending.acked.length;
        lost += appending.acked.filter((id, index) => ids[index] !== id).length;
        twice += ids.length - new Set(ids).size;
        if (next !== 'stored') lost += 1;
      });
      const s = (percent: number) => (percentile(backMs, percent) / 1_000).toFixed(1);
      return {
        figure: `${lost} of ${acked} lost, ${twice} twice; back after p50 ${s(50)}, at most ${s(100)} s`,
        runs: done,
        holds: lost === 0 && twice === 0,
      };
    },
  });

  async function appendOnce(log: ShardLog): Promise<'stored' | 'refused'> {
    return log.append(newRecord(await log.last()));
  }
});
