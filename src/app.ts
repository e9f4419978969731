import { randomInt } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createActor } from 'xstate';
import { type Clock, systemClock } from '../actors/clock.ts';
import { type Inspected, type Inspection, openInspection } from '../actors/inspection.ts';
import type { RealmTree } from '../actors/realm/realm-tree.ts';
import { serverMachine } from '../actors/server.ts';
import { serveControl } from './admin/control.ts';
import { type DataDirectory, takeDataDirectory } from './admin/data-directory.ts';
import { makeDemo, refuseOpenDemo } from './admin/demo.ts';
import { readDemo } from './admin/demo-file.ts';
import { openRealms, type Realms } from './admin/deployment.ts';
import { type FreeSpace, openFreeSpace, type Statfs } from './admin/free-space.ts';
import type { DeploymentInput } from './admin/realms/input.ts';
import { scheduleBackups } from './admin/scheduled-backups.ts';
import type { Acme } from './admin/tls/acme.ts';
import { namesOfServer, openHttpsOrigins } from './admin/tls/https-origin.ts';
import { checkTlsPair } from './admin/tls/tls-pair.ts';
import { openTlsRenewal, type TlsRenewal } from './admin/tls/tls-renewal.ts';
import { lastBackup } from './backups/last-backup.ts';
import type { BackupSchedule } from './backups/schedule.ts';
import { isUnnamed, type ServerSettings } from './config.ts';
import { openRecentLog, type RecentLog } from './console/recent-log.ts';
import { BACKUP_STOP_MS_MAX, OUTBOX_FINISH_MS_MAX } from './domain/limits.ts';
import { SERVICE_VERSION } from './domain/version.ts';
import type { Health } from './metrics/health.ts';
import type { Recorders } from './metrics/recorders.ts';
import { type Monitoring, openMonitoring, openServerRecorders } from './monitoring.ts';
import { type Notes, openNotes } from './notes.ts';
import { openServed, type Served } from './served.ts';
import { type Listener, listen } from './transport/connections/listen.ts';
import { socketLibrary } from './transport/library/sockets.ts';
import { listenForRedirects, type Redirects } from './transport/redirects.ts';
import { API_PREFIX } from './transport/requests/api.ts';
import { type Dispatcher, openDispatcher } from './workers/dispatcher.ts';
import { exporter } from './workers/exports.ts';
import { fileRemover } from './workers/file-remover.ts';
import { unfurlWorker } from './workers/link-unfurls.ts';
import { mailWorkers } from './workers/mail.ts';
import { pushWorker } from './workers/pushes.ts';
import { thumbnailMaker } from './workers/thumbnails.ts';
import { webhookWorker } from './workers/webhooks.ts';

/** Clients that are told to come back do so within this time, spread out. */
const RETRY_MS_MIN = 200;
const RETRY_MS_MAX = 3_000;

export interface App {
  /** `http://host:port`, as the server listens. */
  readonly url: string;
  readonly port: number;
  /** The port that sends clients of plain HTTP to HTTPS. */
  readonly redirectPort: number | null;
  readonly realms: Realms;
  readonly inspect: Inspect;
  /** Returns when the certificate ends, in UNIX seconds; null without TLS. */
  tlsExpiresAt(): number | null;
  /** Reads the key and the certificate again, for new connections. */
  readTlsAgain(): Promise<void>;
  /** Tells whether the server should be sent requests, and why not. */
  health(): Health;
  /** The address of the operator's listener; null if there is none. */
  readonly operatorUrl: string | null;
  /** Stops cleanly: polls answered, sockets closed, the last commit awaited. */
  stop(): Promise<void>;
}

/** The actors of the server, for operators. */
export interface Inspect {
  /** Describes the actors that run now. */
  tree(): ServerTree;
  /** Records what the actors do from now on; nothing is recorded before. */
  start(): void;
  stop(): void;
  /** Returns the newest of what was recorded, oldest first. */
  events(): readonly Inspected[];
}

export interface ServerTree {
  readonly state: string;
  readonly realms: readonly (RealmTree & { readonly id: number; readonly name: string })[];
}

export interface AppInput extends Pick<DeploymentInput, 'logBytesMax' | 'commitMsMax'> {
  readonly settings: ServerSettings;
  readonly log: Logger;
  /** The newest records of the log, for the console; by default it has none. */
  readonly recentLog?: RecentLog;
  /** Called when the process must not go on because a commit did not reach the disk. */
  readonly onFatal: (error: unknown) => void;
  readonly clock?: Clock;
  readonly statfs?: Statfs;
}

