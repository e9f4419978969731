import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { momentMs } from '../../actors/clock.ts';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { filesOver } from '../../storage/files/open-file-store.ts';
import { canRead, type Schemas } from '../../storage/migrations/migration.ts';
import { SCHEMAS } from '../../storage/migrations/migrations.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { OperatedNode } from '../admin/commands/cluster-commands.ts';
import type { DeploymentInput } from '../admin/realms/input.ts';
import type { RequestHost } from '../domain/request-host.ts';
import * as errors from '../domain/wire/errors.ts';
import type { Deployment } from '../endpoints/dispatch/deployment.ts';
import type { Dispatch } from '../endpoints/dispatch.ts';
import { linkSecret } from '../endpoints/files/temporary-links.ts';
import type { Ask } from '../forwarding/forwarding.ts';
import type { RelayTarget } from '../forwarding/relay.ts';
import type { ClusterFigures } from '../metrics/declaration.ts';
import { type ClusterRecord, recordOwnerChange } from '../metrics/recorders.ts';
import type { ClusterSettings } from '../settings/cluster.ts';
import type { NoteBug } from '../transport/answers/reply.ts';
import type { Passing } from '../transport/passing.ts';
import { type Founding, foundingOf } from './founding.ts';
import type { ClusterStore, LogStanding } from './log/cluster-store.ts';
import { type CountedLog, countedLog } from './log/counted-log.ts';
import { type Nightly, verifyNightly } from './marks/nightly.ts';
import { type Marks, openMarks } from './marks/noting.ts';
import { openVerification, type Verify } from './marks/verification.ts';
import type { VerifiedShard } from './marks/verifying.ts';
import { openAbout } from './nodes/about.ts';
import { openAnswering } from './nodes/answering.ts';
import { mayLetGo, newestOf, type OwnerAsking, openAsking } from './nodes/asking.ts';
import { type NodeNumbers, openNodeNumbers, openTaking } from './nodes/consumers.ts';
import { type Describing, described, figuresOf } from './nodes/describing.ts';
import { type Directory, openDirectory } from './nodes/directory.ts';
import { nodeSubject, type ToNode, unpacked } from './nodes/frames.ts';
import { type Members, openMembers } from './nodes/members.ts';
import { holdsOf, noteHolds } from './nodes/node-file.ts';
import { presentNodes } from './nodes/present.ts';
import { type HolderLinks, openHolderLinks, placeIn } from './passing/holder-links.ts';
import { openPassing } from './passing/passing.ts';
import { shardOf } from './placement.ts';
import { realmIdsIn, uploadsFolder } from './realm-folders.ts';
import { type ClusterRealms, openClusterRealms } from './realms/cluster-realms.ts';
import { openCopying } from './realms/copying.ts';
import { type HeldShard, openHeldShard } from './shards/held-shard.ts';
import { serveTasks } from './shards/owner-tasks.ts';
import { type CopyChange, openPlacing, type Placing } from './shards/placing.ts';
import { openSlots, type Slots } from './shards/slots.ts';
import type { SnapshotSchedule } from './snapshots/schedule.ts';
import type { Snapshot, Snapshots } from './snapshots/snapshot.ts';
import { openSnapshots } from './snapshots/snapshots.ts';
import { type StorageStanding, watchStorage } from './storage-standing.ts';
import { upgradeCluster, whyNotUpgraded } from './versions/upgrading.ts';

/** Shards are released within this time at a stop, or are claimed after silence. */
const RELEASE_MS_MAX = 3_000;
/** A poll that comes ahead of this node waits so long for it, and so long for the owner. */
const CATCH_UP_MS_MAX = 2_000;
const CATCH_UP_LOOK_MS = 5;
/** An owner is asked for so long whether a copy may go; the next look asks again. */
const LET_GO_MS_MAX = 2_000;
/** A closed realm is open again after about as long. */
const RETRY_MS = 300;

