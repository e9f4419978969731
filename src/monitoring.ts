import type { Realm, RealmMeasures } from '../actors/realm/realm-handle.ts';
import type { Realms } from './admin/deployment.ts';
import type { FreeSpace } from './admin/free-space.ts';
import type { Node } from './cluster/node/declaration.ts';
import type { ServerSettings } from './config.ts';
import {
  type PreparedConsole,
  type PrepareInput,
  prepareConsole,
} from './console/prepare-console.ts';
import { METRICS_REALMS_MAX } from './domain/limits/operator.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { operationId } from './endpoints/operation-id.ts';
import { hashesWaiting } from './endpoints/server/hashing-turns.ts';
import type { Gateways } from './gateways/writing/gateways.ts';
import type { RealmFigures, ServerState } from './metrics/declaration.ts';
import { type Health, healthOf } from './metrics/health.ts';
import { ACTIVE_WINDOWS, type ActiveWindow } from './metrics/labels.ts';
import { openLoopDelay } from './metrics/loop-delay.ts';
import { openRecorders, type Recorders } from './metrics/recorders.ts';
import { openExposition } from './metrics/registry.ts';
import type { Notes } from './notes.ts';
import {
  listenForOperator,
  type OperatorListener,
  operatorToken,
} from './transport/operator/listen.ts';

/** The counts of a server, for all endpoints of the API. */
export const openServerRecorders = (): Recorders =>
  openRecorders(
    ENDPOINTS.map((endpoint) => ({
      name: operationId(endpoint),
      group: endpoint.rate ?? (endpoint.method === 'GET' ? 'read' : 'change'),
    })),
  );

export interface MonitoringInput {
  readonly settings: ServerSettings;
  readonly recorders: Recorders;
  readonly notes: Notes;
  readonly now: () => number;
  /** Returns the state of the server's machine. */
  readonly state: () => string;
  /** The parts of the server; those that are not open yet are null. */
  readonly parts: {
    readonly realms: Realms | null;
    readonly space: FreeSpace | null;
    readonly served: { socketsBehind(): number } | null;
    readonly node: Node | null;
    readonly gateways: Pick<Gateways, 'counted' | 'view'> | null;
  };
  /** Returns when the last backup was done and how long it took; null if none is known. */
  readonly lastBackup: () => ServerState['lastBackup'];
  /** Returns when the certificate ends (UNIX seconds); null without TLS. */
  readonly tlsExpiresAt: () => number | null;
  /** The parts that only the console shows. */
  readonly shown: Pick<
    PrepareInput,
    'log' | 'inspection' | 'standing' | 'sockets' | 'nextBackupAt'
  >;
}

/** No browser opens the path of a socket: the operator forwards this port to it. */
const FORWARDED_URL = 'http://localhost:8081';

/** Answers for a running server how it is, and what it has counted. */
export interface Monitoring {
  health(): Health;
  /** Opens the listener of the operator, unless the settings turn it off. */
  listen(): Promise<void>;
  /** Logs where it is, or why there is none: later, as a refused start prints only one line. */
  announce(): void;
  /** The address of that listener; null if there is none. */
  operatorUrl(): string | null;
  /** Makes an address that lets one browser into the console; null if there is no listener. */
  consoleAddress(): ConsoleAddress | null;
  close(): void;
}

export interface ConsoleAddress {
  readonly url: string;
  /** UNIX milliseconds. */
  readonly expiresAt: number;
}

