import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../actors/clock.ts';
import {
  type ShardState,
  type ShardWork,
  type SupervisedShard,
  superviseShard,
} from '../../../actors/shard.ts';
import { canWrite, type Schemas } from '../../../storage/migrations/migration.ts';
import type { LoggedCommit, Place } from '../../../storage/replication/commit-log.ts';
import { openReplica, type Replica } from '../../../storage/replication/replica.ts';
import type { CountedLog } from '../log/counted-log.ts';
import type { ShardLog } from '../log/shard-log.ts';
import type { Marks } from '../marks/noting.ts';
import { bringUp } from '../realms/bringing-up.ts';
import type { HeldRealm } from '../realms/held-realm.ts';
import { type DecodedRecord, decodeRecord } from '../records/record.ts';
import { openShardWriter, type ShardWriter } from '../shard-writer.ts';
import { schemaRecord } from '../versions/schema-records.ts';
import { appendClaim } from './claiming.ts';
import { type Behind, type Lag, openLag } from './lag.ts';
import { placeBefore } from './log-start.ts';
import type { Former, OwnerChange } from './ownership.ts';
import { oneByOne, openShardTail, type ShardTail } from './shard-tail.ts';
import { openTurns, type Turns } from './turns.ts';

/** The realms of a shard, as the node holds them. */
export interface RealmsOfShard {
  /** Returns those of which the node has a copy. */
  all(): readonly HeldRealm[];
  /** Takes snapshots of what the node has no copy of, or one that the log has gone past. */
  ready(log: ShardLog): Promise<void>;
  /**
   * Returns the realm that a record is about, which gets a copy if it begins there; undefined if it
   * was deleted, or the node has to get a copy elsewhere first.
   */
  about(realmId: number, sequence: number): Promise<HeldRealm | undefined>;
  /** Makes a place for the copy of a realm, which is in its folder. */
  hold(realmId: number): HeldRealm;
  /** Forgets a realm, which is to be closed. */
  release(realm: HeldRealm): void;
  /** Returns the folder of a realm. */
  folderOf(realmId: number): string;
  /** Tells whether the node has no copy of some realm that it should have. */
  lacksSome(): boolean;
  /** Opens a realm to be written. */
  write(realm: HeldRealm, writer: ShardWriter, notBefore: number): Promise<void>;
}

export interface HeldShardInput {
  readonly number: number;
  readonly node: string;
  readonly log: CountedLog;
  readonly realms: RealmsOfShard;
  readonly marks: Marks;
  readonly schemas: Schemas;
  /** Tells whether a node lives that knows only earlier schemas. */
  readonly isOlderAlive: () => boolean;
  readonly silenceMs: number;
  /** Returns the nodes that may own the shard, the first in line first. */
  readonly line: () => readonly string[];
  /** Returns since when (`performance.now`) the node reaches the others; null if it does not. */
  readonly reachedSince: () => number | null;
  /** Tells whether the node may own shards. */
  readonly mayOwn: () => boolean;
  readonly retryAfterMs: () => number;
  /**
   * This node owns the shard from now on, as `change` says. Returns what is to be done when it no
   * longer does.
   */
  readonly onOwned: (shard: HeldShard, change: OwnerChange) => () => void;
  readonly onFailed: (shard: number, error: unknown) => void;
}