export interface NodeInput extends DeploymentInput {
  readonly cluster: ClusterSettings;
  readonly store: ClusterStore;
  /** The objects that the nodes share; undefined where files are in the folder of the owner. */
  readonly objects: ObjectStore | undefined;
  /** In a test: the schemas that this node knows; by default those of this version of confab. */
  readonly schemas?: Schemas | undefined;
  /** The process cannot go on: its store is not that of the log, or a disk has failed. */
  readonly onFatal: (error: unknown) => void;
  /** This node has become the owner of a shard, or is it no longer. */
  readonly onShard: (change: {
    readonly shard: number;
    readonly isOwned: boolean;
    readonly epoch: number;
  }) => void;
  readonly clusterRecord: ClusterRecord;
  /** The copy of a shard has begun, is whole, or was removed. */
  readonly onCopy: (shard: number, change: CopyChange) => void;
  /** A copy could not be made or removed; it is tried again. */
  readonly onNoCopy: (shard: number, error: unknown) => void;
  readonly onSnapshot: (snapshot: Snapshot) => void;
  /** A snapshot could not be taken; it is tried again. */
  readonly onNoSnapshot: (error: unknown) => void;
  /** The copies of a shard were compared at night. */
  readonly onVerified: (verified: VerifiedShard) => void;
  readonly onNotVerified: (error: unknown) => void;
}

/** The parts of the server that answer for the realms which this node writes. */
export interface Answers {
  readonly dispatch: Dispatch;
  readonly noteBug: NoteBug;
}

/** This process, as one of the nodes of a cluster. */
export interface Node extends OperatedNode {
  /** Gives what it owns to others, as it stops. Resolves after three seconds at the latest. */
  release(): Promise<void>;
  /** The place where the other nodes reach this one. */
  readonly address: ClusterSettings['address'];
  readonly realms: ClusterRealms;
  /** The word by which nodes know each other's requests. */
  readonly secret: string;
  readonly verify: Verify;
  /** Asks the owner of a realm. */
  readonly ask: Ask;
  /** Returns who takes the uploads of a host: null for this node, undefined for nobody now. */
  relayTargetOf(host: RequestHost, isRelayed: boolean): RelayTarget | null | undefined;
  /** Returns what passes on to other nodes; `isTls` if clients of this one speak TLS. */
  passing(isTls: boolean): Passing;
  /** Lets the node own shards, as its port is open. */
  begin(answers: Answers, port: number): void;
  /** Takes the snapshots that are due now; the node looks for them every five minutes. */
  takeSnapshots(): Promise<void>;
  /** Compares the copies of a shard if that is due; the node looks every five minutes. */
  verifyDue(): Promise<void>;
  /** Says why the node should not be sent requests; empty if it should. */
  reasons(): readonly string[];
  /** Returns what metrics are read from. */
  figures(): ClusterFigures;
  /** Asks the servers of the log how they are. */
  logStanding(): Promise<LogStanding>;
  /** Returns how the shared storage was found; null where the nodes share none. */
  storageStanding(): StorageStanding | null;
  close(): Promise<void>;
}

/** The parts of a node. Those that need each other find each other here. */
interface Joined {
  readonly input: NodeInput;
  readonly name: string;
  readonly founding: Founding;
  readonly schemas: Schemas;
  readonly numbers: NodeNumbers;
  readonly directory: Directory;
  /** The shards that this node holds; null until they are opened. */
  slots: Slots | null;
  placing: Placing | null;
  /** Null where the nodes share no objects. */
  readonly snapshots: Snapshots | null;
  readonly marks: Marks;
  nightly: Nightly | null;
  copying: SnapshotSchedule | null;
  links: HolderLinks | null;
  answers: Answers | null;
  isLeaving: boolean;
  /** It gives its copies away, too. */
  isDrained: boolean;
  isStopping: boolean;
  /** The port at which other nodes reach this one. */
  port: number;
  retryAfterMs: () => number;
}

