import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { momentMs } from '../../actors/clock.ts';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { filesIn } from '../../storage/files/open-file-store.ts';
import type { DeploymentInput } from '../admin/realms/input.ts';
import { UPLOADS } from '../admin/realms/starting.ts';
import type { RequestHost } from '../domain/request-host.ts';
import type { Deployment } from '../endpoints/dispatch/deployment.ts';
import type { Dispatch } from '../endpoints/dispatch.ts';
import { linkSecret } from '../endpoints/files/temporary-links.ts';
import type { Ask } from '../gateways/forwarding.ts';
import type { RelayTarget } from '../gateways/relay.ts';
import type { ClusterSettings } from '../settings/cluster.ts';
import type { NoteBug } from '../transport/answers/reply.ts';
import { openAnswering } from './answering.ts';
import { newestOf, openAsking } from './asking.ts';
import { openNodeNumbers, openTaking } from './consumers.ts';
import { foundingOf } from './founding.ts';
import { nodeSubject, type ToNode, unpacked } from './frames.ts';
import type { ClusterStore } from './log/cluster-store.ts';
import { type Members, openMembers } from './members.ts';
import { shardOf } from './placement.ts';
import { type ClusterRealms, openClusterRealms } from './realms/cluster-realms.ts';
import { type HeldShard, openHeldShard } from './shards/held-shard.ts';

/** Shards that are released at a stop go to others within this time, or are claimed after silence. */
const RELEASE_MS_MAX = 3_000;
/** A poll that comes ahead of this node is answered as it stands after this time. */
const CATCH_UP_MS_MAX = 2_000;
const CATCH_UP_LOOK_MS = 5;
/** A closed realm is open again after about as long. */
const RETRY_MS = 300;

export interface NodeInput extends DeploymentInput {
  readonly cluster: ClusterSettings;
  readonly store: ClusterStore;
  /** The process cannot go on: its store is not that of the log, or a disk has failed. */
  readonly onFatal: (error: unknown) => void;
  /** This node has become the owner of a shard, or is it no longer. */
  readonly onShard: (change: {
    readonly shard: number;
    readonly isOwned: boolean;
    readonly epoch: number;
  }) => void;
}

/** The parts of the server that answer for the realms which this node writes. */
export interface Answers {
  readonly dispatch: Dispatch;
  readonly noteBug: NoteBug;
}

/** This process, as one of the nodes of a cluster. */
export interface Node {
  readonly name: string;
  /** The place where the other nodes reach this one. */
  readonly address: ClusterSettings['address'];
  readonly realms: ClusterRealms;
  /** The word by which nodes know each other's requests. */
  readonly secret: string;
  /** Asks the owner of a realm. */
  readonly ask: Ask;
  /** Returns who takes the uploads of a host: null for this node, undefined for nobody now. */
  relayTargetOf(host: RequestHost, isRelayed: boolean): RelayTarget | null | undefined;
  /** Lets the node own shards, as its port is open. */
  begin(answers: Answers, port: number): void;
  /** Gives its shards to other nodes, and serves on. */
  release(): Promise<void>;
  /** Gives a shard to a node. */
  move(shard: number, to: string): Promise<void>;
  /** Says why the node should not be sent requests; empty if it should. */
  reasons(): readonly string[];
  /** Describes the cluster, as this node sees it, for operators. */
  describe(): { readonly nodes: readonly object[]; readonly shards: readonly object[] };
  readonly members: Members;
  close(): Promise<void>;
}