/** A shard of which this node holds all realms. */
export interface HeldShard {
  readonly number: number;
  readonly log: ShardLog;
  state(): ShardState;
  /** Returns true if the node has claimed the shard last. */
  isOwned(): boolean;
  /**
   * Returns true if the node writes the realms of the shard, as its owner; an owner that cannot
   * write their schema waits until it is raised.
   */
  isWriting(): boolean;
  /** Returns the schema of the shard; 0 if the log and the stores have none. */
  schema(): number;
  /** Returns the number of the newest record that the node has stored or applied. */
  sequence(): number;
  /** Returns the epoch of the newest claim that the node knows of. */
  epoch(): number;
  /** Returns the node that has claimed the shard last, and has not released it. */
  owner(): string | null;
  /** Returns how far this node is behind the owner. */
  behind(): Behind;
  /** Returns how the shard came to this node; null while it is not the owner. */
  change(): OwnerChange | null;
  /** Resolves when a record is applied, or after that time. */
  whenApplied(sequence: number, msMax: number): Promise<void>;
  /** Another node says that it owns the shard, and what it has stored there last. */
  heard(node: string, said: { readonly epoch: number; readonly sequence: number }): void;
  /** It is not known whether a record of this node is stored. */
  lost(): void;
  /** Resolves when the node has joined. */
  joined(): Promise<void>;
  /** Puts the first record of a realm into the log, and serves the realm. */
  addRealm(
    realmId: number,
    commit: LoggedCommit,
  ): Promise<{ readonly realm: HeldRealm; readonly place: Place }>;
  /** Serves a realm whose store is in its folder, as soon as it has what the log says of it. */
  take(realmId: number): Promise<void>;
  /** Serves a realm no more, and calls `remove` when nobody has its store open. */
  drop(realmId: number, remove: () => Promise<void>): Promise<void>;
  /** Returns the bytes of the log that the node has read or appended since it started. */
  logBytes(): number;
  /**
   * Opens the copy of a realm that is followed once more, to be read at a moment between two
   * records: it stays open when the node becomes the owner meanwhile.
   */
  openCopy(realm: HeldRealm): Promise<Replica>;
  /** Notes in the copies of quiet realms where the log is, so that a restart need not read it. */
  pass(): Promise<void>;
  /** Writes a mark, at which all holders hash their stores. Rejects if the node is no owner. */
  mark(): Promise<Place>;
  /**
   * Raises the schema of the shard to the newest that is known here, if it is lower. Resolves with
   * the newest record when this node has migrated; rejects if it is no owner.
   */
  upgrade(): Promise<Place>;
  /** Gives the shard to another node, or to the first in line. */
  release(to: string | null): Promise<void>;
  stop(): Promise<void>;
}

/** The owner's side of a shard. */
interface Owning {
  readonly writer: ShardWriter;
  readonly change: OwnerChange;
  readonly end: () => void;
  readonly schema: number;
}

/** The state of a shard at this node. */
interface Holding {
  readonly input: HeldShardInput;
  readonly turns: Turns;
  readonly lag: Lag;
  tail: ShardTail | null;
  claim: {
    readonly place: Place;
    readonly at: number;
    readonly former: Former;
    readonly schema: number;
  } | null;
  owning: Owning | null;
  isReleasing: boolean;
  /** The next release raises the schema first. */
  isUpgrading: boolean;
  /** Aborted when the node leaves the shard. */
  readonly leaving: AbortController;
  /** Changes of the state of the shard, and of its realms, come one after the other. */
  readonly turn: ReturnType<typeof oneByOne>;
}

/** The record behind which a log is followed. */
interface Start {
  readonly behind: Place | null;
  /** The time in that record, in UNIX milliseconds. */
  readonly at: number;
  readonly schema: number;
}

/** The rest of the node, as the work on a shard reaches it. */
interface Reached {
  readonly shard: () => HeldShard;
  readonly supervised: () => SupervisedShard;
}

export function openHeldShard(input: HeldShardInput): HeldShard {
  const holding: Holding = {
    input,
    turns: openTurns({
      ...input,
      mayOwn: () => input.mayOwn() && isForThisNode(holding),
    }),
    lag: openLag(),
    tail: null,
    claim: null,
    owning: null,
    isReleasing: false,
    isUpgrading: false,
    leaving: new AbortController(),
    turn: oneByOne(),
  };
  const reached: Reached = { shard: () => shard, supervised: () => supervised };
  const shard: HeldShard = shardOver(holding, reached);
  const supervised = superviseShard({
    work: inTurn(holding, { ...following(holding, reached), ...owning(holding, reached) }),
    clock: systemClock,
    onFailed: (error) => input.onFailed(input.number, error),
  });
  return shard;
}

/** A realm is neither taken nor dropped while the shard changes over. */
const inTurn = ({ turn }: Holding, work: ShardWork): ShardWork => ({
  join: () => turn.next(work.join),
  untilClaim: work.untilClaim,
  claim: () => turn.next(work.claim),
  own: () => turn.next(work.own),
  disown: () => turn.next(work.disown),
  release: (to) => turn.next(() => work.release(to)),
  leave: () => turn.next(work.leave),
});

const epochOf = ({ owning, tail, claim }: Holding) =>
  owning?.writer.last().epoch ?? tail?.last()?.epoch ?? claim?.place.epoch ?? 0;

const appliedBy = ({ tail }: Holding) => tail?.last()?.sequence ?? 0;

const schemaOf = ({ owning, tail, claim }: Holding) =>
  owning?.schema ?? tail?.schema() ?? claim?.schema ?? 0;

/** A shard without records or stores has no schema yet, and gets that of its first owner. */
const isWritable = ({ schemas }: HeldShardInput, schema: number) =>
  schema === 0 || canWrite(schemas, schema);