/** Joins the cluster. Resolves when the node has read the logs, and can serve. */
export async function openNode(given: NodeInput): Promise<Node> {
  const { cluster, store, clock } = given;
  const storage =
    given.objects === undefined ? null : watchStorage(given.objects, () => clock.now());
  const input = { ...given, objects: storage?.objects };
  const founding = await foundingOf(store.values, cluster.shards);
  // Links to files are good at every node.
  linkSecret.bytes = createHash('sha256').update(`links ${founding.secret}`).digest();
  const joined: Joined = {
    input,
    name: cluster.node,
    founding,
    schemas: input.schemas ?? SCHEMAS,
    numbers: openNodeNumbers(),
    directory: await openDirectory({ values: store.values, node: cluster.node }),
    slots: null,
    placing: null,
    copying: null,
    links: null,
    snapshots: snapshotsOf(input, founding),
    marks: openMarks({ bus: store.bus, node: cluster.node, onBug: input.onBug }),
    nightly: null,
    answers: null,
    isLeaving: false,
    isDrained: false,
    isStopping: false,
    port: cluster.address.port,
    retryAfterMs: () => RETRY_MS,
  };
  const members = membersOf(joined);
  const links = openHolderLinks({ node: cluster.node, members });
  joined.links = links;
  const asking = openAsking({
    bus: store.bus,
    shardOf: (realmId) => shardOf(realmId, founding.shards),
    isOwned: (number) => joined.slots?.held(number)?.isWriting() === true,
    whenApplied: async (number, sequence, msMax) =>
      await joined.slots?.held(number)?.whenApplied(sequence, msMax),
    onBug: input.onBug,
  });
  const realms = realmsOf(joined, members, asking);
  joined.slots = await slotsOf(joined, members, realms);
  joined.placing = placingOf(joined, members, realms);
  const unsubscribe = store.bus.subscribe(nodeSubject(joined.name), (body) => {
    const [, realmId, queueId, ageMs] = unpacked<ToNode>(body);
    realms
      .held(realmId)
      ?.following()
      ?.replaced(queueId, momentMs() - ageMs);
  });
  await holdAtStart(joined);
  joined.copying = copyingOf(joined, members, realms);
  const comparing = comparingOf(joined, members);
  return {
    name: joined.name,
    address: cluster.address,
    realms: { ...realms, whenCaughtUp: openCatchingUp(joined, realms) },
    secret: founding.secret,
    ask: asking.request,
    relayTargetOf: openRelaying(joined, members, realms),
    passing: (isTls) => passingOf(joined, realms, isTls),
    begin(answers, port) {
      joined.answers = answers;
      joined.port = port;
      joined.placing?.begin();
    },
    async release() {
      joined.isStopping = true;
      await releaseAll(joined, members);
    },
    async drain() {
      joined.isDrained = true;
      await releaseAll(joined, members);
    },
    takeSnapshots: async () => joined.copying?.look(),
    ...comparing,
    upgrade: () => upgradeCluster(upgradingOf(joined, members)),
    move: (number, to) => move(joined, members, { number, to }),
    reasons: () => reasonsOf(joined, members),
    ...shownOf(joined, members, storage),
    async close() {
      unsubscribe();
      joined.directory.close();
      await store.close();
    },
  };
}

const snapshotsOf = ({ objects, cluster, clock }: NodeInput, { id }: Founding): Snapshots | null =>
  objects === undefined
    ? null
    : openSnapshots({ objects, cluster: id, node: cluster.node, now: () => clock.now() });

/** Returns a shard that the node holds. */
function shardIn({ slots }: Pick<Joined, 'slots'>, number: number): HeldShard {
  const found = slots?.held(number);
  if (found === undefined) throw errors.badRequest(`This node has no copy of shard ${number}`);
  return found;
}

/** Resolves with false if the other node copies the shard first. */
async function move(
  joined: Joined,
  members: Members,
  { number, to }: { readonly number: number; readonly to: string },
): Promise<boolean> {
  await joined.directory.putWish(number, to);
  const isHeld = members.holdersOf(number).some(({ node }) => node === to);
  if (!isHeld) joined.placing?.giveLater(number, to);
  else if (to !== joined.name) await shardIn(joined, number).release(to);
  return isHeld;
}

function passingOf(joined: Joined, realms: ClusterRealms, isTls: boolean): Passing {
  const { links, slots, founding } = joined;
  if (links === null || slots === null) throw new Error('the node has no shards yet');
  return openPassing({
    links,
    secret: founding.secret,
    isTls,
    hasAll: slots.areAllWhole,
    shardElsewhere(host) {
      const { realm } = realms.at(host);
      if (realm === undefined) return undefined;
      const shard = shardOf(realm.id, founding.shards);
      return slots.isWhole(shard) ? undefined : shard;
    },
  });
}

/** Gives what this node owns to others, as far as others have a copy. */
async function releaseAll(joined: Joined, members: Members) {
  joined.isLeaving = true;
  members.beat();
  const given = (joined.slots?.all() ?? []).filter(
    ({ number }) => !joined.isDrained || members.holdersOf(number).length > 1,
  );
  await Promise.race([
    Promise.all(given.map((held) => held.release(null))),
    pause(RELEASE_MS_MAX, undefined, { ref: false }),
  ]);
}