/** Joins the parts and starts the server. Rejects with one clear error if it cannot start. */
export async function startApp(given: AppInput): Promise<App> {
  socketLibrary();
  const { settings } = given;
  const data = resolve(settings.data);
  const recorders = openServerRecorders();
  const notes = openNotes(given.log, recorders.bugs);
  const input = { clock: systemClock, ...given, data, notes, recorders };
  const parts: Parts = {
    inspection: openInspection(() => input.clock.now()),
    directory: null,
    space: null,
    dispatcher: null,
    realms: null,
    listener: null,
    served: null,
    tlsRenewal: null,
    redirects: null,
    backups: null,
    acme: null,
  };
  const server = createActor(serverMachine, {
    input: {
      start: () => start({ ...input, monitoring }, parts),
      drain: () => drain({ ...parts, monitoring }, settings.drainMs),
    },
  });
  const monitoring = openMonitoring({
    ...input,
    parts,
    now: () => input.clock.now(),
    state: () => server.getSnapshot().value,
    lastBackup() {
      const { lastSuccessAt: at, durationMs } = lastBackup(data);
      return { at, durationMs };
    },
    tlsExpiresAt: () => parts.tlsRenewal?.expiresAt() ?? null,
    shown: {
      log: given.recentLog ?? openRecentLog(),
      inspection: parts.inspection,
      standing: () => standingOf({ ...input, monitoring }, parts),
      sockets: () => parts.served?.sockets() ?? [],
      nextBackupAt: () => parts.backups?.nextAt() ?? null,
    },
  });
  parts.inspection.watch('server', server);
  await reached(server, 'ready', () => server.start());
  const { realms, listener } = parts;
  if (realms === null || listener === null) throw new Error('started without its parts');
  // A refused start prints one line, so these wait until the server runs.
  if (isUnnamed(settings)) notes.unnamed();
  monitoring.announce();
  return {
    url: urlOf(settings, listener.port),
    port: listener.port,
    redirectPort: parts.redirects?.port ?? null,
    realms,
    inspect: inspectOf(server, realms, parts.inspection),
    tlsExpiresAt: () => parts.tlsRenewal?.expiresAt() ?? null,
    readTlsAgain: async () => parts.tlsRenewal?.now(),
    health: monitoring.health,
    operatorUrl: monitoring.operatorUrl(),
    stop: () => reached(server, 'stopped', () => server.send({ type: 'stop' })),
  };
}

const inspectOf = (
  server: Server,
  realms: Realms,
  { start, stop, events }: Inspection,
): Inspect => ({
  tree: () => ({
    state: server.getSnapshot().value,
    realms: realms.all().map((realm) => {
      return { id: realm.id, name: realm.stringId, ...realm.describe() };
    }),
  }),
  start,
  stop,
  events,
});

/** Each part takes from it what it needs. */
interface Input extends AppInput {
  readonly clock: Clock;
  /** The data directory as an absolute path. */
  readonly data: string;
  readonly notes: Notes;
  readonly recorders: Recorders;
  readonly monitoring: Monitoring;
}

interface Parts {
  readonly inspection: Inspection;
  directory: DataDirectory | null;
  space: FreeSpace | null;
  dispatcher: Dispatcher | null;
  realms: Realms | null;
  listener: Listener | null;
  served: Served | null;
  tlsRenewal: TlsRenewal | null;
  redirects: Redirects | null;
  backups: BackupSchedule | null;
  acme: Acme | null;
}

async function start(input: Input, parts: Parts) {
  const { settings, data, notes } = input;
  if (settings.tls !== null && settings.acme === null) checkTlsPair(settings.tls);
  const controlled = {
    realms: () => parts.realms,
    standing: () => standingOf(input, parts),
    consoleAddress: input.monitoring.consoleAddress,
    onBug: notes.bugIn('control'),
  };
  parts.directory = await takeDataDirectory(data, (socket) => serveControl(socket, controlled));
  if (settings.acme !== null) await (await loadAcme()).ensurePair(settings.acme.files);
  parts.space = openSpace(input);
  await parts.space.watch();
  parts.dispatcher = openDispatching(input);
  const realms = await openRealms({
    ...input,
    path: data,
    space: parts.space,
    deliver: parts.dispatcher.deliver,
    record: input.recorders.realms,
    onCommitFailed: input.onFatal,
    onRealmFailed: notes.realmFailed,
    onRealmActor: (realmId, actor) => parts.inspection.watch(`realm ${realmId}`, actor),
    onRealmUnserved: notes.realmUnserved,
    onBug: notes.bugIn('scheduler'),
  });
  // This comes before anything listens: a client that has read its key must not be told that it is
  // wrong.
  const isNew = settings.makesDemo && realms.all().length === 0 && realms.unserved().length === 0;
  refuseOpenDemo(settings, { realms, data, isNew });
  if (isNew) await makeDemo(realms, settings, apiUrl(settings, settings.port));
  await input.monitoring.listen();
  const served = openServed(input, realms);
  parts.served = served;
  parts.listener = await listen({ ...settings, onShort: notes.shortOfDescriptors }, served.mount);
  const { readTlsAgain } = parts.listener;
  parts.acme = await openCertificates(input, realms, async () => parts.tlsRenewal?.now());
  parts.redirects = await openRedirects(input, realms, {
    port: parts.listener.port,
    challengeOf: parts.acme?.challengeOf ?? (() => undefined),
  });
  parts.tlsRenewal = openTlsRenewal({
    files: settings.tls,
    use: readTlsAgain,
    onRenewed: notes.tlsRenewed,
    onFailed: notes.tlsNotRenewed,
  });
  parts.acme?.begin();
  // A port that the kernel picked is only known now.
  if (isNew) readDemo(data, apiUrl(settings, parts.listener.port));
  parts.realms = realms;
  parts.backups = scheduleBackups(realms, {
    clock: input.clock,
    onCreated: notes.backupCreated,
    onFailed: notes.backupFailed,
  });
}