/** A shard that cannot be written here yet is left to nodes that can, if there are any. */
const isForThisNode = (holding: Holding) =>
  isWritable(holding.input, schemaOf(holding)) || !holding.input.isOlderAlive();

function shardOver(holding: Holding, { supervised }: Reached): HeldShard {
  const { input, turns } = holding;
  return {
    number: input.number,
    log: input.log,
    state: () => supervised().state(),
    isOwned: () => holding.owning !== null && !holding.isReleasing,
    isWriting: () =>
      holding.owning !== null && !holding.isReleasing && isWritable(input, holding.owning.schema),
    schema: () => schemaOf(holding),
    sequence: () => lastOf(holding)?.sequence ?? 0,
    epoch: () => epochOf(holding),
    owner: turns.owner,
    behind: () =>
      holding.owning === null ? holding.lag.behind(appliedBy(holding)) : { records: 0, ms: 0 },
    change: () => holding.owning?.change ?? null,
    async whenApplied(sequence, msMax) {
      if (holding.owning === null) await holding.tail?.reached(sequence, msMax);
    },
    heard(other, said) {
      const epoch = epochOf(holding);
      if (said.epoch < epoch) return;
      if (holding.owning !== null && said.epoch > epoch) supervised().deposed();
      turns.heard(other);
      if (holding.owning === null) holding.lag.heard(said.sequence, appliedBy(holding));
      holding.tail?.noteLast(said.sequence);
    },
    lost: () => supervised().deposed(),
    joined: () => supervised().reached('following', 'claiming', 'opening', 'owning'),
    ...changing(holding),
    logBytes: () => input.log.bytes(),
    ...copying(holding),
    mark: () => mark(holding),
    upgrade: () => upgrade(holding, supervised()),
    async release(to) {
      // A claim that is under way may make this node the owner.
      if (!['claiming', 'opening', 'owning'].includes(supervised().state())) return;
      supervised().release(to);
      await supervised().reached('following', 'leaving', 'left');
    },
    stop() {
      holding.leaving.abort();
      return supervised().stop();
    },
  };
}

/** Reads and marks the copies of a shard between two of its records. */
const copying = (holding: Holding): Pick<HeldShard, 'openCopy' | 'pass'> => ({
  async openCopy(realm) {
    const { tail, input } = holding;
    if (tail === null) throw new Error(`shard ${input.number} is not followed`);
    return await tail.between(async (place) => {
      if (place !== null) await realm.pass(place);
      return openReplica(realm.path, input.schemas);
    });
  },
  async pass() {
    await holding.tail?.between(async (place) => {
      if (place === null) return;
      for (const realm of holding.input.realms.all()) await realm.pass(place);
    });
  },
});

/** Returns the newest record that the node has stored or applied. */
const lastOf = ({ owning: owned, tail, claim }: Holding): Place | null =>
  owned?.writer.last() ?? (tail === null ? (claim?.place ?? null) : tail.last());

/** Adds realms to a shard, and takes them away. */
function changing(holding: Holding): Pick<HeldShard, 'addRealm' | 'take' | 'drop'> {
  const { input, turn } = holding;
  const { realms, log, schemas, retryAfterMs } = input;
  const { signal } = holding.leaving;

  /** Does something while no record of the shard is applied. */
  function apart<T>(work: () => Promise<T>): Promise<T> {
    return turn.next(() => {
      if (signal.aborted) throw new Error(`shard ${input.number} was left`);
      return holding.tail === null ? work() : holding.tail.between(work);
    });
  }

  async function serve(realm: HeldRealm) {
    const { owning: owned } = holding;
    try {
      realm.follow();
      if (owned !== null) await realms.write(realm, owned.writer, owned.writer.at());
    } catch (error) {
      realms.release(realm);
      await realm.close(retryAfterMs);
      throw error;
    }
  }

  return {
    addRealm: (realmId, commit) =>
      turn.next(async () => {
        const { owning: owned } = holding;
        if (owned === null) throw new Error(`shard ${input.number} is not owned`);
        const { writer, schema } = owned;
        const place = await writer.commitLogOf(realmId).append(commit);
        const realm = realms.hold(realmId);
        realm.follow();
        await realm.apply(commit, place, schema);
        await realms.write(realm, writer, systemClock.now());
        return { realm, place };
      }),
    async take(realmId) {
      const copy = { log, folder: realms.folderOf(realmId), realmId, schemas, signal };
      // Most of it is read while the others of the shard go on.
      await bringUp({ ...copy, to: await log.last() });
      await apart(async () => {
        await bringUp({ ...copy, to: lastOf(holding)?.sequence ?? 0 });
        await serve(realms.hold(realmId));
      });
    },
    drop: (realmId, remove) =>
      apart(async () => {
        const realm = realms.all().find(({ id }) => id === realmId);
        if (realm !== undefined) {
          realms.release(realm);
          await realm.close(retryAfterMs);
        }
        await remove();
      }),
  };
}

