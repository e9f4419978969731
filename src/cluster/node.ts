import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { momentMs } from '../../actors/clock.ts';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { filesOver } from '../../storage/files/open-file-store.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { OperatedNode } from '../admin/commands/cluster-commands.ts';
import type { DeploymentInput } from '../admin/realms/input.ts';
import type { RequestHost } from '../domain/request-host.ts';
import type { Deployment } from '../endpoints/dispatch/deployment.ts';
import type { Dispatch } from '../endpoints/dispatch.ts';
import { linkSecret } from '../endpoints/files/temporary-links.ts';
import type { Ask } from '../gateways/forwarding.ts';
import type { RelayTarget } from '../gateways/relay.ts';
import type { ClusterSettings } from '../settings/cluster.ts';
import type { NoteBug } from '../transport/answers/reply.ts';
import { type Founding, foundingOf } from './founding.ts';
import type { ClusterStore } from './log/cluster-store.ts';
import { countedLog } from './log/counted-log.ts';
import { openAnswering } from './nodes/answering.ts';
import { newestOf, type OwnerAsking, openAsking } from './nodes/asking.ts';
import { type NodeNumbers, openNodeNumbers, openTaking } from './nodes/consumers.ts';
import { nodeSubject, type ToNode, unpacked } from './nodes/frames.ts';
import { type Members, openMembers } from './nodes/members.ts';
import { shardOf } from './placement.ts';
import { uploadsFolder } from './realm-folders.ts';
import { type ClusterRealms, openClusterRealms } from './realms/cluster-realms.ts';
import { openCopying } from './realms/copying.ts';
import { type HeldShard, openHeldShard } from './shards/held-shard.ts';
import type { SnapshotSchedule } from './snapshots/schedule.ts';
import type { Snapshot, Snapshots } from './snapshots/snapshot.ts';
import { openSnapshots } from './snapshots/snapshots.ts';

/** Shards are released within this time at a stop, or are claimed after silence. */
const RELEASE_MS_MAX = 3_000;
/** A poll that comes ahead of this node waits so long for it, and so long for the owner. */
const CATCH_UP_MS_MAX = 2_000;
const CATCH_UP_LOOK_MS = 5;
/** A closed realm is open again after about as long. */
const RETRY_MS = 300;

export interface NodeInput extends DeploymentInput {
  readonly cluster: ClusterSettings;
  readonly store: ClusterStore;
  /** The objects that the nodes share; undefined where files are in the folder of the owner. */
  readonly objects: ObjectStore | undefined;
  /** The process cannot go on: its store is not that of the log, or a disk has failed. */
  readonly onFatal: (error: unknown) => void;
  /** This node has become the owner of a shard, or is it no longer. */
  readonly onShard: (change: {
    readonly shard: number;
    readonly isOwned: boolean;
    readonly epoch: number;
  }) => void;
  readonly onSnapshot: (snapshot: Snapshot) => void;
  /** A snapshot could not be taken; it is tried again. */
  readonly onNoSnapshot: (error: unknown) => void;
}

/** The parts of the server that answer for the realms which this node writes. */
export interface Answers {
  readonly dispatch: Dispatch;
  readonly noteBug: NoteBug;
}

/** This process, as one of the nodes of a cluster. */
export interface Node extends OperatedNode {
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
  /** Takes the snapshots that are due now; the node looks for them every five minutes. */
  takeSnapshots(): Promise<void>;
  /** Says why the node should not be sent requests; empty if it should. */
  reasons(): readonly string[];
  close(): Promise<void>;
}

/** The parts of a node. Those that need each other find each other here. */
interface Joined {
  readonly input: NodeInput;
  readonly name: string;
  readonly founding: Founding;
  readonly numbers: NodeNumbers;
  readonly shards: HeldShard[];
  /** Null where the nodes share no objects. */
  readonly snapshots: Snapshots | null;
  copying: SnapshotSchedule | null;
  answers: Answers | null;
  isLeaving: boolean;
  /** The port at which other nodes reach this one. */
  port: number;
  retryAfterMs: () => number;
}

