import type { Clock } from '../actors/clock.ts';
import type { ServerSettings } from './config.ts';
import { openBodyLimits } from './endpoints/body-limits.ts';
import { openBugReports } from './endpoints/bug-reports.ts';
import type { Deployment } from './endpoints/dispatch/deployment.ts';
import type { Dispatch } from './endpoints/dispatch.ts';
import { openDispatch, openStreaming } from './endpoints/dispatch.ts';
import { getEvents } from './endpoints/events/get-events.ts';
import { openQuickPolls } from './endpoints/events/quick-poll.ts';
import { openUploads } from './endpoints/files/resumable-uploads.ts';
import { openFiles } from './endpoints/files/serve-files.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { openPages } from './endpoints/pages/dispatch-pages.ts';
import { openExternalContent } from './endpoints/pages/external-content.ts';
import { openRateLimiter, type RateKind, type RateLimiter } from './endpoints/rate-limiter.ts';
import { openRoutes } from './endpoints/routes.ts';
import { openSecrets } from './endpoints/secrets.ts';
import { openSessionCookies } from './endpoints/sessions/cookies.ts';
import { noteFaults } from './endpoints/sign-in/directory-log-in.ts';
import { openTracing } from './endpoints/tracing.ts';
import { BugElsewhere } from './forwarding/asking.ts';
import { type Ask, openForwarding } from './forwarding/forwarding.ts';
import { FIRST_ENDPOINT, type Recorders } from './metrics/recorders.ts';
import type { Notes } from './notes.ts';
import type { NoteBug } from './transport/answers/reply.ts';
import { standingHeaders } from './transport/answers/standing-headers.ts';
import { type TrustedProxies, trustedProxies } from './transport/connections/forwarding.ts';
import type { OpenSocket } from './transport/event-socket.ts';
import { mountHttp } from './transport/http.ts';
import type { TemplatedApp } from './transport/library/sockets.ts';
import type { Passing } from './transport/passing.ts';
import { API_PREFIX } from './transport/requests/api.ts';
import type { HttpInput } from './transport/requests/http-input.ts';
import { stopped } from './transport/stopped.ts';
import { openWebClient } from './transport/web/web-client.ts';
import { openSockets } from './transport/websocket.ts';
import { openExternalContents } from './workers/external-contents.ts';

/** The routes are the same for all servers of the process. */
const ROUTES = openRoutes(ENDPOINTS);
const POLL_ENDPOINT = FIRST_ENDPOINT + ENDPOINTS.indexOf(getEvents);

interface ServedInput {
  readonly settings: ServerSettings;
  readonly clock: Clock;
  readonly notes: Notes;
  readonly recorders: Recorders;
  /** Tells whether balancers should send requests here. */
  readonly isReady: () => boolean;
  /** In a gateway: asks the writer, which answers all that does not only read. */
  readonly forward?: Ask;
  /** On a node of a cluster: tells whether this process writes the realm. */
  readonly isWrittenHere?: Parameters<typeof openForwarding>[0]['isWrittenHere'];
  /** On a node of a cluster: passes on what other nodes serve. */
  readonly passing?: Passing;
  /** Called for each request that counts for a limit, if other processes have to know. */
  readonly onTaken?: ((kind: RateKind, name: string | number) => void) | undefined;
  /** Believes these instead of the proxies of the settings. */
  readonly proxies?: TrustedProxies;
}

/** The requests and sockets of the server. */
export interface Served {
  readonly dispatch: Dispatch;
  /** Answers here, also where another process writes the realm. */
  readonly local: Dispatch;
  readonly noteBug: NoteBug;
  readonly proxies: TrustedProxies | null;
  /** Counts requests that another process has let through. */
  readonly noteTaken: RateLimiter['note'];
  /** Serves everything by a further app of the library: there is one for each certificate. */
  mount(app: TemplatedApp): void;
  socketCount(): number;
  /** Returns how many sockets have clients that have not taken all that was sent. */
  socketsBehind(): number;
  /** Describes the open sockets. */
  sockets(): Iterable<OpenSocket>;
  /** Ends each connection with its next answer, so that its client goes elsewhere. */
  endConnections(): void;
  /** Refuses whatever still comes, and closes the sockets that serve no queue. */
  dismiss(retryAfterMs: () => number): void;
}

