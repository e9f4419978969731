import type { ShardState } from '../../../actors/shard.ts';
import type { Schemas } from '../../../storage/migrations/migration.ts';
import type { LoggedCommit, Place } from '../../../storage/replication/commit-log.ts';
import type { Replica } from '../../../storage/replication/replica.ts';
import type { CountedLog } from '../log/counted-log.ts';
import type { ShardLog } from '../log/shard-log.ts';
import type { Marks } from '../marks/noting.ts';
import type { HeldRealm } from '../realms/held-realm.ts';
import type { ShardWriter } from '../shard-writer.ts';
import type { Behind } from './lag.ts';
import type { OwnerChange } from './ownership.ts';

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
  /**
   * Calls a function whenever this node hears that the shard was claimed. Returns what ends that.
   * Two listeners are two functions.
   */
  onClaim(call: () => void): () => void;
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
  /**
   * Gives the shard to another node, or to the first in line, and follows again, unless the node is
   * about to stop.
   */
  release(to: string | null, options?: { readonly isLast: boolean }): Promise<void>;
  stop(): Promise<void>;
}