/** Joins the cluster. Resolves when the node has read the logs, and can serve. */
export async function openNode(input: NodeInput): Promise<Node> {
  const { cluster, store } = input;
  const founding = await foundingOf(store.values, cluster.shards);
  // Links to files are good at every node.
  linkSecret.bytes = createHash('sha256').update(`links ${founding.secret}`).digest();
  const joined: Joined = {
    input,
    name: cluster.node,
    founding,
    numbers: openNodeNumbers(),
    shards: [],
    copying: null,
    snapshots: snapshotsOf(input, founding),
    answers: null,
    isLeaving: false,
    port: cluster.address.port,
    retryAfterMs: () => RETRY_MS,
  };
  const members = membersOf(joined);
  const asking = openAsking({
    bus: store.bus,
    shardOf: (realmId) => shardOf(realmId, founding.shards),
    isOwned: (number) => shardIn(joined, number).isOwned(),
    whenApplied: (number, sequence, msMax) => shardIn(joined, number).whenApplied(sequence, msMax),
    onBug: input.onBug,
  });
  const realms = realmsOf(joined, members, asking);
  await openShards(joined, members, realms);
  const unsubscribe = store.bus.subscribe(nodeSubject(joined.name), (body) => {
    const [, realmId, queueId, ageMs] = unpacked<ToNode>(body);
    realms
      .held(realmId)
      ?.following()
      ?.replaced(queueId, momentMs() - ageMs);
  });
  await Promise.all(joined.shards.map((held) => held.joined()));
  joined.copying = copyingOf(joined, members, realms);
  return {
    name: joined.name,
    address: cluster.address,
    realms: { ...realms, whenCaughtUp: openCatchingUp(joined, realms) },
    secret: founding.secret,
    ask: asking.request,
    relayTargetOf: openRelaying(joined, members, realms),
    begin(answers, port) {
      joined.answers = answers;
      joined.port = port;
    },
    async release() {
      joined.isLeaving = true;
      members.beat();
      await Promise.race([
        Promise.all(joined.shards.map((held) => held.release(null))),
        pause(RELEASE_MS_MAX, undefined, { ref: false }),
      ]);
    },
    takeSnapshots: async () => joined.copying?.look(),
    move: (number, to) => shardIn(joined, number).release(to),
    reasons: () => (members.reachedSince() === null ? ['the cluster is not reached'] : []),
    describe: () => described(joined, members),
    async close() {
      unsubscribe();
      await store.close();
    },
  };
}

const snapshotsOf = ({ objects, cluster, clock }: NodeInput, { id }: Founding): Snapshots | null =>
  objects === undefined
    ? null
    : openSnapshots({ objects, cluster: id, node: cluster.node, now: () => clock.now() });

function shardIn({ shards }: Pick<Joined, 'shards'>, number: number): HeldShard {
  const found = shards[number];
  if (found === undefined) throw new Error(`there is no shard ${number}`);
  return found;
}

const membersOf = (joined: Joined): Members =>
  openMembers({
    bus: joined.input.store.bus,
    node: joined.name,
    address: () => `${bracketed(joined.input.cluster.address.host)}:${joined.port}`,
    silenceMs: joined.input.cluster.silenceMs,
    owned: () =>
      joined.shards.flatMap((held) =>
        held.isOwned() ? [[held.number, held.epoch(), held.sequence()] as const] : [],
      ),
    isLeaving: () => joined.isLeaving || joined.answers === null,
    onOwner: (node, [number, epoch, sequence]) =>
      joined.shards[number]?.heard(node, { epoch, sequence }),
    onTwin: (address) =>
      joined.input.onFatal(
        new Error(`another node at ${address} is called ${joined.name}: set CONFAB_NODE`),
      ),
  });

function realmsOf(joined: Joined, members: Members, asking: OwnerAsking): ClusterRealms {
  const { input } = joined;
  const openFiles = filesOver(input.objects);
  return openClusterRealms({
    ...input,
    askForQueue: asking.queue,
    node: joined.name,
    shards: joined.founding.shards,
    numbers: joined.numbers,
    snapshots: joined.snapshots,
    filesOf: (realmId) => openFiles(uploadsFolder(input.path, realmId), realmId),
    heldShard: (number) => shardIn(joined, number),
    isCutOff: () => members.reachedSince() === null,
    async stop(retryAfterMs) {
      joined.isLeaving = true;
      joined.retryAfterMs = retryAfterMs;
      // One that is being taken is of no use without its end, and the copy of it is removed.
      const copied = joined.copying?.stop();
      await Promise.all(joined.shards.map((held) => held.stop()));
      await Promise.race([copied, pause(RELEASE_MS_MAX, undefined, { ref: false })]);
      members.close();
    },
  });
}

function copyingOf(
  { input, snapshots, ...joined }: Joined,
  members: Members,
  realms: ClusterRealms,
): SnapshotSchedule | null {
  if (snapshots === null) return null;
  return openCopying({
    snapshots,
    path: input.path,
    clock: input.clock,
    realms,
    heldShard: (number) => shardIn(joined, number),
    isAlone: () => members.beats().length === 1,
    onTaken: input.onSnapshot,
    onFailed: input.onNoSnapshot,
  });
}

