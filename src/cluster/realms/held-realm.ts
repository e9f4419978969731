import { join } from 'node:path';
import type { Clock } from '../../../actors/clock.ts';
import { type FollowingRealm, followRealm, type Writer } from '../../../actors/realm/following.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { SupervisedRealm } from '../../../actors/supervisor.ts';
import type { FileStore } from '../../../storage/files/file-store.ts';
import type { LoggedCommit, Place, WriteSet } from '../../../storage/replication/commit-log.ts';
import { openReplica, type Replica } from '../../../storage/replication/replica.ts';
import { TABLES } from '../../../storage/schema.ts';
import type { Hosted } from '../../admin/realms/hosts.ts';
import { standInFor } from '../../admin/unserved-realm.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { RealmRecord } from '../../metrics/recorders.ts';
import * as realms from '../../operations/access/realms.ts';
import type { Heads } from './heads.ts';

interface HeldRealmInput {
  readonly id: number;
  readonly shard: number;
  /** The folder of all realms. */
  readonly folder: string;
  readonly files: FileStore;
  readonly record: RealmRecord;
  readonly clock: Clock;
  readonly writer: Writer;
  readonly heads: Heads;
  /** The realm has other names now, or is open or closed. */
  readonly onNamed: () => void;
}

/** A realm of which this node has a copy: it follows it, or it writes it, or it changes over. */
export interface HeldRealm extends Hosted {
  readonly id: number;
  readonly shard: number;
  /** The folder of the realm. */
  readonly path: string;
  /** All names that the realm had when they were last read. */
  names(): readonly string[];
  following(): FollowingRealm | null;
  /** Returns the realm if this node writes it. */
  written(): SupervisedRealm | null;
  /** Opens the copy, to follow. Returns the newest record that it has; null if it is new. */
  follow(): Place | null;
  /** Does what a record says of the realm, unless the copy has it already. */
  apply(commit: LoggedCommit, place: Place): Promise<void>;
  /** Notes that the copy has everything up to a record that says nothing of the realm. */
  pass(place: Place): Promise<void>;
  /** Closes the copy that follows, and opens the realm that `open` starts. */
  write(open: () => Promise<SupervisedRealm>): Promise<void>;
  /** Closes whatever is open. */
  close(retryAfterMs: () => number): Promise<void>;
  readNames(): void;
}

export function holdRealm(input: HeldRealmInput): HeldRealm {
  const { id, shard, folder, heads } = input;
  const path = join(folder, String(id));
  let replica: Replica | null = null;
  let following: FollowingRealm | null = null;
  let written: SupervisedRealm | null = null;
  let names: readonly string[] = [];
  const changing = closedRealm(id, () => names);

  function readNames() {
    const realm = written?.current() ?? following?.realm;
    if (realm?.isOpen()) names = realms.namesOf(realm.reader);
    input.onNamed();
  }

  /** A copy without any rows is that of a realm whose first record is still to come. */
  function serve(opened: Replica) {
    following = followRealm({
      id,
      store: opened,
      files: input.files,
      clock: input.clock,
      record: input.record,
      head: opened.reader.head(),
      writer: input.writer,
    });
    readNames();
  }

  async function stopFollowing(retryAfterMs: () => number) {
    const [stopped, store] = [following, replica];
    following = null;
    replica = null;
    heads.ended(id);
    // It closes the store as well.
    if (stopped !== null) await stopped.stop(retryAfterMs);
    else await store?.close();
  }

  return {
    id,
    shard,
    path,
    names: () => names,
    following: () => following,
    written: () => written,
    current: () => written?.current() ?? following?.realm ?? changing,
    follow() {
      replica = openReplica(path);
      if (replica.reader.realm.get(['realm']) !== undefined) serve(replica);
      return replica.applied();
    },
    async apply({ writes, head }, place) {
      if (replica === null) throw new Error(`realm ${id} does not follow`);
      const applied = replica.applied();
      if (applied !== null && applied.sequence >= place.sequence) return;
      await replica.apply(writes, place);
      if (following === null) return serve(replica);
      endQueues(following, writes);
      following.announceTo(head);
      heads.reached(id, head);
      if (writes.some(([table]) => table === TABLES.realm.name)) readNames();
    },
    async pass(place) {
      // A copy without any rows has not seen its first record.
      if (replica === null || following === null) return;
      if ((replica.applied()?.sequence ?? 0) < place.sequence) await replica.apply([], place);
    },
    async write(open) {
      await stopFollowing(() => TAKEOVER_MS);
      written = await open();
      readNames();
    },
    async close(retryAfterMs) {
      const stopped = written;
      written = null;
      await stopped?.stop(retryAfterMs);
      await stopFollowing(retryAfterMs);
    },
    readNames,
  };
}

/** A node that takes over is ready for its clients after about as long. */
const TAKEOVER_MS = 300;

function endQueues(following: FollowingRealm, writes: WriteSet) {
  for (const [table, rows] of writes) {
    if (table !== TABLES.queues.name) continue;
    for (const [key, row] of rows) if (row === null) endQueue(following, String(key[0]));
  }
}

function endQueue({ realm, end }: FollowingRealm, queueId: string) {
  const queue = realm.queues.all().get(queueId);
  if (queue === undefined) return;
  const isActive = realm.reader.users.get([queue.userId])?.isActive === true;
  end(queueId, isActive ? 'queue gone' : 'account gone');
}

/** A realm that changes over: it is closed for a moment. */
function closedRealm(id: number, names: () => readonly string[]): Realm {
  return standInFor({ id, names: names() }, errors.serverStopping).current();
}
