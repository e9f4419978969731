import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { differencesOf, hashStore } from '../compare-stores.ts';
import { compareStored, type Ledger, startSends } from '../ledger.ts';
import { type NatsOptions, type NatsServers, startNats } from '../nats-servers.ts';
import { type Network, openNetwork } from '../network.ts';
import {
  CHANNEL,
  makeSmallRealm,
  type NodeProcess,
  type NodeProcesses,
  openNodes,
} from '../node-processes.ts';
import type { Caller } from '../nodes-of-load.ts';
import { startQueueCheck } from '../queue-check.ts';
import { openStreams, type Streams } from '../streams.ts';
import { startReads } from './reads.ts';

/** Three servers of the log and three nodes, each on a host of its own, and a realm of two. */
export interface Site {
  readonly network: Network;
  readonly servers: NatsServers;
  readonly streams: Streams;
  readonly nodes: NodeProcesses;
  readonly realm: Awaited<ReturnType<typeof makeSmallRealm>>;
  /** Returns who sends and who reads, as they ask these nodes, or all that run. */
  people(nodes?: readonly NodeProcess[]): { readonly sender: Caller; readonly reader: Caller };
  /** Drops the packets between a node and the servers, or in one direction only. */
  cutOff(node: NodeProcess, way: Way): void;
  close(): Promise<void>;
}

/** The packets that are dropped: those of the node, those of the servers, or both. */
export type Way = 'to' | 'from' | 'both';

/** Clients name the realm; the port is of no use to them. */
const REALM = { host: 'test.localhost', port: 80 };

export async function openSite(names: readonly string[], nats: NatsOptions = {}): Promise<Site> {
  const network = openNetwork();
  const places = ['nats-1', 'nats-2', 'nats-3'].map((name) => network.openHost(name));
  const hosts = names.map((name) => network.openHost(name));
  const servers = await startNats({ places, ...nats });
  const streams = await openStreams(servers);
  const nodes = await openNodes({ servers: servers.urls, names, hosts });
  const realm = await makeSmallRealm(nodes);
  const { mel, max } = realm;
  const caller = ({ email, apiKey }: typeof mel, asked: readonly NodeProcess[]): Caller => ({
    nodes: asked.map((node) => node.address()),
    host: REALM,
    who: { email, api_key: apiKey },
  });
  return {
    network,
    servers,
    streams,
    nodes,
    realm,
    people: (asked = nodes.all) => ({ sender: caller(mel, asked), reader: caller(max, asked) }),
    cutOff({ host }, way) {
      if (host === undefined) throw new Error('The node has no host of its own');
      for (const place of places) {
        if (way !== 'from') network.cut(host, place);
        if (way !== 'to') network.cut(place, host);
      }
    },
    async close() {
      network.heal();
      await nodes.close();
      await streams.close();
      await servers.close();
      network.close();
    },
  };
}

/** The outcome of a load, and all that was wrong. */
export interface Counted {
  readonly acked: number;
  readonly lost: number;
  readonly twice: number;
  /** Messages that were answered with two ids. */
  readonly contradicted: number;
  /** Queues that missed a message, or had one twice or out of order. */
  readonly wrongQueues: number;
  /** Reads at one node that showed less than an earlier one there. */
  readonly backwards: number;
  /** Stores that differ from the first one. */
  readonly otherStores: number;
  /** Requests and polls that were refused as no client expects. */
  readonly refused: readonly string[];
}

export interface UnderLoad {
  readonly ledger: Ledger;
  /** Waits until more is acknowledged. */
  goesOn(): Promise<void>;
  /** Ends the load, and compares what it was told with what all nodes have. */
  stop(): Promise<Counted>;
}

interface LoadOptions {
  readonly senders: number;
  readonly isTwofold?: boolean;
}

let topics = 0;

