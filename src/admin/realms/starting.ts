import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../../actors/clock.ts';
import type { Followers } from '../../../actors/realm/parts.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { type SupervisedRealm, superviseRealm } from '../../../actors/supervisor.ts';
import type { FileName, FileStore } from '../../../storage/files/file-store.ts';
import type { Schemas } from '../../../storage/migrations/migration.ts';
import { type CommitLog, NotLogged } from '../../../storage/replication/commit-log.ts';
import type { ServerSettings } from '../../config.ts';
import type { BackgroundTurns } from '../../domain/background-turns.ts';
import { withAliases } from '../../domain/rules/texts/aliases.ts';
import {
  SERVICE_FEATURE_LEVEL,
  SERVICE_MERGE_BASE,
  SERVICE_VERSION,
} from '../../domain/version.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { EventBody } from '../../domain/wire/events/log-entry.ts';
import type { Site } from '../../operations/access/caller.ts';
import * as outbox from '../../operations/access/outbox.ts';
import * as attachments from '../../operations/files/attachments.ts';
import * as publicImages from '../../operations/files/public-images.ts';
import * as exports from '../../operations/realm/exports.ts';
import { openWholeStore, requireFolder } from '../store-records.ts';
import { keepFiles } from './file-care.ts';
import type { DeploymentInput } from './input.ts';
import { schedulerOf } from './jobs.ts';
import type { Names } from './names.ts';

/** The folder of uploads, in the folder of a realm. */
export const UPLOADS = 'uploads';

interface Starting {
  /** The folder of all realms. */
  readonly folder: string;
  readonly realmId: number;
  readonly clock: Clock;
  readonly startedAt: number;
  readonly siteOf: (reader: Names) => Site;
  readonly files: FileStore;
  readonly background: BackgroundTurns;
  /** On a node of a cluster: how the realm is written. */
  readonly shared?: SharedRealm | undefined;
}

/** A realm that a log carries to other nodes, while this one writes it. */
export interface SharedRealm {
  readonly log: CommitLog;
  /** The schemas that are known; by default those of this version of confab. */
  readonly schemas?: Schemas;
  readonly followers: Followers;
  /** UNIX milliseconds of the newest record of the log. */
  readonly notBefore: number;
  /** A commit is not in the log, or it is not known whether it is. */
  readonly onNotLogged: () => void;
  /** The realm has stopped writing. */
  readonly onLastCommit: () => void;
}

/** Opens a realm with its supervisor, and picks up the work that a kill has dropped. */
export async function startRealm(
  input: DeploymentInput,
  { folder, realmId, clock, startedAt, siteOf, files, background, shared }: Starting,
): Promise<SupervisedRealm> {
  const path = join(folder, String(realmId));
  requireFolder(path);
  const run = randomUUID();
  const followers = input.followersOf?.(realmId);
  const realm: SupervisedRealm = await superviseRealm({
    openStore: () =>
      openWholeStore(path, realmId, {
        log: shared?.log ?? input.commitLogOf?.(realmId),
        schemas: shared?.schemas,
        viewFollowers: followers?.views,
      }),
    files,
    clock,
    space: input.space,
    // The other nodes of a cluster have served its clients all the time.
    restartEvent: () => (shared === undefined ? restartEvent(input.settings, startedAt) : null),
    onCommitFailed(error) {
      if (shared !== undefined && error instanceof NotLogged) shared.onNotLogged();
      else input.onCommitFailed(error);
    },
    refusal: shared === undefined ? undefined : errors.serverStopping,
    notBefore: shared?.notBefore,
    onFailed: input.onRealmFailed,
    onSecondStepLocked: (userId) => input.onSecondStepLocked?.(realmId, userId),
    onActor: (actor) => input.onRealmActor?.(realmId, actor),
    logBytesMax: input.logBytesMax,
    commitMsMax: input.commitMsMax,
    record: input.record,
    background,
    followers: shared?.followers ?? followers,
    onLastCommit: shared?.onLastCommit,
    scheduler: schedulerOf(input, { run, siteOf, realm: () => realm.current() }),
  });
  // No upload is under way at this time; when a supervisor starts a realm again, some may be.
  if (shared === undefined) files.removeRemains((name) => isOfRow(realm.current(), name));
  if (input.deliver !== null) await pickUpDropped(realm.current(), run);
  if (input.settings.files === null || input.deliver === null) return realm;
  return keepFiles(realm, { clock, onBug: input.onBug });
}

async function pickUpDropped({ reader, now, perform, space }: Realm, run: string) {
  if (space.isFull()) return;
  // A start without dropped entries writes nothing.
  if (outbox.dropped(reader, { run, now: now() }).length === 0) return;
  await perform((tx) => outbox.pickUp(tx, run));
}

const isOfRow = ({ id, reader }: Realm, name: FileName): boolean =>
  attachments.isOf(reader, id, name) ||
  publicImages.isOf(reader, name) ||
  exports.isOf(reader, name);

const restartEvent = ({ aliasPrefix }: ServerSettings, startedAt: number): EventBody =>
  withAliases<Extract<EventBody, { type: 'restart' }>>(
    {
      type: 'restart',
      service_version: SERVICE_VERSION,
      service_merge_base: SERVICE_MERGE_BASE,
      service_feature_level: SERVICE_FEATURE_LEVEL,
      server_generation: startedAt,
    },
    aliasPrefix,
  );