async function mark({ input, owning: owned }: Holding): Promise<Place> {
  const { number, marks, realms } = input;
  if (owned === null) throw new Error(`shard ${number} is not owned`);
  const prepared = await marks.prepare(number, realms.all());
  try {
    return await owned.writer.mark((place, lastOf) =>
      prepared.freeze({ place, stores: realms.all(), lastOf }),
    );
  } catch (error) {
    await prepared.giveUp();
    throw error;
  }
}

/** A migration of large stores takes minutes; after this time the log tells what came of it. */
const MIGRATION_MS_MAX = 600_000;
const MIGRATION_LOOK_MS = 20;

/**
 * The record is read by this node as by all others, and its stores are migrated there: so it gives
 * the shard to itself.
 */
async function upgrade(holding: Holding, supervised: SupervisedShard): Promise<Place> {
  const { number, node, schemas } = holding.input;
  const { owning: owned } = holding;
  if (owned === null) throw new Error(`shard ${number} is not owned`);
  if (owned.schema >= schemas.newest) return owned.writer.last();
  holding.isUpgrading = true;
  supervised.release(node);
  await supervised.reached('following', 'leaving', 'left');
  const until = performance.now() + MIGRATION_MS_MAX;
  while (performance.now() < until && holding.owning === null) {
    const place = holding.tail?.last() ?? holding.claim?.place;
    if (place !== undefined && schemaOf(holding) >= schemas.newest) return place;
    await pause(MIGRATION_LOOK_MS);
  }
  if (holding.owning === null || holding.owning.schema < schemas.newest) {
    throw new Error(`the schema of shard ${number} was not raised`);
  }
  return holding.owning.writer.last();
}

/** A mark that was written longer ago is met by a node that joins, and nobody waits for it. */
const MARK_MS_MAX = 600_000;

async function noteMark({ number, marks, realms }: HeldShardInput, place: Place, at: number) {
  if (systemClock.now() - at > MARK_MS_MAX) return;
  const stores = realms.all();
  const prepared = await marks.prepare(number, stores);
  await prepared.freeze({ place, stores });
}

/** Reads the log from behind a record on. */
function follow(holding: Holding, start: Start, { supervised }: Reached): ShardTail {
  const { input, turns } = holding;
  const { log, realms } = input;
  holding.tail = openShardTail({
    log,
    ...start,
    schemas: input.schemas,
    realms,
    onOwner(owner) {
      turns.claimed(owner);
      // A new owner does not know who is listened to here.
      for (const realm of realms.all()) realm.following()?.tell();
    },
    onReleased(to) {
      turns.released(to);
      supervised().look();
    },
    onMark: (place, markedAt) => noteMark(input, place, markedAt),
    onBroken: (error) => supervised().broken(error),
  });
  return holding.tail;
}

/** The work of a node that does not own the shard. */
function following(
  holding: Holding,
  reached: Reached,
): Pick<ShardWork, 'join' | 'untilClaim' | 'claim' | 'leave'> {
  const { input, turns } = holding;
  const { log, node, realms, retryAfterMs } = input;
  return {
    async join() {
      await realms.ready(log);
      const known = oldest(realms.all().map((realm) => realm.follow()));
      const behind = known ?? (await placeBefore(log));
      const head = await headOf(log, behind);
      const ofStores = Math.max(0, ...realms.all().map((realm) => realm.schema()));
      const schema = Math.max(head.schema, known === null ? 0 : ofStores);
      const tail = follow(holding, { behind, at: head.at, schema }, reached);
      try {
        await tail.reached(await log.last());
      } catch (error) {
        await tail.stop();
        throw error;
      }
    },
    // Others may have copies of all realms.
    untilClaim: () => turns.untilClaim() + (realms.lacksSome() ? LACKING_MS : 0),
    async claim() {
      const { tail } = holding;
      if (tail === null) throw new Error(`shard ${input.number} is not followed`);
      await tail.stop();
      const at = { behind: tail.last(), at: tail.at(), schema: tail.schema() };
      const schema = at.schema === 0 ? input.schemas.newest : at.schema;
      const former = turns.former();
      try {
        const last = { last: at.behind, notBefore: at.at, schema };
        const claim = await appendClaim(log, { node, ...last });
        holding.claim = claim === null ? null : { ...claim, former };
      } catch (error) {
        follow(holding, at, reached);
        throw error;
      }
      if (holding.claim !== null) {
        holding.tail = null;
        return true;
      }
      follow(holding, at, reached);
      // If the log has more, that is read first.
      const last = await log.last().catch(() => Number.POSITIVE_INFINITY);
      turns.refused(last < (at.behind?.sequence ?? 0));
      return false;
    },
    async leave() {
      await holding.tail?.stop();
      for (const realm of realms.all()) await realm.close(retryAfterMs);
    },
  };
}

