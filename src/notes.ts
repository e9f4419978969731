import type { Logger } from 'pino';
import type { Presence } from '../storage/objects/heard-objects.ts';
import type { Synced } from './admin/directories/sync.ts';
import type { UnservedRealm } from './admin/unserved-realm.ts';
import type { Created } from './backups/create-backup.ts';
import { isBackupFault } from './backups/manifest.ts';
import type { BackupFailure } from './backups/schedule.ts';
import type { Faulty } from './endpoints/bug-reports.ts';
import type { NoteSignIn } from './endpoints/pages/page.ts';
import { codeWithin, namedBy } from './endpoints/sign-in/fault.ts';
import type { AccessLine } from './endpoints/tracing.ts';
import { type BugRecord, openBugRecord } from './metrics/recorders.ts';
import { onceInAWhile, type RefusalNotes } from './workers/devices/refusals.ts';

/** Everything that the parts of the server have said in its log. */
export type Notes = ReturnType<typeof openNotes>;

interface TakenSnapshot {
  readonly shard: number;
  readonly realm: number;
  readonly place: { readonly sequence: number } | null;
  readonly bytes: number;
}

interface ShardChange {
  readonly shard: number;
  readonly isOwned: boolean;
  readonly epoch: number;
}

/** The copies of a shard, which were compared. */
interface VerifiedShard {
  readonly shard: number;
  readonly differ: readonly object[];
  readonly not_compared: readonly object[];
}

/** The log names so many copies that differ. */
const NAMED_MAX = 20;

type Report = { readonly requestId: string };

export const openNotes = (log: Logger, record: BugRecord = openBugRecord()) => ({
  /** A bug in something that the server does by itself. */
  bugIn: (where: keyof BugRecord['bugs']) => (error: unknown) => {
    record.bugs[where] += 1;
    log.error({ err: error, where }, 'bug');
  },

  /** A bug in answering a request; returns what the client may name to the operator. */
  bugsOf:
    (reportOf: (error: unknown, request: Faulty) => Report) =>
    (error: unknown, request: Faulty) => {
      const report = reportOf(error, request);
      record.bugs.requests += 1;
      log.error(report, 'bug');
      return report.requestId;
    },

  /** A line of the access log, which the operator has asked for whatever the level of the log. */
  requested: accessNoteOf(log),

  /** Only the host is named: the rest of an address that somebody linked may be a key. */
  nothingToShow(error: unknown, url: string) {
    const site = URL.canParse(url) ? new URL(url).host : undefined;
    log.debug({ err: error, site }, 'another site has nothing to show');
  },

  tlsRenewed: ({ subject, validTo }: { readonly subject: string; readonly validTo: string }) =>
    log.info({ subject, validTo }, 'new connections get the certificate as it is now'),

  noCertificate: (error: unknown) =>
    log.error({ err: error }, 'no certificate was got: the authority is asked again later'),

  tlsNotRenewed: (error: unknown) =>
    log.error({ err: error }, 'the certificate was not taken: the former one stays in use'),

  ...storageNotesOf(log),

  ...notesOfPeople(log),
  ...notesOfGateways(log),
  ...notesOfNode(log),
  ...notesOfDirectories(log),

  realmFailed(error: unknown) {
    record.restarts += 1;
    log.error({ err: error }, 'a realm failed and is started again');
  },

  operatorListens: (url: string) => log.info({ url }, 'metrics are at the operator listener'),

  noOperator: (error: unknown) =>
    log.warn({ err: error }, 'there are no metrics; CONFAB_OPERATOR sets another address or off'),

  noWebClient: (error: unknown) => log.warn({ err: error }, NO_WEB_CLIENT),

  realmUnserved: ({ id, names, reason }: UnservedRealm, error: unknown) =>
    log.error({ realmId: id, realm: names[0], reason, err: error }, 'a realm is not served'),

  ...notesOfMails(log),
  ...outboxNotesOf(log),

  exportFailed: (error: unknown) => log.error({ err: error }, 'an export failed'),

  backupCreated({ backup, bytes, seconds, removed, not_removed: notRemoved }: Created) {
    log.info({ backup, bytes, seconds, removed }, 'a backup was made and verified');
    if (notRemoved !== undefined) log.warn({ why: notRemoved }, 'old backups were not removed');
  },

  backupFailed({ error, againAt }: BackupFailure) {
    const reason = error instanceof Error ? error.message : String(error);
    const again = new Date(againAt).toISOString();
    // The operator can mend what a backup refuses; anything else is a bug, and needs its trace.
    const trace = isBackupFault(error) ? {} : { err: error };
    log.error({ reason, again, ...trace }, 'a backup failed');
  },

  unnamed: () => log.warn(UNNAMED),
  ...notesOfClients(log),
});

const notesOfClients = (log: Logger) => ({
  ...notesOfProviders(log),

  shortOfDescriptors(isShort: boolean) {
    if (isShort) log.error('no file descriptor is left: new connections are answered with 503');
    else log.info('there are file descriptors again: connections are accepted');
  },
});

/** Notes of sign-ins and log-outs by providers. */
function notesOfProviders(log: Logger) {
  const tellsLogOut = onceInAWhile();
  return {
    /** A sign-in by a provider; the provider's own words stay out, which may have secrets. */
    signIn({ provider, outcome, error }: Parameters<NoteSignIn>[0]) {
      if (outcome === 'signed_in')
        return log.debug({ provider }, 'somebody signed in by a provider');
      if (outcome === 'logged_out')
        return log.debug({ provider }, 'a provider has logged somebody out');
      const { name } = (error ?? {}) as { name?: unknown };
      const named = { error: name, code: codeWithin(error), said: namedBy(error) };
      const fields = { provider, outcome, ...named };
      if (outcome !== 'logout_refused') return log.warn(fields, 'a sign-in by a provider failed');
      // Anybody can send a false token, as often as they like.
      if (tellsLogOut(provider)) log.warn(fields, 'a log-out by a provider was refused');
    },

    signInNowhere: (unknown: { readonly entry: string; readonly realm: string }) =>
      log.warn(unknown, SIGN_IN_NOWHERE),
  };
}