/** Starts senders, two clients that listen, and one that reads at each node. */
export async function startLoad(
  site: Site,
  { senders, isTwofold = false }: LoadOptions,
): Promise<UnderLoad> {
  const { nodes } = site;
  const { sender, reader } = site.people();
  const queues = await Promise.all([0, 1].map((first) => startQueueCheck(reader, first)));
  topics += 1;
  const sends = { ...sender, channel: CHANNEL, topic: `load ${topics}` };
  const ledger = startSends({ ...sends, senders, isTwofold });
  const reads = startReads(reader, sends);
  const goesOn = async () => {
    const before = ledger.acked.size;
    await expect
      .poll(() => ledger.acked.size, { timeout: 120_000, interval: 20 })
      .toBeGreaterThan(before + senders);
  };
  await goesOn();
  return {
    ledger,
    goesOn,
    async stop() {
      await ledger.stop();
      const backwards = await reads.stop();
      await nodes.level();
      const found = await Promise.all(queues.map((queue) => queue.stop()));
      const isExact = ({ keys, twice, disorder }: (typeof found)[number]) =>
        twice.length === 0 && disorder === 0 && isSame(keys, ledger.acked);
      const stored = await Promise.all(
        nodes.all.filter(isRunning).map((node) => {
          const { sender: who } = site.people([node]);
          return compareStored({ ...sends, ...who }, ledger.acked);
        }),
      );
      const most = (counts: readonly number[]) => Math.max(0, ...counts);
      return {
        acked: ledger.acked.size,
        lost: most(stored.map(({ lost, otherId }) => Math.max(lost.length, otherId.length))),
        twice: most(stored.map(({ twice }) => twice.length)),
        contradicted: ledger.contradicted.length,
        wrongQueues: found.filter((one) => !isExact(one)).length,
        backwards,
        otherStores: await otherStores(nodes),
        refused: [...ledger.refused, ...found.flatMap(({ refused }) => refused)],
      };
    },
  };
}

const isRunning = (node: NodeProcess) => node.isRunning();

const isSame = (keys: readonly string[], acked: ReadonlyMap<string, number>) =>
  keys.length === acked.size && keys.every((key) => acked.has(key));

/** The table in which each store notes its own place in the log, and what its views were told. */
const OWN_TABLE = 'schema';
const SAME_MS = 20_000;

/** Counts the stores that differ from the first one, once nothing is written any more. */
export async function otherStores(nodes: NodeProcesses): Promise<number> {
  const count = () => {
    const [first, ...others] = nodes.all
      .filter(isRunning)
      .map(({ data }) => hashStore(join(data, 'realms', '1')));
    if (first === undefined) throw new Error('No node runs');
    const differs = (other: typeof first) =>
      differencesOf(first, other).some((table) => table !== OWN_TABLE);
    return others.filter(differs).length;
  };
  // A node may still write what is due by the time, such as that somebody was active.
  return await vi
    .waitFor(() => expect(count()).toBe(0), { timeout: SAME_MS, interval: 500 })
    .then(() => 0, count);
}

/** Adds up what several loads came to. */
export function sumOf(all: readonly Counted[]): Counted {
  const total = (count: (one: Counted) => number) => all.reduce((sum, one) => sum + count(one), 0);
  return {
    acked: total(({ acked }) => acked),
    lost: total(({ lost }) => lost),
    twice: total(({ twice }) => twice),
    contradicted: total(({ contradicted }) => contradicted),
    wrongQueues: total(({ wrongQueues }) => wrongQueues),
    backwards: total(({ backwards }) => backwards),
    otherStores: total((one) => one.otherStores),
    refused: all.flatMap(({ refused }) => refused),
  };
}

/** Says what a load came to, as a row of the table has it, and whether nothing was wrong. */
export function saidOf(counted: Counted): { readonly figure: string; readonly isSafe: boolean } {
  const { acked, lost, twice, contradicted, wrongQueues, backwards, otherStores: others } = counted;
  const figure =
    `${lost} of ${acked} lost, ${twice} twice, ${contradicted} with two answers; ` +
    `${wrongQueues} queues wrong, ${backwards} reads went back, ${others} stores differ`;
  const [refused] = counted.refused;
  return {
    figure: refused === undefined ? figure : `${figure}; refused: ${refused.slice(0, 200)}`,
    isSafe:
      lost + twice + contradicted + wrongQueues + backwards + others === 0 && refused === undefined,
  };
}
