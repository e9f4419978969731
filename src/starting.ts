import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../actors/clock.ts';
import type { Inspection } from '../actors/inspection.ts';
import { objectsIn } from '../storage/files/open-file-store.ts';
import type { Schemas } from '../storage/migrations/migration.ts';
import type { ObjectStore } from '../storage/objects/object-store.ts';
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
import type { BackupSchedule } from './backups/schedule.ts';
import type { ClusterStore } from './cluster/log/cluster-store.ts';
import type { Node } from './cluster/node/declaration.ts';
import { noteNode, refuseNodes } from './cluster/nodes/node-file.ts';
import type { ServerSettings } from './config.ts';
import type { RecentLog } from './console/recent-log.ts';
import { SERVICE_VERSION } from './domain/version.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { fromGateways, mountRelay, orOfNodes, relayPatterns } from './forwarding/relay.ts';
import { withShown } from './gateways/counts/showing.ts';
import { type Gateways, openGateways } from './gateways/writing/gateways.ts';
import { writeHanded } from './log.ts';
import { type Recorders, recordVerified } from './metrics/recorders.ts';
import type { Monitoring } from './monitoring.ts';
import type { Notes } from './notes.ts';
import { openServed, type Served } from './served.ts';
import type { ClusterSettings } from './settings/cluster.ts';
import { ConfigError } from './settings/reading.ts';
import { type Listener, listen, sharedPort } from './transport/connections/listen.ts';
import type { TemplatedApp } from './transport/library/sockets.ts';
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

export interface AppInput
  extends Pick<DeploymentInput, 'logBytesMax' | 'commitMsMax' | 'commitLogOf'> {
  readonly settings: ServerSettings;
  readonly log: Logger;
  /** The newest records of the log, for the console; by default it has none. */
  readonly recentLog?: RecentLog;
  /** Called when the process must not go on; by default as a commit did not reach the disk. */
  readonly onFatal: (error: unknown, why?: string) => void;
  /** In a test: the log and the bus of the cluster that the settings name. */
  readonly clusterStore?: ClusterStore;
  /** In a test: the objects that the nodes of the cluster share. */
  readonly clusterObjects?: ObjectStore;
  /** In a test: the schemas that this node of the cluster knows. */
  readonly clusterSchemas?: Schemas | undefined;
  readonly clock?: Clock;
  readonly statfs?: Statfs;
}

/** Each part takes from it what it needs. */
export interface Input extends AppInput {
  readonly clock: Clock;
  /** The data directory as an absolute path. */
  readonly data: string;
  readonly notes: Notes;
  readonly recorders: Recorders;
  readonly monitoring: Monitoring;
}

export interface Parts {
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
  gateways: Gateways | null;
  node: Node | null;
}

/**
 * Opens the data directory and the stores in it, and what works on them by itself. Nobody is served
 * yet.
 */
export async function openStores(input: Input, parts: Parts): Promise<Opened> {
  const { settings, data, notes } = input;
  if (settings.tls !== null && settings.acme === null) checkTlsPair(settings.tls);
  const controlled = {
    realms: () => parts.realms,
    node: () => parts.node,
    standing: () => standingOf(input, parts),
    consoleAddress: input.monitoring.consoleAddress,
    onBug: notes.bugIn('control'),
  };
  parts.directory = await takeDataDirectory(data, (socket) => serveControl(socket, controlled));
  if (settings.acme !== null) await (await loadAcme()).ensurePair(settings.acme.files);
  parts.space = openSpace(input);
  await parts.space.watch();
  parts.dispatcher = openDispatching(input);
  const gateways = openGatewaysOf(input);
  parts.gateways = gateways;
  const opening: DeploymentInput = {
    ...input,
    path: data,
    followersOf: gateways?.followersOf,
    onRealmsChanged: gateways?.realmsChanged,
    space: parts.space,
    deliver: parts.dispatcher.deliver,
    record: input.recorders.realms,
    onCommitFailed: input.onFatal,
    onRealmFailed: notes.realmFailed,
    onRealmActor: (realmId, actor) => parts.inspection.watch(`realm ${realmId}`, actor),
    onRealmUnserved: notes.realmUnserved,
    onFilesChanged: notes.filesChanged,
    onBug: notes.bugIn('scheduler'),
  };
  if (settings.cluster !== null) {
    parts.node = await joinCluster(input, opening, settings.cluster);
    return { realms: parts.node.realms, isNew: false };
  }
  refuseNodes(data);
  const realms = await openRealms(opening);
  // This comes before anything listens: a client that has read its key must not be told that it is
  // wrong.
  const isNew = settings.makesDemo && realms.all().length === 0 && realms.unserved().length === 0;
  refuseOpenDemo(settings, { realms, data, isNew });
  if (isNew) await makeDemo(realms, settings, apiUrl(settings, settings.port));
  return { realms, isNew };
}