/** Sets up what is served. */
export function openServed(given: ServedInput, realms: Deployment): Served {
  const { settings, clock, notes, recorders } = given;
  const limits = {
    limits: settings.rateLimits,
    now: () => clock.now(),
    record: recorders.limits,
    onTaken: given.onTaken,
  };
  const limiter = openRateLimiter(realms, ENDPOINTS, limits);
  const { limitRequest = null, limitPoll = null } = limiter ?? {};
  const { tls, allowedOrigins } = settings;
  noteFaults(settings.signIn, notes.signIn);
  const local = openDispatch(realms, ROUTES);
  const proxies = given.proxies ?? trustedProxies(settings.trustedProxies, allowedOrigins);
  const mounted = {
    dispatch: dispatchOf(given, realms, local),
    holdsSecret: openSecrets(ENDPOINTS),
    limitRequest,
    deployment: realms,
    sessions: openSessionCookies(realms),
    standing: standingHeaders({ isTls: tls !== null, allowedOrigins }),
    proxies,
    record: recorders.http,
    tracing: openTracing(
      settings.logsRequests
        ? { hosts: realms, names: recorders.http.names, write: notes.requested }
        : null,
    ),
    socketRecord: recorders.sockets,
    passing: given.passing,
    onBug: notedOnce(
      notes.bugsOf(openBugReports({ deployment: realms, routes: ROUTES, prefix: API_PREFIX })),
    ),
  };
  const sockets = openSockets(mounted);
  const input: HttpInput = {
    ...mounted,
    limitPoll,
    pollEndpoint: POLL_ENDPOINT,
    isReady: given.isReady,
    pages: openPages(realms, undefined, (signIn) => {
      recorders.signIns[signIn.outcome] += 1;
      notes.signIn(signIn);
    }),
    web: openWebClient({ settings, onMissing: notes.noWebClient }),
    content: openExternalContent(realms, {
      fetch: openExternalContents(),
      onFailed: notes.nothingToShow,
    }),
    files: openFiles(realms),
    uploads: openUploads(realms),
    quickPoll: openQuickPolls(realms),
    isStreamed: openStreaming(ENDPOINTS),
    bodyLimit: openBodyLimits(realms, ROUTES),
  };
  const remounts: ReturnType<typeof mountHttp>[] = [];
  return {
    dispatch: mounted.dispatch,
    local,
    noteBug: mounted.onBug,
    proxies,
    noteTaken: (kind, name, count) => limiter?.note(kind, name, count),
    mount(app) {
      sockets.mount(app);
      remounts.push(mountHttp(app, input));
    },
    socketCount: () => sockets.count(),
    socketsBehind: () => sockets.behind(),
    sockets: () => sockets.all(),
    endConnections() {
      mounted.standing.connections.areEnding = true;
      if (mounted.proxies !== null) mounted.proxies.standing.connections.areEnding = true;
    },
    dismiss(retryAfterMs) {
      const none = stopped(mounted);
      for (const remount of remounts) remount(none);
      sockets.closeAll(retryAfterMs, none);
    },
  };
}

/** Returns what answers here, or has the process that writes answer. */
const dispatchOf = (
  { forward, isWrittenHere }: ServedInput,
  realms: Deployment,
  local: Dispatch,
): Dispatch =>
  forward === undefined
    ? local
    : openForwarding({
        local,
        routes: ROUTES,
        deployment: realms,
        ask: forward,
        isWrittenHere,
        whenCaughtUp: realms.whenCaughtUp,
      });

/** A bug that the writer has met and logged keeps the id that it has in the log. */
const notedOnce =
  (note: NoteBug): NoteBug =>
  (error, request) =>
    error instanceof BugElsewhere ? error.requestId : note(error, request);
