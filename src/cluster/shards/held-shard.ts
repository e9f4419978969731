import { systemClock } from '../../../actors/clock.ts';
import { type ShardState, type ShardWork, superviseShard } from '../../../actors/shard.ts';
import type { LoggedCommit, Place } from '../../../storage/replication/commit-log.ts';
import type { ShardLog } from '../log/shard-log.ts';
import type { HeldRealm } from '../realms/held-realm.ts';
import { decodeRecord } from '../record.ts';
import { openShardWriter, type ShardWriter } from '../shard-writer.ts';
import { appendClaim } from './claiming.ts';
import { openShardTail, type ShardTail } from './shard-tail.ts';
import { openTurns } from './turns.ts';

/** The realms of a shard, as the node holds them. */
export interface RealmsOfShard {
  /** Returns those of which the node has a copy. */
  all(): readonly HeldRealm[];
  /** Returns the realm, which gets a copy if it has none. */
  held(realmId: number): HeldRealm;
  /** Opens a realm to be written. */
  write(realm: HeldRealm, writer: ShardWriter, notBefore: number): Promise<void>;
}

export interface HeldShardInput {
  readonly number: number;
  readonly node: string;
  readonly log: ShardLog;
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
  /** Another node says that it owns the shard. */
  heard(node: string, epoch: number): void;
  /** It is not known whether a record of this node is stored. */
  lost(): void;
  /** Resolves when the node has joined. */
  joined(): Promise<void>;
  /** Puts the first record of a realm into the log, and serves the realm. */
  addRealm(realmId: number, commit: LoggedCommit): Promise<HeldRealm>;
  /** Gives the shard to another node, or to the first in line. */
  release(to: string | null): Promise<void>;
  stop(): Promise<void>;
}

/** The owner's side of a shard. */
interface Owning {
  readonly writer: ShardWriter;
  readonly end: () => void;
}

export function openHeldShard(input: HeldShardInput): HeldShard {
  const { number, node, log, realms, retryAfterMs } = input;
  let tail: ShardTail | null = null;
  let claim: { readonly place: Place; readonly at: number } | null = null;
  let owning: Owning | null = null;
  let isReleasing = false;
  const turns = openTurns(input);

  function follow(behind: Place | null, at: number) {
    tail = openShardTail({
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
        supervised.look();
      },
      onBroken: (error) => supervised.broken(error),
    });
    return tail;
  }

  const epoch = () => owning?.writer.last().epoch ?? tail?.last()?.epoch ?? claim?.place.epoch ?? 0;

  async function endOwning(): Promise<Place> {
    if (owning === null) throw new Error(`shard ${number} is not owned`);
    const { writer, end } = owning;
    await writer.close();
    for (const realm of realms.all()) await realm.close(retryAfterMs);
    end();
    owning = null;
    turns.claimed(null);
    return writer.last();
  }

  function followAgain(behind: Place) {
    for (const realm of realms.all()) realm.follow();
    follow(behind, claim?.at ?? 0);
  }

  const work: ShardWork = {
    async join() {
      const behind = oldest(realms.all().map((realm) => realm.follow()));
      const opened = follow(behind, await timeOf(log, behind));
      await opened.reached(await log.last());
    },
    untilClaim: turns.untilClaim,
    async claim() {
      if (tail === null) throw new Error(`shard ${number} is not followed`);
      await tail.stop();
      const [last, at] = [tail.last(), tail.at()];
      try {
        claim = await appendClaim(log, { node, last, notBefore: at });
      } catch (error) {
        follow(last, at);
        throw error;
      }
      if (claim !== null) return true;
      follow(last, at);
      // The log had more, which is read first.
      turns.refused();
      return false;
    },
    async own() {
      if (claim === null) throw new Error(`shard ${number} was not claimed`);
      tail = null;
      turns.claimed(node);
      const writer = openShardWriter({
        log,
        claim: claim.place,
        at: claim.at,
        now: () => systemClock.now(),
        onDeposed: () => supervised.deposed(),
      });
      for (const realm of realms.all()) await realms.write(realm, writer, claim.at);
      owning = { writer, end: input.onOwned(shard) };
    },
    async disown() {
      followAgain(await endOwning());
    },
    async release(to) {
      isReleasing = true;
      try {
        const { writer } = owning ?? {};
        // Their last commits are in the log before the release.
        for (const realm of realms.all()) await realm.close(retryAfterMs);
        // If it is not stored, the others hear no more of this node.
        await writer?.append({ kind: 'release', to }).catch(() => undefined);
        followAgain(await endOwning());
        turns.releasedHere(to);
      } finally {
        isReleasing = false;
      }
    },
    async leave() {
      await tail?.stop();
      for (const realm of realms.all()) await realm.close(retryAfterMs);
    },
  };

  const shard: HeldShard = {
    number,
    state: () => supervised.state(),
    isOwned: () => owning !== null && !isReleasing,
    sequence: () => owning?.writer.last().sequence ?? tail?.last()?.sequence ?? 0,
    epoch,
    owner: turns.owner,
    async whenApplied(sequence, msMax) {
      if (owning === null) await tail?.reached(sequence, msMax);
    },
    heard(other, otherEpoch) {
      if (otherEpoch < epoch()) return;
      if (owning !== null && otherEpoch > epoch()) supervised.deposed();
      turns.heard(other);
    },
    lost: () => supervised.deposed(),
    joined: () => supervised.reached('following', 'claiming', 'opening', 'owning'),
    async addRealm(realmId, commit) {
      if (owning === null) throw new Error(`shard ${number} is not owned`);
      const { writer } = owning;
      const place = await writer.commitLogOf(realmId).append(commit);
      const realm = realms.held(realmId);
      await realm.apply(commit, place);
      await realms.write(realm, writer, systemClock.now());
      return realm;
    },
    async release(to) {
      if (supervised.state() !== 'owning') return;
      supervised.release(to);
      await supervised.reached('following', 'claiming', 'opening', 'leaving', 'left');
    },
    stop: () => supervised.stop(),
  };
  const supervised = superviseShard({
    work,
    clock: systemClock,
    onFailed: (error) => input.onFailed(number, error),
  });
  return shard;
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
