import type { Clock } from '../../../actors/clock.ts';
import type { Followers } from '../../../actors/realm/parts.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { RealmActor } from '../../../actors/supervisor.ts';
import type { Space } from '../../../storage/files/space.ts';
import type { Presence } from '../../../storage/objects/heard-objects.ts';
import type { CommitLog } from '../../../storage/replication/commit-log.ts';
import type { ServerSettings } from '../../config.ts';
import type { RealmRecord } from '../../metrics/recorders.ts';
import type { Site } from '../../operations/access/caller.ts';
import type * as outbox from '../../operations/access/outbox.ts';
import type { NoteUnserved } from '../unserved-realm.ts';

/** The parts that the realms of a server are opened with. */
export interface DeploymentInput {
  /** The data directory, which is locked by this process. */
  readonly path: string;
  readonly settings: ServerSettings;
  readonly clock: Clock;
  /** Notified that a commit did not reach the disk: the process must stop (design, invariant 8). */
  readonly onCommitFailed: (error: unknown) => void;
  readonly onRealmFailed: (error: unknown) => void;
  /** Called with the actor of each realm, also when it is started again. */
  readonly onRealmActor?: (realmId: number, actor: RealmActor) => void;
  /** Notified that a realm is not served, while the others are. */
  readonly onRealmUnserved?: NoteUnserved;
  /** Notified that the store of files is away, and that it is there again. */
  readonly onFilesChanged?: ((now: Presence) => void) | undefined;
  /** Notified that too many wrong codes were tried on an account, whose password counts no more. */
  readonly onSecondStepLocked?: ((realmId: number, userId: number) => void) | undefined;
  /** Notified that a job of a realm met a bug; the realm goes on. */
  readonly onBug: (error: unknown) => void;
  readonly logBytesMax?: number | undefined;
  readonly commitMsMax?: number | undefined;
  /** Returns the log that a realm commits through; by default there is none. */
  readonly commitLogOf?: ((realmId: number) => CommitLog) | undefined;
  /** The counts of all realms; by default nobody reads them. */
  readonly record?: RealmRecord | undefined;
  /** Returns the processes that serve clients of a realm; by default there are none. */
  readonly followersOf?: ((realmId: number) => Followers) | undefined;
  /** There is another realm, or one is gone, or has another name. */
  readonly onRealmsChanged?: (() => void) | undefined;
  /** The space on the disk of the data directory. */
  readonly space: Space;
  /**
   * Delivers outbox entries; null where realms do nothing by themselves, as under the command line.
   */
  readonly deliver: Deliver | null;
}

export type Deliver = (
  entries: readonly outbox.Entry[],
  origin: { realm: Realm; site: Site },
) => void;