const membersOf = (joined: Joined): Members =>
  openMembers({
    bus: joined.input.store.bus,
    node: joined.name,
    address: () => `${bracketed(joined.input.cluster.address.host)}:${joined.port}`,
    silenceMs: joined.input.cluster.silenceMs,
    owned: () =>
      wholeOf(joined).flatMap((held) =>
        held.isOwned() ? [[held.number, held.epoch(), held.sequence()] as const] : [],
      ),
    followed: () =>
      wholeOf(joined).flatMap((held) =>
        held.isOwned() ? [] : [[held.number, held.sequence()] as const],
      ),
    isLeaving: () => joined.isLeaving || joined.answers === null,
    about: openAbout(() => wholeOf(joined)),
    isDrained: () => joined.isDrained,
    rememberMs: joined.input.cluster.absenceMs,
    schema: joined.schemas.newest,
    onOwner: (node, [number, epoch, sequence]) =>
      joined.slots?.held(number)?.heard(node, { epoch, sequence }),
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
    heldShard: (number) => joined.slots?.held(number),
    holds: holdsOf(input.path),
    directory: joined.directory,
    ownerOf: (number) => ownerOf(joined, members, number),
    isCutOff: () => members.reachedSince() === null,
    schemas: joined.schemas,
    async stop(retryAfterMs) {
      joined.isLeaving = true;
      joined.isStopping = true;
      joined.placing?.stop();
      joined.links?.end();
      joined.retryAfterMs = retryAfterMs;
      // One that is being taken is of no use without its end, and the copy of it is removed.
      const copied = joined.copying?.stop();
      joined.nightly?.stop();
      await joined.marks.close();
      await joined.slots?.stop();
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
    realms: {
      *everyHeld() {
        for (const realm of realms.everyHeld()) {
          if (joined.slots?.isWhole(realm.shard)) yield realm;
        }
      },
    },
    heldShard: (number) => shardIn(joined, number),
    isAlone: (number) => members.holdersOf(number).length === 1,
    onTaken: input.onSnapshot,
    onFailed: input.onNoSnapshot,
  });
}

const wholeOf = ({ slots }: Joined): readonly HeldShard[] =>
  (slots?.all() ?? []).filter(({ number }) => slots?.isWhole(number));

/** Returns the node that owns a shard, as this one knows it. */
const ownerOf = ({ name, slots }: Joined, members: Members, number: number) =>
  slots?.held(number)?.isOwned() ? name : members.ownerOf(number);

/** Compares copies, when it is asked for and at night. */
function comparingOf(joined: Joined, members: Members): Pick<Node, 'verify' | 'verifyDue'> {
  const { input, founding } = joined;
  const { bus, values } = input.store;
  const verify = openVerification({ bus, known: members.known });
  const nightly = verifyNightly({
    clock: input.clock,
    values,
    shards: founding.shards,
    isOwned: (number) => joined.slots?.held(number)?.isOwned() === true,
    verify,
    onVerified: input.onVerified,
    onFailed: input.onNotVerified,
  });
  joined.nightly = nightly;
  return { verify, verifyDue: nightly.look };
}

const upgradingOf = ({ input, name, schemas, founding, slots }: Joined, members: Members) => ({
  bus: input.store.bus,
  node: name,
  schemas,
  members,
  shards: () =>
    Array.from({ length: founding.shards }, (_, number) => ({
      number,
      schema: () => slots?.held(number)?.schema(),
    })),
});

async function slotsOf(joined: Joined, members: Members, realms: ClusterRealms): Promise<Slots> {
  const { input, name, founding } = joined;
  const logs: CountedLog[] = [];
  for (let number = 0; number < founding.shards; number++) {
    logs.push(
      countedLog(await input.store.openLog(number), (ms) =>
        input.clusterRecord.appendMs.record(ms),
      ),
    );
  }
  const mayOwn = (number: number) =>
    joined.answers !== null && !joined.isLeaving && joined.slots?.isWhole(number) === true;
  return openSlots({
    logs,
    former: formerIn(input.path, founding.shards),
    open: (log, number, onFailed) =>
      openHeldShard({
        number,
        node: name,
        log,
        realms: realms.ofShard(number),
        marks: joined.marks,
        schemas: joined.schemas,
        isOlderAlive: () =>
          members
            .beats()
            .some(({ schema = 0, isLeaving }) => schema < joined.schemas.newest && !isLeaving),
        silenceMs: input.cluster.silenceMs,
        line: () => lineOf(joined, members, number),
        reachedSince: members.reachedSince,
        mayOwn: () => mayOwn(number),
        retryAfterMs: () => joined.retryAfterMs(),
        onOwned(held, change) {
          recordOwnerChange(input.clusterRecord, change);
          return answerFor(joined, realms, { held, members });
        },
        onFailed: (_, error) => onFailed(error),
      }),
    onFatal: input.onFatal,
    onHolds: (holds) => noteHolds(input.path, holds),
    beforeDrop: realms.beforeDrop,
    drop: realms.drop,
  });
}

