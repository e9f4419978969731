import { join } from 'node:path';
import type { Clock } from '../../../actors/clock.ts';
import { type FollowingRealm, followRealm, type Writer } from '../../../actors/realm/following.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { SupervisedRealm } from '../../../actors/supervisor.ts';
import type { FileStore } from '../../../storage/files/file-store.ts';
import { canRead, type Schemas } from '../../../storage/migrations/migration.ts';
import type { LoggedCommit, Place, WriteSet } from '../../../storage/replication/commit-log.ts';
import { openReplica, type Replica } from '../../../storage/replication/replica.ts';
import { TABLES } from '../../../storage/schema.ts';
import type { Hosted } from '../../admin/realms/hosts.ts';
import { standInFor } from '../../admin/unserved-realm.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { RealmRecord } from '../../metrics/recorders.ts';
import * as realms from '../../operations/access/realms.ts';
import { migrateApart } from '../versions/migrate-apart.ts';
import type { SeededMoment } from '../versions/seeded-moment.ts';
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
  readonly schemas: Schemas;
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
  /** Returns the schema of the copy; 0 while none is open. */
  schema(): number;
  /**
   * Does what a record says of the realm, unless the copy has it already. The record is of this
   * schema.
   */
  apply(commit: LoggedCommit, place: Place, schema: number): Promise<void>;
  /** Migrates the copy, as a record says. Its listeners come again afterwards. */
  migrate(to: SchemaChange, place: Place): Promise<void>;
  /** Notes that the copy has everything up to a record that says nothing of the realm. */
  pass(place: Place): Promise<void>;
  /**
   * Closes the copy that follows, and opens the realm that `open` starts, which says when it has
   * made its last commit.
   */
  write(open: (onLastCommit: () => void) => Promise<SupervisedRealm>): Promise<void>;
  /** Closes whatever is open. The last commit is in the log earlier than the store is closed. */
  closing(retryAfterMs: () => number): Closing;
  /** Closes whatever is open. */
  close(retryAfterMs: () => number): Promise<void>;
  readNames(): void;
}

/** The end of a realm in two steps. */
export interface Closing {
  /** Resolves when nothing more is written. */
  readonly lastCommit: Promise<void>;
  readonly closed: Promise<void>;
}

interface SchemaChange {
  readonly to: number;
  readonly moment: SeededMoment;
}

export function holdRealm(input: HeldRealmInput): HeldRealm {
  const { id, shard } = input;
  const path = join(input.folder, String(id));
  const copy = openCopy(input, { path, onNamed: () => readNames() });
  let written: SupervisedRealm | null = null;
  let names: readonly string[] = [];
  let noteLastCommit = () => {};
  const changing = closedRealm(id, () => names);

  function readNames() {
    const realm = written?.current() ?? copy.following()?.realm;
    if (realm?.isOpen()) names = realms.namesOf(realm.reader);
    input.onNamed();
  }

  function closing(retryAfterMs: () => number): Closing {
    const stopped = written;
    written = null;
    const isLast = new Promise<void>((resolve) => {
      noteLastCommit = resolve;
    });
    const close = async () => {
      await stopped?.stop(retryAfterMs);
      await copy.close(retryAfterMs);
    };
    const closed = close();
    return { lastCommit: Promise.race([isLast, closed]), closed };
  }

  return {
    id,
    shard,
    path,
    names: () => names,
    written: () => written,
    current: () => written?.current() ?? copy.following()?.realm ?? changing,
    following: copy.following,
    follow: copy.follow,
    schema: copy.schema,
    apply: copy.apply,
    pass: copy.pass,
    migrate: copy.migrate,
    async write(open) {
      await copy.close(() => TAKEOVER_MS);
      written = await open(() => noteLastCommit());
      readNames();
    },
    closing,
    close: (retryAfterMs) => closing(retryAfterMs).closed,
    readNames,
  };
}

type Copy = Pick<
  HeldRealm,
  'following' | 'follow' | 'schema' | 'apply' | 'pass' | 'migrate' | 'close'
>;

interface CopyPlace {
  readonly path: string;
  readonly onNamed: () => void;
}

/** The copy of a realm while it follows its log. */
function openCopy(input: HeldRealmInput, { path, onNamed }: CopyPlace): Copy {
  const { id, schemas, heads } = input;
  let replica: Replica | null = null;
  let following: FollowingRealm | null = null;

  /**
   * A copy without any rows is that of a realm whose first record is still to come. One with a
   * schema that this version of confab cannot read follows, and is not served.
   */
  function serve(opened: Replica) {
    if (!canRead(schemas, opened.schema())) return;
    if (opened.reader.realm.get(['realm']) === undefined) return;
    const { files, clock, record, writer } = input;
    const head = opened.reader.head();
    following = followRealm({ id, store: opened, files, clock, record, head, writer });
    onNamed();
  }

  function follow(): Place | null {
    replica = openReplica(path, schemas);
    serve(replica);
    return replica.applied();
  }

  async function close(retryAfterMs: () => number) {
    const [stopped, store] = [following, replica];
    following = null;
    replica = null;
    heads.ended(id);
    // It closes the store as well.
    if (stopped !== null) await stopped.stop(retryAfterMs);
    else await store?.close();
  }

  async function pass(place: Place) {
    const applied = replica?.applied() ?? null;
    // A copy without a place has not seen its first record.
    if (replica === null || applied === null) return;
    if (applied.sequence < place.sequence) await replica.apply([], place);
  }

  return {
    following: () => following,
    follow,
    schema: () => replica?.schema() ?? 0,
    async apply({ writes, head }, place, schema) {
      if (replica === null) throw new Error(`realm ${id} does not follow`);
      const applied = replica.applied();
      if (applied !== null && applied.sequence >= place.sequence) return;
      if (applied === null && schema !== replica.schema()) await replica.beginAs(schema);
      await replica.apply(writes, place);
      if (following === null) return serve(replica);
      endQueues(following, writes);
      following.announceTo(head);
      heads.reached(id, head);
      if (writes.some(([table]) => table === TABLES.realm.name)) onNamed();
    },
    pass,
    async migrate({ to, moment }, place) {
      if (replica === null) throw new Error(`realm ${id} does not follow`);
      // If it has no record yet, its first one comes behind this, and is of the new schema.
      if (replica.applied() !== null && replica.schema() < to) {
        await close(() => TAKEOVER_MS);
        await migrateApart({ folder: path, to, moment }, { schemas });
        follow();
      }
      await pass(place);
    },
    close,
  };
}

/** A node that takes over is ready for its clients after about as long. */
const TAKEOVER_MS = 300;

/** Ends the consumers of queues that a record has removed. */
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
