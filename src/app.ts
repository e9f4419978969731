import { randomInt } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { createActor } from 'xstate';
import { type Clock, systemClock } from '../actors/clock.ts';
import { serverMachine } from '../actors/server.ts';
import { serveControl } from './admin/control.ts';
import { type DataDirectory, takeDataDirectory } from './admin/data-directory.ts';
import { makeDemo, readDemo, refuseOpenDemo } from './admin/demo.ts';
import { type DeploymentInput, openRealms, type Realms } from './admin/deployment.ts';
import { type FreeSpace, openFreeSpace, type Statfs } from './admin/free-space.ts';
import { checkTlsPair } from './admin/tls-pair.ts';
import { isUnnamed, type ServerSettings } from './config.ts';
import { openCouriers, type PostOffice } from './couriers/couriers.ts';
import { exporter } from './couriers/exports.ts';
import { openExternalContents } from './couriers/external-contents.ts';
import { fileRemover } from './couriers/file-remover.ts';
import { mailCouriers } from './couriers/mail.ts';
import { pageCourier } from './couriers/pages.ts';
import { pushCourier } from './couriers/pushes.ts';
import { thumbnailMaker } from './couriers/thumbnails.ts';
import { webhookCourier } from './couriers/webhooks.ts';
import { LETTERS_FINISH_MS_MAX } from './domain/limits.ts';
import { openAdmission } from './endpoints/admission.ts';
import { openBodyLimits } from './endpoints/body-limits.ts';
import { type Faulty, openBugReports } from './endpoints/bug-reports.ts';
import { openDispatch, openStreaming } from './endpoints/dispatch.ts';
import { openQuickPolls } from './endpoints/events/quick-poll.ts';
import { openUploads } from './endpoints/files/resumable-uploads.ts';
import { openFiles } from './endpoints/files/serve-files.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { openPages } from './endpoints/pages/dispatch-pages.ts';
import { openExternalContent } from './endpoints/pages/external-content.ts';
import { openRoutes } from './endpoints/routes.ts';
import { standingHeaders } from './transport/answers/standing-headers.ts';
import { trustedProxies } from './transport/connections/forwarding.ts';
import { type Listener, listen } from './transport/connections/listen.ts';
import { API_PREFIX, mountHttp } from './transport/http.ts';
import { socketLibrary } from './transport/library/sockets.ts';
import { type EventSockets, mountSockets } from './transport/websocket.ts';

/** The same for whatever is served. */
const ROUTES = openRoutes(ENDPOINTS);

/** Clients that were told to come back do so within this time, spread out, not all at once. */
const RETRY_MS_MIN = 200;
const RETRY_MS_MAX = 3_000;

export interface App {
  /** `http://host:port`, as listened on. */
  readonly url: string;
  readonly port: number;
  readonly realms: Realms;
  /** Stops cleanly: polls answered, sockets closed, the last commit awaited. */
  stop(): Promise<void>;
}

export interface AppInput {
  readonly settings: ServerSettings;
  readonly log: Logger;
  /** The process must not go on: a commit did not reach the disk. */
  readonly onFatal: (error: unknown) => void;
  readonly clock?: Clock;
  readonly logBytesMax?: number;
  /** For how long a commit takes operations, in milliseconds. */
  readonly commitMsMax?: number;
  readonly statfs?: Statfs;
}

/** Joins the parts. Rejects with one clear error when the server cannot start. */
export async function startApp(input: AppInput): Promise<App> {
  socketLibrary();
  const parts: Parts = {
    directory: null,
    space: null,
    couriers: null,
    realms: null,
    listener: null,
    sockets: null,
  };
  const server = createActor(serverMachine, {
    input: { start: () => start(input, parts), drain: () => drain(parts) },
  });
  await reached(server, 'ready', () => server.start());
  const { realms, listener } = parts;
  if (realms === null || listener === null) throw new Error('started without its parts');
  // A start that is refused says why, in one line.
  if (isUnnamed(input.settings)) input.log.warn(UNNAMED);
  return {
    url: urlOf(input.settings, listener.port),
    port: listener.port,
    realms,
    stop: () => reached(server, 'stopped', () => server.send({ type: 'stop' })),
  };
}

interface Parts {
  directory: DataDirectory | null;
  space: FreeSpace | null;
  couriers: PostOffice | null;
  realms: Realms | null;
  listener: Listener | null;
  sockets: EventSockets | null;
}