/** Returns the nodes that may claim a shard, as they have a copy, the first in line first. */
function lineOf({ placing }: Joined, members: Members, number: number): readonly string[] {
  const nodes = members.holdersOf(number).flatMap(({ node, isLeaving }) => (isLeaving ? [] : node));
  return placing?.line(number, nodes) ?? nodes;
}

function placingOf(joined: Joined, members: Members, realms: ClusterRealms): Placing {
  const { input, name, directory, slots } = joined;
  if (slots === null) throw new Error('the node has no shards yet');
  const { cluster, store } = input;
  return openPlacing({
    node: name,
    slots,
    // Without objects that nodes share, files are in the folder of a node, which stays.
    copies: input.objects === undefined ? Number.POSITIVE_INFINITY : cluster.copies,
    present: () =>
      presentNodes({
        node: name,
        isDrained: joined.isDrained,
        known: directory.nodes(),
        members,
        absenceMs: cluster.absenceMs,
      }),
    wishFor: directory.wishFor,
    holdersOf: members.holdersOf,
    mayJudge: () =>
      joined.answers !== null && !joined.isStopping && members.reachedSince() !== null,
    askToLetGo: (shard) => mayLetGo(store.bus, { shard, node: name }, LET_GO_MS_MAX),
    onLook: () => void realms.tellNames().catch(() => undefined),
    onCopy(shard, change) {
      input.onCopy(shard, change);
      members.beat();
    },
    onFailed: input.onNoCopy,
  });
}

/**
 * Joins what the node held before, and what it should hold and need not copy. A node that has to
 * hold everything joins all of it before it serves.
 */
async function holdAtStart({ input, directory, slots, placing, name }: Joined) {
  if (slots === null || placing === null) return;
  const { cluster, objects, path } = input;
  const nodes = new Set([...directory.nodes(), name]);
  const isAll = objects === undefined || cluster.copies >= nodes.size;
  const held = new Set(formerIn(path, slots.count));
  const begun: Promise<void>[] = [];
  for (let number = 0; number < slots.count; number++) {
    const isHeld =
      isAll ||
      held.has(number) ||
      (placing.wanted(number).includes(name) && (await slots.isEmpty(number)));
    if (isHeld) begun.push(slots.begin(number, { isKept: true }));
  }
  await Promise.all(begun);
}

/** Returns the shards of which a directory has whole copies. */
const formerIn = (path: string, shards: number): readonly number[] =>
  holdsOf(path) ?? realmIdsIn(path).map((realmId) => shardOf(realmId, shards));

/** Answers for a shard from now on. Returns what ends that. */
function answerFor(
  joined: Joined,
  realms: ClusterRealms,
  { held, members }: { readonly held: HeldShard; readonly members: Members },
): () => void {
  const { input, answers, numbers, placing } = joined;
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
      mayLetGo: (node) => placing?.mayLetGo(held.number, node) === true,
    }),
    openTaking({ bus, numbers, shard: held.number, realm }),
    serveTasks({
      bus,
      node: input.cluster.node,
      held,
      known: () => members.known(held.number),
      whyNotUpgraded: (schema) => whyNotUpgraded(upgradingOf(joined, members), schema),
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
    const held = joined.slots?.held(shardOf(realm.id, joined.founding.shards));
    if (held === undefined) return null;
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
    const place = placeIn(members.addressOf(owner));
    return place === undefined ? undefined : { ...place, secret: founding.secret };
  };

function reasonsOf(joined: Joined, members: Members): readonly string[] {
  if (members.reachedSince() === null) return ['the cluster is not reached'];
  const waiting = wholeOf(joined).filter((held) => {
    const schema = held.schema();
    return schema !== 0 && !canRead(joined.schemas, schema);
  });
  if (waiting.length === 0) return [];
  return [`${waiting.length} shards have an earlier schema: run \`confab cluster upgrade\``];
}

/** Returns what operators see of a node. */
const shownOf = (
  joined: Joined,
  members: Members,
  storage: ReturnType<typeof watchStorage> | null,
): Pick<Node, 'describe' | 'figures' | 'logStanding' | 'storageStanding'> => ({
  describe: () => described(describing(joined), members),
  figures: () => figuresOf(describing(joined), members, storage?.standing().isAway ?? false),
  logStanding: () => joined.input.store.standing(),
  storageStanding: () => storage?.standing() ?? null,
});

const describing = ({ name, founding, slots, placing }: Joined): Describing => ({
  name,
  count: founding.shards,
  held: (shard) => slots?.held(shard),
  wanted: (shard) => placing?.wanted(shard) ?? [],
});

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);