/** Joins the cluster. Resolves when the node has read the logs, and can serve. */
export async function openNode(input: NodeInput): Promise<Node> {
  const { cluster, store } = input;
  const { node: name, silenceMs } = cluster;
  const { bus } = store;
  const openFiles = filesIn(input.settings);
  const { shards: count, secret } = await foundingOf(store.values, cluster.shards);
  // Links to files are good at every node.
  linkSecret.bytes = createHash('sha256').update(`links ${secret}`).digest();
  const numbers = openNodeNumbers();
  let answers: Answers | null = null;
  let isLeaving = false;
  let { port } = cluster.address;
  const shards: HeldShard[] = [];
  const shard = (number: number): HeldShard => {
    const found = shards[number];
    if (found === undefined) throw new Error(`there is no shard ${number}`);
    return found;
  };
  const ofRealm = (realmId: number) => shard(shardOf(realmId, count));

  const members: Members = openMembers({
    bus,
    node: name,
    address: () => `${named(cluster.address.host)}:${port}`,
    silenceMs,
    owned: () =>
      shards.flatMap((held) =>
        held.isOwned() ? [[held.number, held.epoch(), held.sequence()] as const] : [],
      ),
    isLeaving: () => isLeaving || answers === null,
    onOwner: (node, [number, epoch]) => shards[number]?.heard(node, epoch),
  });

  async function stop(retryAfterMs: () => number) {
    isLeaving = true;
    retry.afterMs = retryAfterMs;
    await Promise.all(shards.map((held) => held.stop()));
    members.close();
  }

  const retry = { afterMs: () => RETRY_MS };
  const asking = openAsking({
    bus,
    shardOf: (realmId) => shardOf(realmId, count),
    isOwned: (number) => shard(number).isOwned(),
    whenApplied: (number, sequence, msMax) => shard(number).whenApplied(sequence, msMax),
    onBug: input.onBug,
  });
  const realms = openClusterRealms({
    ...input,
    askForQueue: asking.queue,
    node: name,
    shards: count,
    numbers,
    filesOf: (realmId) =>
      openFiles(join(input.path, 'realms', String(realmId), UPLOADS), realmId),
    heldShard: shard,
    isCutOff: () => members.reachedSince() === null,
    stop,
  });

  function owned(held: HeldShard): () => void {
    if (answers === null) throw new Error('the node owns a shard before it can answer');
    const openRealm = (id: number) => {
      const realm = realms.held(id)?.written()?.current();
      return realm?.isOpen() ? realm : undefined;
    };
    const ends = [
      openAnswering({
        bus,
        shard: held.number,
        ...answers,
        isWritten(host) {
          const { realm } = realms.at(host);
          return realm !== undefined && held.isOwned() && realms.isWritten(realm);
        },
        realm: openRealm,
        sequence: held.sequence,
      }),
      openTaking({
        bus,
        numbers,
        shard: held.number,
        realm: openRealm,
      }),
    ];
    const change = { shard: held.number, epoch: held.epoch() };
    input.onShard({ ...change, isOwned: true });
    setImmediate(() => members.beat());
    return () => {
      input.onShard({ ...change, isOwned: false });
      for (const end of ends) end();
    };
  }

  for (let number = 0; number < count; number++) {
    shards.push(
      openHeldShard({
        number,
        node: name,
        log: await store.openLog(number),
        realms: realms.ofShard(number),
        silenceMs,
        alive: members.alive,
        reachedSince: members.reachedSince,
        mayOwn: () => answers !== null && !isLeaving,
        retryAfterMs: () => retry.afterMs(),
        onOwned: owned,
        onFailed: (_, error) => input.onFatal(error),
      }),
    );
  }
  const unsubscribe = bus.subscribe(nodeSubject(name), (body) => {
    const [, realmId, queueId, ageMs] = unpacked<ToNode>(body);
    realms
      .held(realmId)
      ?.following()
      ?.replaced(queueId, momentMs() - ageMs);
  });
  await Promise.all(shards.map((held) => held.joined()));

  const whenCaughtUp: NonNullable<Deployment['whenCaughtUp']> = (host, position) => {
    const { queueId, lastEventId } = position;
    const { realm } = realms.at(host);
    if (realm === undefined || !realm.isOpen()) return null;
    const isBehind = () => lastEventId > headOf(realm);
    // The owner knows all queues, but others may apply a record before it does.
    const lacksQueue = !realms.isWritten(realm) && !realm.reader.queues.has([queueId]);
    if (!lacksQueue && !isBehind()) return null;
    return catchUp(ofRealm(realm.id), lacksQueue, () => realm.isOpen() && isBehind());
  };

  return {
    name,
    address: cluster.address,
    realms: { ...realms, whenCaughtUp },
    secret,
    ask: asking.request,
    members,
    relayTargetOf(host, isRelayed) {
      const { realm } = realms.at(host);
      if (realm === undefined || realms.isWritten(realm)) return null;
      const held = realms.held(realm.id);
      const owner = held === undefined ? null : members.ownerOf(held.shard);
      // A node that has just lost the shard does not send it round.
      if (isRelayed || owner === null || owner === undefined || owner === name) return undefined;
      return targetAt(members.addressOf(owner), secret);
    },
    begin(given, listening) {
      answers = given;
      port = listening;
    },
    async release() {
      isLeaving = true;
      members.beat();
      await Promise.race([
        Promise.all(shards.map((held) => held.release(null))),
        pause(RELEASE_MS_MAX, undefined, { ref: false }),
      ]);
    },
    move: (number, to) => shard(number).release(to),
    reasons() {
      if (members.reachedSince() === null) return ['the cluster is not reached'];
      const left = shards.filter(({ state }) => state() === 'failed').length;
      return left === 0 ? [] : [`${left} of the shards cannot be served`];
    },
    describe: () => ({
      nodes: members.beats().map(({ node, address, owns, isLeaving: leaves }) => ({
        node,
        address,
        shards_owned: owns.length,
        is_leaving: leaves,
      })),
      shards: shards.map((held) => ({
        shard: held.number,
        owner: held.isOwned() ? name : (members.ownerOf(held.number) ?? null),
        epoch: held.epoch(),
        sequence: held.sequence(),
        state: held.state(),
      })),
    }),
    async close() {
      unsubscribe();
      await store.close();
    },
  };

  /** An event that this node announces was told to those who listen here. */
  function headOf(realm: Realm): number {
    return realms.isWritten(realm) ? realm.announced() : realm.reader.head();
  }

  /** Waits until this node has what the owner had when it was asked, and what the client has. */
  async function catchUp(held: HeldShard, lacksQueue: boolean, isBehind: () => boolean) {
    const until = performance.now() + CATCH_UP_MS_MAX;
    const newest = lacksQueue ? await newestOf(bus, held.number, CATCH_UP_MS_MAX) : undefined;
    if (newest !== undefined) await held.whenApplied(newest, CATCH_UP_MS_MAX);
    while (isBehind() && performance.now() < until) await pause(CATCH_UP_LOOK_MS);
  }
}

const named = (host: string) => (host.includes(':') ? `[${host}]` : host);

function targetAt(address: string | undefined, secret: string): RelayTarget | undefined {
  const [, host = '', port = ''] = /^\[?(.+?)\]?:(\d+)$/.exec(address ?? '') ?? [];
  return host === '' ? undefined : { host, port: Number(port), secret };
}