/** Notes of mails that come in and go out. */
const notesOfMails = (log: Logger) => ({
  mailTaken: (mail: { readonly messageId: number; readonly realm: string }) =>
    log.debug(mail, 'a mail has become a message'),

  mailRefused: (why: string) => log.info({ why }, 'a mail was not taken'),
});

const notesOfPeople = (log: Logger) => ({
  secondStepLocked: (realmId: number, userId: number) =>
    log.warn({ realmId, userId }, 'too many wrong codes: a password is locked'),
});

const notesOfDirectories = (log: Logger) => ({
  directorySynced(synced: Synced) {
    if (synced.state === 'not_done') log.error(synced, 'accounts did not follow their directory');
    else log.info(synced, 'accounts have followed their directory');
  },
});

const notesOfGateways = (log: Logger) => ({
  gatewayGone: (why: string) => log.error({ why }, GATEWAY_GONE),
  snapshotHeld: (held: object) => log.warn(held, SNAPSHOT_HELD),
});

/** Notes of a node of a cluster. */
const notesOfNode = (log: Logger) => ({
  shardChanged({ shard, isOwned, epoch }: ShardChange) {
    log.info(
      { shard, epoch },
      isOwned ? 'this node owns a shard' : 'this node owns a shard no more',
    );
  },

  copyChanged: (shard: number, change: 'begun' | 'whole' | 'removed') =>
    log.info({ shard }, COPY_CHANGES[change]),

  copyNotChanged: (shard: number, error: unknown) =>
    log.warn(
      { shard, err: error },
      'a copy of a shard was not made or removed: it is tried again in half a minute',
    ),

  snapshotTaken: ({ shard, realm, place, bytes }: TakenSnapshot) =>
    log.info({ shard, realm, sequence: place?.sequence, bytes }, 'a snapshot was taken'),

  realmMissing: (realmId: number, error: unknown) =>
    log.warn({ realmId, err: error }, 'this node has no copy of a realm, and looks for one again'),

  realmFound: (realmId: number) => log.info({ realmId }, 'this node has a copy of the realm now'),

  snapshotNotTaken: (error: unknown) =>
    log.warn({ err: error }, 'a snapshot was not taken: it is tried again every five minutes'),

  verified({ differ, not_compared: notCompared, ...rest }: VerifiedShard) {
    if (differ.length > 0) {
      log.error({ ...rest, differ: differ.slice(0, NAMED_MAX) }, 'copies of a shard differ');
    } else if (notCompared.length > 0) {
      log.warn({ ...rest, not_compared: notCompared }, 'some copies of a shard were not compared');
    } else log.info(rest, 'all copies of a shard are the same');
  },

  notVerified: (error: unknown) =>
    log.warn({ err: error }, 'the copies of a shard were not compared: it is tried again later'),

  ofCluster: (notice: string) => log.warn({ notice }, 'a notice about the NATS servers'),
});

const COPY_CHANGES = {
  begun: 'this node begins a copy of a shard',
  whole: 'this node has a copy of a shard',
  removed: 'this node has removed its copy of a shard, as others have one',
} as const;

/** Notes of the places that the server writes to. */
const storageNotesOf = (log: Logger) => ({
  spaceChanged({ isShort, freeBytes }: { readonly isShort: boolean; readonly freeBytes: number }) {
    if (isShort)
      log.warn({ freeBytes }, 'the disk is nearly full: only reading and deleting go on');
    else log.info({ freeBytes }, 'there is space on the disk again');
  },

  filesChanged(now: Presence) {
    if (now.isAway) log.warn({ why: now.error.message }, FILES_AWAY);
    else log.info('the storage of files is there again');
  },
});

function accessNoteOf(log: Logger) {
  const access = log.child({}, { level: 'info' });
  return (line: AccessLine) => access.info(line, 'request');
}

const SNAPSHOT_HELD =
  'some process has read one state of a store for over a minute, so that its file grows';
const FILES_AWAY = 'the storage of files is away: uploads and downloads are refused';
const GATEWAY_GONE = 'a gateway has ended with its connections, and another one is started';

const NO_WEB_CLIENT = 'the web client was not built: browsers get none';

const SIGN_IN_NOWHERE = 'an entry of CONFAB_SIGN_IN is for an organization that is not here';

const UNNAMED =
  'other machines reach this server, and neither CONFAB_PUBLIC_URL nor CONFAB_DOMAIN says by what name: links in mails, and in ' +
  'replies to whoever asks by a name, lead to localhost';

/** One push service refuses many pushes for the same reason, which is said once in a while. */
function outboxNotesOf(log: Logger): RefusalNotes & { mailLost(error: unknown): void } {
  const isDue = onceInAWhile();
  return {
    mailLost: (error: unknown) => log.error({ err: error }, 'a mail was given up'),

    pushKeysRefused({ refusal }) {
      if (isDue(`keys ${refusal.service}`))
        log.error(refusal, 'a push service refuses the keys of this server');
    },
    pushRefused(refusal) {
      if (isDue(`push ${refusal.service} ${refusal.status}`))
        log.warn(refusal, 'a push service did not take a push');
    },
    pushLost(kind, error) {
      if (isDue(`lost ${kind}`)) log.warn({ kind, err: error }, 'a push was given up');
    },
  };
}
