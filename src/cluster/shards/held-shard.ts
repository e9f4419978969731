import { systemClock } from '../../../actors/clock.ts';
import {
  type ShardState,
  type ShardWork,
  type SupervisedShard,
  superviseShard,
} from '../../../actors/shard.ts';
import type { LoggedCommit, Place } from '../../../storage/replication/commit-log.ts';
import { openReplica, type Replica } from '../../../storage/replication/replica.ts';
import type { CountedLog } from '../log/counted-log.ts';
import type { ShardLog } from '../log/shard-log.ts';
import type { HeldRealm } from '../realms/held-realm.ts';
import { decodeRecord } from '../records/record.ts';
import { openShardWriter, type ShardWriter } from '../shard-writer.ts';
import { appendClaim } from './claiming.ts';
import { openShardTail, type ShardTail } from './shard-tail.ts';
import { openTurns, type Turns } from './turns.ts';

/** The realms of a shard, as the node holds them. */
export interface RealmsOfShard {
  /** Returns those of which the node has a copy. */
  all(): readonly HeldRealm[];
  /** Takes snapshots of what the node has no copy of, or one that the log has gone past. */
  ready(log: ShardLog): Promise<void>;
  /** Returns the realm, which gets a copy if it has none. */
  held(realmId: number): HeldRealm;
  /** Opens a realm to be written. */
  write(realm: HeldRealm, writer: ShardWriter, notBefore: number): Promise<void>;
}

export interface HeldShardInput {
  readonly number: number;
  readonly node: string;
  readonly log: CountedLog;
  readonly realms: RealmsOfShard;
  readonly silenceMs: number;
  /** Returns the nodes that may own shards. */
  readonly alive: () => readonly string[];
  /** Returns since when (`performance.now`) the node reaches the others; null if it does not. */
  readonly reachedSince: () => number | null;
  /** Tells whether the node may own shards. */
  readonly mayOwn: () => boolean;
  readonly retryAfterMs: () => number;
  /** This node owns the shard from now on. Returns what is to be done when it no longer does. */
  readonly onOwned: (shard: HeldShard) => () => void;
  readonly onFailed: (shard: number, error: unknown) => void;
}

/** A shard of which this node holds all realms. */
export interface HeldShard {
  readonly number: number;
  readonly log: ShardLog;
  state(): ShardState;
  /** Returns true if the node writes the realms of the shard. */
  isOwned(): boolean;
  /** Returns the number of the newest record that the node has stored or applied. */
  sequence(): number;
  /** Returns the epoch of the newest claim that the node knows of. */
  epoch(): number;
  /** Returns the node that has claimed the shard last, and has not released it. */
  owner(): string | null;
  /** Resolves when a record is applied, or after that time. */
  whenApplied(sequence: number, msMax: number): Promise<void>;
  /** Another node says that it owns the shard, and what it has stored there last. */
  heard(node: string, said: { readonly epoch: number; readonly sequence: number }): void;
  /** It is not known whether a record of this node is stored. */
  lost(): void;
  /** Resolves when the node has joined. */
  joined(): Promise<void>;
  /** Puts the first record of a realm into the log, and serves the realm. */
  addRealm(realmId: number, commit: LoggedCommit): Promise<HeldRealm>;
  /** Returns the bytes of the log that the node has read or appended since it started. */
  logBytes(): number;
  /**
   * Opens the copy of a realm that is followed once more, to be read at a moment between two
   * records: it stays open when the node becomes the owner meanwhile.
   */
  openCopy(realm: HeldRealm): Promise<Replica>;
  /** Notes in the copies of quiet realms where the log is, so that a restart need not read it. */
  pass(): Promise<void>;
  /** Gives the shard to another node, or to the first in line. */
  release(to: string | null): Promise<void>;
  stop(): Promise<void>;
}

/** The owner's side of a shard. */
interface Owning {
  readonly writer: ShardWriter;
  readonly end: () => void;
}

/** The state of a shard at this node. */
interface Holding {
  readonly input: HeldShardInput;
  readonly turns: Turns;
  tail: ShardTail | null;
  claim: { readonly place: Place; readonly at: number } | null;
  owning: Owning | null;
  isReleasing: boolean;
}

/** The rest of the node, as the work on a shard reaches it. */
interface Reached {
  readonly shard: () => HeldShard;
  readonly supervised: () => SupervisedShard;
}

export function openHeldShard(input: HeldShardInput): HeldShard {
  const holding: Holding = {
    input,
    turns: openTurns(input),
    tail: null,
    claim: null,
    owning: null,
    isReleasing: false,
  };
  const reached: Reached = { shard: () => shard, supervised: () => supervised };
  const shard: HeldShard = shardOver(holding, reached);
  const supervised = superviseShard({
    work: { ...following(holding, reached), ...owning(holding, reached) },
    clock: systemClock,
    onFailed: (error) => input.onFailed(input.number, error),
  });
  return shard;
}

const epochOf = ({ owning, tail, claim }: Holding) =>
  owning?.writer.last().epoch ?? tail?.last()?.epoch ?? claim?.place.epoch ?? 0;