/** The code of nodes is loaded only where there is one. */
async function joinCluster(
  input: Input,
  opening: DeploymentInput,
  cluster: ClusterSettings,
): Promise<Node> {
  const [{ openNode }, { openClusterStore }] = await Promise.all([
    import('./cluster/node.ts'),
    import('./cluster/start.ts'),
  ]);
  noteNode(opening.path, cluster.node);
  const store = input.clusterStore ?? (await openClusterStore(cluster, input.notes.ofCluster));
  return await openNode({
    ...opening,
    cluster,
    store,
    schemas: input.clusterSchemas,
    objects: input.clusterObjects ?? objectsIn(input.settings, input.notes.filesChanged),
    onFatal: (error) => input.onFatal(error, 'this node of the cluster cannot go on'),
    onShard: input.notes.shardChanged,
    clusterRecord: input.recorders.cluster,
    onMissing: input.notes.realmMissing,
    onFound: input.notes.realmFound,
    onCopy: input.notes.copyChanged,
    onNoCopy: input.notes.copyNotChanged,
    onSnapshot: input.notes.snapshotTaken,
    onNoSnapshot: input.notes.snapshotNotTaken,
    onVerified(verified) {
      input.notes.verified(verified);
      recordVerified(input.recorders.copies, { ...verified, at: input.clock.now() });
    },
    onNotVerified: input.notes.notVerified,
  });
}

/** The realms of the stores; `isNew` if the demo was made just now. */
interface Opened {
  readonly realms: Realms;
  readonly isNew: boolean;
}

/** Opens the ports, and serves what the stores hold. */
export async function openPorts(input: Input, parts: Parts, { realms, isNew }: Opened) {
  const { settings, data, notes } = input;
  await input.monitoring.listen();
  const { gateways, node } = parts;
  const served = openServedOf(input, realms, parts);
  parts.served = gateways === null ? served : withShown(served, gateways);
  parts.listener =
    node === null
      ? await listenWith(input, { gateways, realms, served })
      : await listenAsNode(input, node, served);
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

/** Opens the processes that serve clients, if there are to be any. */
function openGatewaysOf({ settings, notes, recorders, log }: Input): Gateways | null {
  if (settings.gateways === 0) return null;
  if (process.platform !== 'linux') {
    throw new ConfigError('CONFAB_GATEWAYS needs Linux, which spreads connections over processes');
  }
  const onLine = (line: string) => writeHanded(log, line);
  const { gatewayGone: onGone, snapshotHeld: onHeld } = notes;
  return openGateways({ count: settings.gateways, recorders, onGone, onHeld, onLine });
}

const openServedOf = (
  input: Input,
  realms: Realms,
  { gateways, node }: Pick<Parts, 'gateways' | 'node'>,
): Served =>
  openServed(
    {
      ...input,
      isReady: () => input.monitoring.health().isReady,
      ...(node === null
        ? {}
        : {
            forward: node.ask,
            isWrittenHere: node.realms.isWritten,
            passing: node.passing(input.settings.tls !== null),
            proxies: orOfNodes(node.secret, input.settings),
          }),
      ...(gateways === null
        ? {}
        : {
            proxies: fromGateways(gateways.secret, input.settings.allowedOrigins),
            onTaken: gateways.onTaken,
          }),
    },
    realms,
  );

/** Opens the port for clients, and the one at which other nodes reach this one. */
async function listenAsNode(input: Input, node: Node, served: Served): Promise<Listener> {
  const { settings, notes } = input;
  const { address } = node;
  const mountFor = (isTls: boolean) => (app: TemplatedApp) => {
    const relaying = { targetOf: node.relayTargetOf, proxies: served.proxies, isTls };
    mountRelay(app, relayPatterns(ENDPOINTS, { withBodies: true }), relaying);
    served.mount(app);
  };
  const onShort = notes.shortOfDescriptors;
  const among = await listen({ ...address, tls: null, onShort }, mountFor(false));
  try {
    const own = await listen({ ...settings, onShort }, mountFor(settings.tls !== null));
    node.begin({ dispatch: served.local, noteBug: served.noteBug }, among.port);
    return {
      ...own,
      close() {
        own.close();
        among.close();
      },
    };
  } catch (error) {
    among.close();
    throw error;
  }
}

interface Listening {
  readonly gateways: Gateways | null;
  readonly realms: Realms;
  readonly served: Served;
}

/** Opens the port: here, or in the gateways, which pass on to a listener of this process. */
async function listenWith(
  input: Input,
  { gateways, realms, served }: Listening,
): Promise<Listener> {
  const { settings, notes, clock, monitoring } = input;
  if (gateways === null) {
    return await listen({ ...settings, onShort: notes.shortOfDescriptors }, served.mount);
  }
  const { secret } = gateways;
  const own = await listen({ host: '127.0.0.1', port: 0, tls: null }, served.mount);
  const port = await sharedPort(settings);
  await gateways.begin({
    realms,
    dispatch: served.dispatch,
    noteBug: served.noteBug,
    noteTaken: served.noteTaken,
    beginning: {
      settings,
      port,
      relay: { port: own.port, secret },
      startedAt: Math.floor(clock.now() / 1000),
    },
    isReady: () => monitoring.health().isReady,
  });
  return { port, readTlsAgain: async () => gateways.readTlsAgain(), close: own.close };
}

/** Describes the server for `confab status`. */
export function standingOf({ settings, monitoring }: Input, parts: Parts): object {
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
    ...(parts.node === null ? {} : { node: parts.node.name, ...parts.node.describe() }),
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

export function urlOf({ tls, host }: ServerSettings, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${tls === null ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const apiUrl = (settings: ServerSettings, port: number) => `${urlOf(settings, port)}${API_PREFIX}`;