/** The work of the owner of the shard. */
function owning(holding: Holding, reached: Reached): Pick<ShardWork, 'own' | 'disown' | 'release'> {
  const { input, turns } = holding;
  const { log, realms, retryAfterMs } = input;
  return {
    async own() {
      const { claim } = holding;
      if (claim === null) throw new Error(`shard ${input.number} was not claimed`);
      turns.claimed(input.node);
      const writer = openShardWriter({
        log,
        claim: claim.place,
        at: claim.at,
        schema: claim.schema,
        now: () => systemClock.now(),
        onDeposed: () => reached.supervised().deposed(),
      });
      if (isWritable(input, claim.schema)) {
        for (const realm of realms.all()) await realms.write(realm, writer, claim.at);
      }
      const { schema } = claim;
      const { since, ...former } = claim.former;
      const change = { ...former, at: systemClock.now(), ms: performance.now() - since };
      holding.owning = { writer, change, schema, end: input.onOwned(reached.shard(), change) };
    },
    disown: () => followAgain(holding, reached),
    async release(to) {
      holding.isReleasing = true;
      const { isUpgrading } = holding;
      holding.isUpgrading = false;
      try {
        // Their last commits are in the log before the release.
        for (const realm of realms.all()) await realm.close(retryAfterMs);
        // If it is not stored, the others hear no more of this node.
        const behind = isUpgrading ? await raise(holding).catch(() => undefined) : undefined;
        await holding.owning?.writer.append({ kind: 'release', to }).catch(() => undefined);
        await followAgain(holding, reached, behind);
        turns.releasedHere(to);
      } finally {
        holding.isReleasing = false;
      }
    },
  };
}

/** Raises the schema in the log. Resolves with the place at which stores had the former one. */
async function raise({ input, owning: owned }: Holding): Promise<Start | undefined> {
  if (owned === null) return undefined;
  const { writer, schema } = owned;
  const before = { behind: writer.last(), at: writer.at(), schema };
  await writer.append(schemaRecord(input.schemas.newest));
  return before;
}

/** Ends the owning of a shard, and follows behind what this node has stored, or from a start on. */
async function followAgain(holding: Holding, reached: Reached, start?: Start) {
  const { input, owning: owned, turns } = holding;
  if (owned === null) throw new Error(`shard ${input.number} is not owned`);
  await owned.writer.close();
  for (const realm of input.realms.all()) await realm.close(input.retryAfterMs);
  owned.end();
  holding.owning = null;
  turns.claimed(null);
  for (const realm of input.realms.all()) realm.follow();
  const { writer, schema } = owned;
  follow(holding, start ?? { behind: writer.last(), at: writer.at(), schema }, reached);
}

/** A node that lacks copies of some realms lets the others claim first, for so long. */
const LACKING_MS = 3_000;

/** Returns the oldest of the places up to which the copies of a shard have its records. */
function oldest(places: readonly (Place | null)[]): Place | null {
  let first: Place | null = places[0] ?? null;
  for (const place of places) {
    if (place === null) return null;
    if (first !== null && place.sequence < first.sequence) first = place;
  }
  return first;
}

/**
 * Returns the time (UNIX milliseconds) and the schema in a record; 0 if the log has it no longer.
 * Throws if the log never had it: a store that has what its log does not have must not be served.
 */
async function headOf(log: ShardLog, behind: Place | null): Promise<Omit<Start, 'behind'>> {
  if (behind === null) return NOTHING_KNOWN;
  const last = await log.last();
  const record = await log.record(behind.sequence);
  if (behind.sequence <= last && record === undefined) return NOTHING_KNOWN;
  if (record?.id === behind.id) return startIn(decodeRecord(record.body));
  throw new Error(
    `the store of this node has record ${behind.sequence} (${behind.id}), which its log lacks: the log was cut back, or is that of another cluster`,
  );
}

const NOTHING_KNOWN = { at: 0, schema: 0 };

const startIn = ({ head, payload }: DecodedRecord) => ({
  at: head.at,
  schema: payload.kind === 'schema' ? payload.version : head.schema,
});