export function openMonitoring(input: MonitoringInput): Monitoring {
  const { settings, recorders, notes } = input;
  const loopDelay = openLoopDelay();
  let listener: OperatorListener | null = null;
  let console: PreparedConsole | null = null;
  let announce = () => {};

  const health = () =>
    healthOf({
      state: input.state(),
      ...measured(input),
      loopDelayP99Ms: loopDelay.p99Ms(),
      ofNode: input.parts.node?.reasons() ?? [],
    });

  const sources = () => ({
    recorders,
    state: stateOf(input, health().isReady),
  });

  return {
    health,
    async listen() {
      const { operator } = settings;
      if (operator === null) return;
      const exposition = openExposition(sources, loopDelay, input.parts.gateways?.counted);
      const onBug = notes.bugIn('metrics');
      try {
        const token = operatorToken(operator);
        const prepared = prepareConsole({
          ...consoleInput(input),
          health,
          sources,
          loopDelay,
          token,
        });
        console = prepared;
        const { serve: serveConsole } = prepared;
        const given = { exposition, health, token, serveConsole, onBug };
        listener = await listenForOperator(operator, given);
        const { url } = listener;
        announce = () => notes.operatorListens(url);
      } catch (error) {
        console?.close();
        // Several servers of a machine can start with the usual settings; one of them has the port.
        if (!operator.isUsual) throw error;
        announce = () => notes.noOperator(error);
      }
    },
    announce: () => announce(),
    operatorUrl: () => listener?.url ?? null,
    consoleAddress() {
      if (listener === null || console === null) return null;
      const { token, expiresAt } = console.issue();
      const base = listener.url.startsWith('/') ? FORWARDED_URL : listener.url;
      return { url: `${base}/console?token=${token}`, expiresAt };
    },
    close() {
      loopDelay.close();
      console?.close();
      listener?.close();
    },
  };
}

const consoleInput = (input: MonitoringInput) => ({
  ...input.shown,
  settings: input.settings,
  recorders: input.recorders,
  state: input.state,
  realms: () => input.parts.realms,
  node: () => input.parts.node,
  gateways: () => input.parts.gateways?.view() ?? null,
  onBug: input.notes.bugIn('control'),
});

function measured({ parts: { realms, space } }: MonitoringInput) {
  const all = realms?.all() ?? [];
  const open = all.filter((realm) => realm.isOpen());
  return {
    realms: {
      open: open.length,
      closed: all.length - open.length,
      unserved: realms?.unserved().length ?? 0,
    },
    oldestCommitMs: Math.max(0, ...open.map((realm) => realm.measure().commitUnderWayMs)),
    freeShare: space?.free()?.share ?? null,
  };
}

function stateOf(input: MonitoringInput, isReady: boolean): ServerState {
  const { settings, parts } = input;
  const { realms, space, served } = parts;
  const open = (realms?.all() ?? []).filter((realm) => realm.isOpen());
  const measures = open.map((realm) => realm.measure());
  const sum = (read: (measure: (typeof measures)[number]) => number) =>
    measures.reduce((total, measure) => total + read(measure), 0);
  const oldest = measures.flatMap(({ logOldestAt }) => logOldestAt ?? []);
  return {
    isReady,
    tlsExpiresAt: input.tlsExpiresAt(),
    realms: measured(input).realms,
    operationsWaiting: sum(({ operationsWaiting }) => operationsWaiting),
    queues: {
      attached: sum(({ queuesAttached }) => queuesAttached),
      detached: sum(({ queuesDetached }) => queuesDetached),
    },
    socketsBehind: served?.socketsBehind() ?? 0,
    logBytes: Math.max(0, ...measures.map(({ logBytes }) => logBytes)),
    logOldestAt: oldest.length === 0 ? null : Math.min(...oldest),
    storeBytes: {
      data: sum(({ sizes }) => sizes.dataBytes),
      free: sum(({ sizes }) => sizes.freeBytes),
      uploads: sum(({ sizes }) => sizes.uploadBytes),
    },
    oldestReaderMs: Math.max(0, ...measures.map(({ oldestReaderMs }) => oldestReaderMs)),
    messagesNotIndexed: sum(({ sizes }) => sizes.messagesNotIndexed),
    usersActive: Object.fromEntries(
      ACTIVE_WINDOWS.map((window) => [window, sum(({ usersActive }) => usersActive[window])]),
    ) as Record<ActiveWindow, number>, // by the line above
    diskFree: space?.free() ?? null,
    passwordHashesWaiting: hashesWaiting(),
    cluster: parts.node?.figures() ?? null,
    lastBackup: input.lastBackup(),
    byRealm: settings.metricsRealms ? figuresOf(open, measures) : [],
    now: input.now(),
  };
}

/** Returns the figures of the first realms: each has series of its own. */
const figuresOf = (realms: readonly Realm[], measures: readonly RealmMeasures[]): RealmFigures[] =>
  measures.slice(0, METRICS_REALMS_MAX).map(({ sizes, usersActive, queuesAttached }, index) => ({
    realm: realms[index]?.stringId ?? '',
    messages: sizes.messages,
    usersActive: usersActive['7d'],
    bytes: sizes.dataBytes + sizes.freeBytes + sizes.uploadBytes,
    queuesAttached,
  }));
