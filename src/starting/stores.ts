import { join } from 'node:path';
import { objectsIn } from '../../storage/files/open-file-store.ts';
import { serveControl } from '../admin/control/control.ts';
import { takeDataDirectory } from '../admin/data-directory.ts';
import { makeDemo, refuseOpenDemo } from '../admin/demo.ts';
import { openRealms } from '../admin/deployment.ts';
import { type FreeSpace, openFreeSpace } from '../admin/free-space.ts';
import type { DeploymentInput } from '../admin/realms/input.ts';
import { checkTlsPair } from '../admin/tls/tls-pair.ts';
import type { Node } from '../cluster/node/declaration.ts';
import { noteNode, refuseNodes } from '../cluster/nodes/node-file.ts';
import { type Gateways, openGateways } from '../gateways/writing/gateways.ts';
import { writeHanded } from '../log.ts';
import { recordVerified } from '../metrics/recorders.ts';
import type { ClusterSettings } from '../settings/cluster.ts';
import { ConfigError } from '../settings/reading.ts';
import { deviceWorkers } from '../workers/devices/device-workers.ts';
import { type Dispatcher, openDispatcher } from '../workers/dispatcher.ts';
import { exporter } from '../workers/exports.ts';
import { fileRemover } from '../workers/file-remover.ts';
import { unfurlWorker } from '../workers/link-unfurls.ts';
import { mailWorkers } from '../workers/mail.ts';
import { pushWorker } from '../workers/pushes.ts';
import { thumbnailMaker } from '../workers/thumbnails.ts';
import { webhookWorker } from '../workers/webhooks.ts';
import type { Input, Opened, Parts } from './parts.ts';
import { apiUrl, standingOf } from './standing.ts';

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
  if (settings.acme !== null) {
    const { ensurePair } = await import('../admin/tls/acme.ts');
    await ensurePair(settings.acme.files);
  }
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
    onSecondStepLocked: notes.secondStepLocked,
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
    import('../cluster/node.ts'),
    import('../cluster/start.ts'),
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
      ...deviceWorkers(settings, notes, recorders.pushes),
      thumbnail: thumbnailMaker(),
      export: exporter(notes.exportFailed),
      visit: unfurlWorker({ onFailed: notes.nothingToShow, onBug: notes.bugIn('previews') }),
      removedFile: fileRemover(notes.bugIn('files')),
    },
    notes.bugIn('workers'),
    recorders.outbox,
  );
