import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { isNatsMissing, startNats } from '../../support/cluster/nats-servers.ts';
import {
  type Load,
  makeSmallRealm,
  type NodeProcess,
  type NodeProcesses,
  type Poller,
  startLoad,
  startNodes,
  startPoller,
} from '../../support/cluster/node-processes.ts';

const WIDTH = 64;

/** Three nodes on three servers, with a load and two clients that listen. */
async function underLoad() {
  const nats = await startNats({ count: 3 });
  onTestFinished(() => nats.close());
  const nodes = await startNodes(nats.urls, ['a', 'b', 'c']);
  const { mel, max } = await makeSmallRealm(nodes);
  const pollers = await Promise.all([
    startPoller(nodes.all, max),
    startPoller([...nodes.all].reverse(), max),
  ]);
  const load = startLoad({ nodes: nodes.all, from: mel, to: max, width: WIDTH });
  await pause(3_000);
  await goesOn(load);
  return { nats, nodes, mel, max, pollers, load };
}

/** Waits until more is acknowledged. */
async function goesOn({ acknowledged }: Load) {
  const before = acknowledged.size;
  await expect.poll(() => acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(before + WIDTH);
}

interface Ended {
  readonly nodes: NodeProcesses;
  readonly load: Load;
  readonly pollers: readonly Poller[];
  readonly mel: Parameters<NodeProcess['post']>[0];
  readonly max: { readonly id: number };
}

/** Nothing that was acknowledged is lost, nothing is there twice, and queues had all of it once. */
async function expectExact({ nodes, load, pollers, mel, max }: Ended) {
  await load.stop();
  const owner = await nodes.owner();
  const done = await owner.post(mel, '/messages', {
    type: 'direct',
    to: [max.id],
    content: 'the end',
  });
  expect(done.body).toMatchObject({ result: 'success' });
  const sent = load.acknowledged;
  for (const poller of pollers) {
    await poller.until('the end').catch((error) => {
      expect(poller.failures).toEqual([]);
      throw error;
    });
    expect(poller.failures).toEqual([]);
    const contents = poller.got.map(({ content }) => content).slice(0, -1);
    expect(new Set(contents).size).toBe(contents.length);
    expect(new Set(contents)).toEqual(new Set(sent.keys()));
    const events = poller.got.map(({ event }) => event);
    expect(events).toEqual([...events].sort((one, other) => one - other));
    for (const { content, id } of poller.got) {
      if (content !== 'the end') expect(sent.get(content)).toBe(id);
    }
  }
  // A last poll waits for an event that does not come.
  await Promise.all(pollers.map((poller) => Promise.race([poller.stop(), pause(100)])));
}

test.runIf(!isNatsMissing)(
  'the owner is killed under load: nothing is lost, nothing is twice, queues go on elsewhere',
  async () => {
    const running = await underLoad();
    const { nodes } = running;
    const owner = await nodes.owner();
    await owner.end('SIGKILL');
    const next = await nodes.owner(owner);
    expect(next).not.toBe(owner);
    await goesOn(running.load);
    await pause(2_000);
    await owner.start();
    await pause(1_000);
    await expectExact(running);
    await nodes.level();
  },
  180_000,
);

test.runIf(!isNatsMissing)(
  'the owner is told to end under load: another node gets its shards, and nothing is lost or twice',
  async () => {
    const running = await underLoad();
    const { nodes } = running;
    const owner = await nodes.owner();
    await owner.end('SIGTERM');
    await nodes.owner(owner);
    await goesOn(running.load);
    await owner.start();
    await pause(1_000);
    await expectExact(running);
    await nodes.level();
  },
  180_000,
);