function shardOver(holding: Holding, { supervised }: Reached): HeldShard {
  const { input, turns } = holding;
  return {
    number: input.number,
    log: input.log,
    state: () => supervised().state(),
    isOwned: () => holding.owning !== null && !holding.isReleasing,
    sequence: () => holding.owning?.writer.last().sequence ?? holding.tail?.last()?.sequence ?? 0,
    epoch: () => epochOf(holding),
    owner: turns.owner,
    async whenApplied(sequence, msMax) {
      if (holding.owning === null) await holding.tail?.reached(sequence, msMax);
    },
    heard(other, said) {
      const epoch = epochOf(holding);
      if (said.epoch < epoch) return;
      if (holding.owning !== null && said.epoch > epoch) supervised().deposed();
      turns.heard(other);
      holding.tail?.noteLast(said.sequence);
    },
    lost: () => supervised().deposed(),
    joined: () => supervised().reached('following', 'claiming', 'opening', 'owning'),
    addRealm: (realmId, commit) => addRealm(holding, realmId, commit),
    logBytes: () => input.log.bytes(),
    ...copying(holding),
    async release(to) {
      // A claim that is under way may make this node the owner.
      if (!['claiming', 'opening', 'owning'].includes(supervised().state())) return;
      supervised().release(to);
      await supervised().reached('following', 'leaving', 'left');
    },
    stop: () => supervised().stop(),
  };
}

/** Reads and marks the copies of a shard between two of its records. */
const copying = (holding: Holding): Pick<HeldShard, 'openCopy' | 'pass'> => ({
  async openCopy(realm) {
    const { tail, input } = holding;
    if (tail === null) throw new Error(`shard ${input.number} is not followed`);
    return await tail.between(async (place) => {
      if (place !== null) await realm.pass(place);
      return openReplica(realm.path);
    });
  },
  async pass() {
    await holding.tail?.between(async (place) => {
      if (place === null) return;
      for (const realm of holding.input.realms.all()) await realm.pass(place);
    });
  },
});

async function addRealm({ input, owning: owned }: Holding, realmId: number, commit: LoggedCommit) {
  if (owned === null) throw new Error(`shard ${input.number} is not owned`);
  const { writer } = owned;
  const place = await writer.commitLogOf(realmId).append(commit);
  const realm = input.realms.held(realmId);
  await realm.apply(commit, place);
  await input.realms.write(realm, writer, systemClock.now());
  return realm;
}

/** Reads the log from behind a record on. */
function follow(
  holding: Holding,
  { behind, at }: { readonly behind: Place | null; readonly at: number },
  { supervised }: Reached,
): ShardTail {
  const { input, turns } = holding;
  const { log, realms } = input;
  holding.tail = openShardTail({
    log,
    behind,
    at,
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
      const behind = oldest(realms.all().map((realm) => realm.follow()));
      const at = await timeOf(log, behind);
      await follow(holding, { behind, at }, reached).reached(await log.last());
    },
    untilClaim: turns.untilClaim,
    async claim() {
      const { tail } = holding;
      if (tail === null) throw new Error(`shard ${input.number} is not followed`);
      await tail.stop();
      const at = { behind: tail.last(), at: tail.at() };
      try {
        holding.claim = await appendClaim(log, { node, last: at.behind, notBefore: at.at });
      } catch (error) {
        follow(holding, at, reached);
        throw error;
      }
      if (holding.claim !== null) return true;
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
      holding.tail = null;
      turns.claimed(input.node);
      const writer = openShardWriter({
        log,
        claim: claim.place,
        at: claim.at,
        now: () => systemClock.now(),
        onDeposed: () => reached.supervised().deposed(),
      });
      for (const realm of realms.all()) await realms.write(realm, writer, claim.at);
      holding.owning = { writer, end: input.onOwned(reached.shard()) };
    },
    disown: () => followAgain(holding, reached),
    async release(to) {
      holding.isReleasing = true;
      try {
        // Their last commits are in the log before the release.
        for (const realm of realms.all()) await realm.close(retryAfterMs);
        // If it is not stored, the others hear no more of this node.
        await holding.owning?.writer.append({ kind: 'release', to }).catch(() => undefined);
        await followAgain(holding, reached);
        turns.releasedHere(to);
      } finally {
        holding.isReleasing = false;
      }
    },
  };
}

/** Ends the owning of a shard, and follows behind what this node has stored. */
async function followAgain(holding: Holding, reached: Reached) {
  const { input, owning: owned, turns } = holding;
  if (owned === null) throw new Error(`shard ${input.number} is not owned`);
  await owned.writer.close();
  for (const realm of input.realms.all()) await realm.close(input.retryAfterMs);
  owned.end();
  holding.owning = null;
  turns.claimed(null);
  for (const realm of input.realms.all()) realm.follow();
  follow(holding, { behind: owned.writer.last(), at: owned.writer.at() }, reached);
}

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
 * Returns the time in a record, in UNIX milliseconds; 0 if the log has it no longer. Throws if the
 * log never had it: a store that has what its log does not have must not be served.
 */
async function timeOf(log: ShardLog, behind: Place | null): Promise<number> {
  if (behind === null) return 0;
  const last = await log.last();
  const record = await log.record(behind.sequence);
  if (behind.sequence <= last && record === undefined) return 0;
  if (record?.id === behind.id) return decodeRecord(record.body).head.at;
  throw new Error(
    `the store of this node has record ${behind.sequence} (${behind.id}), which its log lacks: the log was cut back, or is that of another cluster`,
  );
}