async function start(input: AppInput, parts: Parts) {
  const { settings, log } = input;
  const onBug = (error: unknown, where: object) => log.error({ err: error, ...where }, 'bug');
  // The rest of an address that somebody linked may be a key.
  const noteMissing = (error: unknown, url: string) =>
    log.debug({ err: error, site: hostOf(url) }, 'another site has nothing to show');
  const data = resolve(settings.data);
  if (settings.tls !== null) checkTlsPair(settings.tls);
  parts.directory = await takeDataDirectory(data, (socket) =>
    serveControl(
      socket,
      () => parts.realms,
      (error) => onBug(error, { where: 'control' }),
    ),
  );
  const space = await watchSpace(input, parts);
  const couriers = couriersOf(input, { data, noteMissing, onBug });
  parts.couriers = couriers;
  const realms = await openRealms({
    path: data,
    settings,
    onCommitFailed: input.onFatal,
    ...realmNotes(log),
    onBug: (error) => onBug(error, { where: 'agenda' }),
    logBytesMax: input.logBytesMax,
    commitMsMax: input.commitMsMax,
    space,
    carry: couriers.carry,
    ...(input.clock === undefined ? {} : { clock: input.clock }),
  });
  // Before anything listens: a client that has read its key must not be told that it is wrong.
  const isNew = settings.makesDemo && realms.all().length === 0 && realms.unserved().length === 0;
  refuseOpenDemo(settings, { realms, data, isNew });
  if (isNew) await makeDemo(realms, data, apiUrl(settings, settings.port));
  const dispatch = openDispatch(realms, ROUTES);
  const content = openExternalContent(realms, {
    fetch: openExternalContents(),
    onFailed: noteMissing,
  });
  parts.listener = await listen({ ...settings, onShort: noteShort(log) }, (app) => {
    const { admit = null, admitPoll = null } = admission(input, realms) ?? {};
    const mounted = {
      dispatch,
      admit,
      deployment: realms,
      ...frontOf(settings),
      onBug: bugNotes(log, realms),
    };
    parts.sockets = mountSockets(app, mounted);
    mountHttp(app, {
      ...mounted,
      admitPoll,
      pages: openPages(realms),
      content,
      files: openFiles(realms),
      uploads: openUploads(realms),
      quickPoll: openQuickPolls(realms),
      isStreamed: openStreaming(ENDPOINTS),
      bodyLimit: openBodyLimits(realms, ROUTES),
    });
  });
  // A port that the kernel picked is known only now.
  if (isNew) readDemo(data, apiUrl(settings, parts.listener.port));
  parts.realms = realms;
}

/** What all answers have in common, and whom they believe where a request is from. */
const frontOf = ({ tls, allowedOrigins, trustedProxies: trusted }: ServerSettings) => ({
  standing: standingHeaders({ isTls: tls !== null, allowedOrigins }),
  proxies: trustedProxies(trusted, allowedOrigins),
});

const UNNAMED =
  'other machines reach this server, and neither CONFAB_PUBLIC_URL nor CONFAB_DOMAIN says by what name: links in mails, and in ' +
  'replies to whoever asks by a name, lead to localhost';

const noteShort = (log: Logger) => (isShort: boolean) => {
  if (isShort) log.error('no file descriptor is left: new connections are answered with 503');
  else log.info('there are file descriptors again: connections are accepted');
};

const realmNotes = (log: Logger): Pick<DeploymentInput, 'onRealmFailed' | 'onRealmUnserved'> => ({
  onRealmFailed: (error) => log.error({ err: error }, 'a realm failed and is started again'),
  onRealmUnserved: ({ id, names, reason }, error) =>
    log.error({ realmId: id, realm: names[0], reason, err: error }, 'a realm is not served'),
});

function bugNotes(log: Logger, deployment: Realms) {
  const reportOf = openBugReports({ deployment, routes: ROUTES, prefix: API_PREFIX });
  return (error: unknown, call: Faulty) => {
    const report = reportOf(error, call);
    log.error(report, 'bug');
    return report.requestId;
  };
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : undefined);

async function watchSpace(
  { settings, log, statfs, clock = systemClock }: AppInput,
  parts: Parts,
): Promise<FreeSpace> {
  const space = openFreeSpace({
    path: resolve(settings.data),
    clock,
    mibMin: settings.minFreeMib,
    statfs,
    onChange({ isShort, freeBytes }) {
      if (isShort)
        log.warn({ freeBytes }, 'the disk is nearly full: only reading and deleting go on');
      else log.info({ freeBytes }, 'there is space on the disk again');
    },
  });
  parts.space = space;
  await space.watch();
  return space;
}

interface CouriersOf {
  readonly data: string;
  readonly noteMissing: (error: unknown, url: string) => void;
  readonly onBug: (error: unknown, where: object) => void;
}

function couriersOf({ settings, log }: AppInput, { data, noteMissing, onBug }: CouriersOf) {
  const mails = mailCouriers({
    smtpUrl: settings.smtpUrl,
    folder: join(data, 'mail'),
    onLost: (error) => log.error({ err: error }, 'a mail was given up'),
  });
  return openCouriers(
    {
      ...mails,
      webhook: webhookCourier,
      push: pushCourier,
      thumbnail: thumbnailMaker(),
      export: exporter((error) => log.error({ err: error }, 'an export failed')),
      visit: pageCourier({
        onFailed: noteMissing,
        onBug: (error) => onBug(error, { where: 'previews' }),
      }),
      removedFile: fileRemover((error) => onBug(error, { where: 'files' })),
    },
    (error) => onBug(error, { where: 'couriers' }),
  );
}

const admission = ({ settings, clock = systemClock }: AppInput, realms: Realms) =>
  openAdmission(realms, ENDPOINTS, {
    limits: settings.rateLimits,
    now: () => clock.now(),
  });

async function drain({ listener, couriers, realms, sockets, space, directory }: Parts) {
  const retryAfterMs = () => randomInt(RETRY_MS_MIN, RETRY_MS_MAX);
  await couriers?.close(LETTERS_FINISH_MS_MAX);
  listener?.close();
  await realms?.stop(retryAfterMs);
  sockets?.closeAll(retryAfterMs);
  space?.close();
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