async function openShards(joined: Joined, members: Members, realms: ClusterRealms) {
  const { input, name, founding } = joined;
  for (let number = 0; number < founding.shards; number++) {
    const log = countedLog(await input.store.openLog(number));
    joined.shards.push(
      openHeldShard({
        number,
        node: name,
        log,
        realms: realms.ofShard(number),
        silenceMs: input.cluster.silenceMs,
        alive: members.alive,
        reachedSince: members.reachedSince,
        mayOwn: () => joined.answers !== null && !joined.isLeaving,
        retryAfterMs: () => joined.retryAfterMs(),
        onOwned: (held) => answerFor(joined, realms, { held, members }),
        onFailed: (_, error) => input.onFatal(error),
      }),
    );
  }
}

/** Answers for a shard from now on. Returns what ends that. */
function answerFor(
  { input, answers, numbers }: Joined,
  realms: ClusterRealms,
  { held, members }: { readonly held: HeldShard; readonly members: Members },
): () => void {
  if (answers === null) throw new Error('the node owns a shard before it can answer');
  const { bus } = input.store;
  const realm = (id: number) => {
    const found = realms.held(id)?.written()?.current();
    return found?.isOpen() ? found : undefined;
  };
  const ends = [
    openAnswering({
      bus,
      shard: held.number,
      ...answers,
      isWritten(host) {
        const { realm: named } = realms.at(host);
        return named !== undefined && held.isOwned() && realms.isWritten(named);
      },
      realm,
      sequence: held.sequence,
    }),
    openTaking({ bus, numbers, shard: held.number, realm }),
  ];
  const change = { shard: held.number, epoch: held.epoch() };
  input.onShard({ ...change, isOwned: true });
  setImmediate(() => members.beat());
  return () => {
    input.onShard({ ...change, isOwned: false });
    for (const end of ends) end();
  };
}

/** Something that a client names, and this node does not have. */
interface Lacks {
  /** True if it is the queue. */
  readonly isQueue: boolean;
  /** Tells whether it is an event. */
  readonly isBehind: () => boolean;
}

function openCatchingUp(
  joined: Joined,
  realms: ClusterRealms,
): NonNullable<Deployment['whenCaughtUp']> {
  const { bus } = joined.input.store;
  /** The events up to this one were told to those who listen here. */
  const headOf = (realm: Realm) =>
    realms.isWritten(realm) ? realm.announced() : realm.reader.head();

  /**
   * Waits until this node has what the client has, or what the owner had when it was asked.
   * Resolves with false if it has neither: then it is not known here if the client is wrong.
   */
  async function catchUp(held: HeldShard, lacks: Lacks): Promise<boolean> {
    const until = performance.now() + CATCH_UP_MS_MAX;
    const { isQueue, isBehind } = lacks;
    while (!isQueue && isBehind() && performance.now() < until) await pause(CATCH_UP_LOOK_MS);
    if (!isQueue && !isBehind()) return true;
    const newest = await newestOf(bus, held.number, CATCH_UP_MS_MAX);
    if (newest === undefined) return false;
    await held.whenApplied(newest, CATCH_UP_MS_MAX);
    return held.sequence() >= newest;
  }

  return (host, { queueId, lastEventId }) => {
    const { realm } = realms.at(host);
    if (realm === undefined || !realm.isOpen()) return null;
    const isBehind = () => lastEventId > headOf(realm);
    // The owner knows all queues, but others may apply a record before it does.
    const lacksQueue = !realms.isWritten(realm) && !realm.reader.queues.has([queueId]);
    if (!lacksQueue && !isBehind()) return null;
    const held = shardIn(joined, shardOf(realm.id, joined.founding.shards));
    return catchUp(held, { isQueue: lacksQueue, isBehind: () => realm.isOpen() && isBehind() });
  };
}

const openRelaying =
  ({ name, founding }: Joined, members: Members, realms: ClusterRealms): Node['relayTargetOf'] =>
  (host, isRelayed) => {
    const { realm } = realms.at(host);
    if (realm === undefined || realms.isWritten(realm)) return null;
    const owner = members.ownerOf(shardOf(realm.id, founding.shards));
    // A node that has just lost the shard does not send it round.
    if (isRelayed || owner === undefined || owner === name) return undefined;
    return targetAt(members.addressOf(owner), founding.secret);
  };

const described = ({ name, shards }: Joined, members: Members) => ({
  nodes: members.beats().map(({ node, address, owns, isLeaving }) => ({
    node,
    address,
    shards_owned: owns.length,
    is_leaving: isLeaving,
  })),
  shards: shards.map((held) => ({
    shard: held.number,
    owner: held.isOwned() ? name : (members.ownerOf(held.number) ?? null),
    epoch: held.epoch(),
    sequence: held.sequence(),
    state: held.state(),
  })),
});

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);

function targetAt(address: string | undefined, secret: string): RelayTarget | undefined {
  const [, host = '', port = ''] = /^\[?(.+?)\]?:(\d+)$/.exec(address ?? '') ?? [];
  return host === '' ? undefined : { host, port: Number(port), secret };
}