/** Describes the server for `confab status`. */
function standingOf({ settings, monitoring }: Input, parts: Parts): object {
  const { realms, listener, served } = parts;
  const { isReady, state, reasons, checks } = monitoring.health();
  return {
    is_running: true,
    state,
    is_ready: isReady,
    reasons,
    version: SERVICE_VERSION,
    pid: process.pid,
    started_at: new Date(performance.timeOrigin).toISOString(),
    url: listener === null ? null : urlOf(settings, listener.port),
    realms: realms?.all().length ?? null,
    realms_not_served: realms?.unserved().length ?? null,
    realms_closed: checks.realms.closed,
    sockets: served?.socketCount() ?? null,
    oldest_commit_ms: checks.oldestCommitMs,
    disk_free_share: checks.freeShare,
    loop_delay_p99_ms: checks.loopDelayP99Ms,
  };
}

/** The client of authorities is large, so it is only loaded where it is needed. */
const loadAcme = () => import('./admin/tls/acme.ts');

/** Gets the certificates from an authority, if the operator has named one. */
async function openCertificates(
  { settings, notes }: Input,
  realms: Realms,
  onObtained: () => Promise<void>,
): Promise<Acme | null> {
  if (settings.acme === null) return null;
  const { openAcme } = await loadAcme();
  return openAcme({
    ...settings.acme,
    names: () => namesOfServer(settings, realms.all()),
    onObtained,
    onFailed: notes.noCertificate,
  });
}

/** Opens the port that sends clients to HTTPS, if there is to be one. */
function openRedirects(
  { settings }: Input,
  realms: Realms,
  { port, challengeOf }: { readonly port: number; readonly challengeOf: Acme['challengeOf'] },
) {
  const { host, redirectPort } = settings;
  if (redirectPort === null) return null;
  return listenForRedirects({
    host,
    port: redirectPort,
    originOf: openHttpsOrigins(realms, settings, port),
    challengeOf,
  });
}

const openSpace = ({ settings, data, clock, statfs, notes }: Input): FreeSpace =>
  openFreeSpace({
    path: data,
    clock,
    mibMin: settings.minFreeMib,
    statfs,
    onChange: notes.spaceChanged,
  });

const openDispatching = ({ settings, data, notes, recorders }: Input): Dispatcher =>
  openDispatcher(
    {
      ...mailWorkers({
        smtpUrl: settings.smtpUrl,
        folder: join(data, 'mail'),
        onLost: notes.mailLost,
      }),
      webhook: webhookWorker,
      push: pushWorker,
      thumbnail: thumbnailMaker(),
      export: exporter(notes.exportFailed),
      visit: unfurlWorker({ onFailed: notes.nothingToShow, onBug: notes.bugIn('previews') }),
      removedFile: fileRemover(notes.bugIn('files')),
    },
    notes.bugIn('workers'),
    recorders.outbox,
  );

type Drained = Parts & Pick<Input, 'monitoring'>;

async function drain(parts: Drained, drainMs: number) {
  const { listener, dispatcher, realms, served, space, directory, monitoring } = parts;
  const { backups, tlsRenewal, redirects, acme } = parts;
  backups?.stop();
  served?.endConnections();
  // Balancers are told first that the server stops, so that they send no more requests.
  if (drainMs > 0) await pause(drainMs);
  const retryAfterMs = () => randomInt(RETRY_MS_MIN, RETRY_MS_MAX);
  tlsRenewal?.close();
  redirects?.close();
  acme?.close();
  await dispatcher?.close(OUTBOX_FINISH_MS_MAX);
  listener?.close();
  await realms?.stop(retryAfterMs);
  served?.dismiss(retryAfterMs);
  space?.close();
  await Promise.race([backups?.ended(), pause(BACKUP_STOP_MS_MAX, undefined, { ref: false })]);
  monitoring.close();
  await directory?.release();
}

function urlOf({ tls, host }: ServerSettings, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${tls === null ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const apiUrl = (settings: ServerSettings, port: number) => `${urlOf(settings, port)}${API_PREFIX}`;

type Server = ReturnType<typeof createActor<typeof serverMachine>>;

function reached(server: Server, state: 'ready' | 'stopped', begin: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.subscribe(({ value, context }) => {
      if (value === state) resolve();
      else if (value === 'failed') reject(context.failure);
    });
    begin();
  });
}
