import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createActor } from 'xstate';
import { systemClock } from '../actors/clock.ts';
import { type Inspected, type Inspection, openInspection } from '../actors/inspection.ts';
import type { RealmTree } from '../actors/realm/realm-tree.ts';
import { serverMachine } from '../actors/server.ts';
import type { Realms } from './admin/deployment.ts';
import { lastBackup } from './backups/last-backup.ts';
import type { Node } from './cluster/node/declaration.ts';
import { openRecentLog } from './console/recent-log.ts';
import { BACKUP_STOP_MS_MAX } from './domain/limits/disk.ts';
import { OUTBOX_FINISH_MS_MAX } from './domain/limits/outbox.ts';
import { unknownRealms } from './domain/rules/realm/sign-in-entries.ts';
import type { Health } from './metrics/health.ts';
import { openMonitoring, openServerRecorders } from './monitoring.ts';
import { openNotes } from './notes.ts';
import { isUnnamed } from './settings/addresses.ts';
import type { AppInput, Input, Parts } from './starting/parts.ts';
import { openPorts } from './starting/ports.ts';
import { standingOf, urlOf } from './starting/standing.ts';
import { openStores } from './starting/stores.ts';
import { socketLibrary } from './transport/library/sockets.ts';

/** Clients that are told to come back do so within this time, spread out. */
const RETRY_MS_MIN = 200;
const RETRY_MS_MAX = 3_000;

export interface App {
  /** `http://host:port`, as the server listens. */
  readonly url: string;
  readonly port: number;
  /** The port that sends clients of plain HTTP to HTTPS. */
  readonly redirectPort: number | null;
  /** The port at which mails are received; null if they are not. */
  readonly mailInPort: number | null;
  readonly realms: Realms;
  readonly inspect: Inspect;
  /** This process as a node of a cluster; null if it is the only one. */
  readonly node: Node | null;
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
    syncs: null,
    acme: null,
    gateways: null,
    node: null,
    mailIn: null,
    mailTaking: null,
  };
  const server = createActor(serverMachine, {
    input: {
      start: async () => {
        const whole = { ...input, monitoring };
        await openPorts(whole, parts, await openStores(whole, parts));
      },
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
  // A node of a cluster has some of the realms only.
  if (parts.node === null) {
    for (const one of unknownRealms(settings.signIn, namesIn(realms))) notes.signInNowhere(one);
  }
  monitoring.announce();
  return {
    url: urlOf(settings, listener.port),
    port: listener.port,
    redirectPort: parts.redirects?.port ?? null,
    mailInPort: parts.mailIn?.port ?? null,
    realms,
    node: parts.node,
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

type Drained = Parts & Pick<Input, 'monitoring'>;

async function drain(parts: Drained, drainMs: number) {
  const { listener, dispatcher, realms, served, space, directory, monitoring } = parts;
  const { backups, tlsRenewal, redirects, acme, gateways, node } = parts;
  backups?.stop();
  await parts.mailIn?.close();
  parts.mailTaking?.close();
  parts.syncs?.stop();
  served?.endConnections();
  gateways?.notReady();
  // Balancers are told first that the server stops, so that they send no more requests.
  if (drainMs > 0) await pause(drainMs);
  // Other nodes write its realms before its clients go there.
  await node?.release();
  const retryAfterMs = () => randomInt(RETRY_MS_MIN, RETRY_MS_MAX);
  tlsRenewal?.close();
  redirects?.close();
  acme?.close();
  await dispatcher?.close(OUTBOX_FINISH_MS_MAX);
  await gateways?.drain([RETRY_MS_MIN, RETRY_MS_MAX]);
  listener?.close();
  await realms?.stop(retryAfterMs);
  served?.dismiss(retryAfterMs);
  gateways?.end();
  space?.close();
  await Promise.race([backups?.ended(), pause(BACKUP_STOP_MS_MAX, undefined, { ref: false })]);
  monitoring.close();
  await node?.close();
  await directory?.release();
}

/** Returns the names of the realms, also of those that are not served. */
const namesIn = (realms: Realms): ReadonlySet<string> =>
  new Set([
    ...realms.all().map(({ stringId }) => stringId),
    ...realms.unserved().flatMap(({ names }) => names),
  ]);

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
