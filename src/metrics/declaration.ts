import type { Histogram } from './histogram.ts';
import type { ActiveWindow, SHARD_STATES, STORE_KINDS } from './labels.ts';
import type { Recorders } from './recorders.ts';

/** The rows of the dashboard, in their order. */
export const ROWS = [
  'requests',
  'writing',
  'events',
  'connections',
  'storage',
  'later',
  'cluster',
] as const;
export type Row = (typeof ROWS)[number];

/** The state of the server at a scrape. Numbers are null where nothing is known of them. */
export interface ServerState {
  readonly isReady: boolean;
  readonly realms: { readonly open: number; readonly closed: number; readonly unserved: number };
  readonly operationsWaiting: number;
  readonly queues: { readonly attached: number; readonly detached: number };
  readonly socketsBehind: number;
  readonly logBytes: number;
  readonly logOldestAt: number | null;
  readonly storeBytes: Readonly<Record<(typeof STORE_KINDS)[number], number>>;
  readonly oldestReaderMs: number;
  readonly messagesNotIndexed: number;
  readonly usersActive: Readonly<Record<ActiveWindow, number>>;
  readonly diskFree: { readonly bytes: number; readonly share: number } | null;
  readonly passwordHashesWaiting: number;
  readonly lastBackup: { readonly at: number | null; readonly durationMs: number | null };
  readonly tlsExpiresAt: number | null;
  /** Empty unless the operator wants gauges by realm. */
  readonly byRealm: readonly RealmFigures[];
  /** Null for a server that is no node of a cluster. */
  readonly cluster: ClusterFigures | null;
  /** UNIX milliseconds. */
  readonly now: number;
}

/** The cluster, as this node sees it. */
export interface ClusterFigures {
  readonly nodes: number;
  readonly isReached: boolean;
  readonly shards: Readonly<Record<(typeof SHARD_STATES)[number], number>>;
  readonly shardsWithoutOwner: number;
  readonly lagRecords: number;
  readonly lagMs: number;
  readonly isStorageAway: boolean;
}

/** The figures of one realm, as of the last time they were counted. */
export interface RealmFigures {
  readonly realm: string;
  readonly messages: number;
  readonly usersActive: number;
  readonly bytes: number;
  readonly queuesAttached: number;
}

export interface Sources {
  readonly recorders: Recorders;
  readonly state: ServerState;
}

/** A series: its labels and its value. The labels are the same object at each scrape. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | Histogram;
}

/** One metric: everything that is said about it, here and nowhere else. */
export interface Declaration {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly row: Row;
  /**
   * All values that each label may have. An `endpoint` may also have the name of an endpoint, and a
   * `realm` has that of a realm.
   */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** The sum and the bounds of a histogram are multiplied by this. */
  readonly factor: number;
  readonly read: (sources: Sources) => readonly Series[];
}

type Said = Pick<Declaration, 'name' | 'help' | 'row'>;
type Number = (sources: Sources) => number | null;

const NO_LABELS = {};
export const PER_MS = 0.001;

function single(type: Declaration['type'], said: Said, read: Number): Declaration {
  return {
    ...said,
    type,
    labels: NO_LABELS,
    factor: 1,
    read(sources) {
      const value = read(sources);
      return value === null ? [] : [{ labels: NO_LABELS, value }];
    },
  };
}

export const counter = (said: Said, read: Number) => single('counter', said, read);
export const gauge = (said: Said, read: Number) => single('gauge', said, read);

export const histogram = (
  said: Said,
  read: (recorders: Recorders) => Histogram,
  factor: number = PER_MS,
): Declaration => ({
  ...said,
  type: 'histogram',
  labels: NO_LABELS,
  factor,
  read: ({ recorders }) => [{ labels: NO_LABELS, value: read(recorders) }],
});

/** A metric with one label, from a field for each of its values. */
export const labelled = (
  type: 'counter' | 'gauge',
  said: Said,
  [label, values]: readonly [label: string, values: readonly string[]],
  read: (sources: Sources) => Readonly<Record<string, number>>,
): Declaration => {
  const own = values.map((value) => ({ value, labels: { [label]: value } }));
  return {
    ...said,
    type,
    labels: { [label]: values },
    factor: 1,
    read(sources) {
      const fields = read(sources);
      return own.map(({ labels, value }) => ({ labels, value: fields[value] ?? 0 }));
    },
  };
};
