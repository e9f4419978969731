// The answers of the console's server, as its page reads them. This file imports nothing, as it is
// compiled for browsers as well.

/** One line of a sample: its name, and how people read it. */
export interface SeriesSpec {
  readonly name: string;
  readonly label: string;
  readonly unit: 'per second' | 'number' | 'seconds' | 'bytes' | 'share';
  /** The alert that is about the same thing; the bound is in the unit of the series. */
  readonly alert: Alerted | null;
}

export interface Alerted {
  readonly name: string;
  readonly isAbove: boolean;
  readonly bound: number;
  readonly summary: string;
}

/** A sample: its time in UNIX seconds, then a value for each series; null: it is not known. */
export type Sample = readonly (number | null)[];

/** The first event of the stream: everything that was kept. */
export interface Hello {
  readonly series: readonly SeriesSpec[];
  readonly samples: readonly Sample[];
  readonly log: readonly LogRecord[];
}

/** A record of the log, with its fields in one text. */
export interface LogRecord {
  /** A number that grows by one with each record. */
  readonly id: number;
  /** UNIX milliseconds. */
  readonly at: number;
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  readonly text: string;
  /** The other fields, as JSON; empty if there are none. */
  readonly fields: string;
  /** The meaning, and what to do; empty if nothing is known of this text. */
  readonly why: string;
}

export interface ServerView {
  readonly version: string;
  readonly node: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly url: string | null;
  readonly data: string;
  readonly isReady: boolean;
  readonly reasons: readonly string[];
  /** The name of this node of a cluster; null for a server that is no node. */
  readonly clusterNode: string | null;
  /** How many gateways the server has; with none there is no view of them. */
  readonly gateways: number;
}

/** A node of the cluster. Numbers are null if it is of a version that does not say them. */
export interface NodeView {
  readonly node: string;
  readonly address: string;
  readonly version: string | null;
  /** UNIX milliseconds. */
  readonly since: number | null;
  readonly owned: number;
  /** The shards of which it has a copy, with those that it owns. */
  readonly copies: number;
  /** The cores that it keeps busy. */
  readonly cpu: number | null;
  readonly rssBytes: number | null;
  readonly isLeaving: boolean;
  readonly isDrained: boolean;
}

export interface FollowerView {
  readonly node: string;
  readonly records: number;
  readonly ms: number;
}

export interface ShardView {
  readonly shard: number;
  readonly owner: string | null;
  /** The state of the node that answers. */
  readonly state: string;
  readonly epoch: number;
  readonly sequence: number;
  /** The nodes that have a copy, but the owner. */
  readonly followers: readonly FollowerView[];
  /** The nodes that should have a copy and have none yet. */
  readonly lacking: readonly string[];
  /** The node that an operator has pinned it to. */
  readonly pinnedTo: string | null;
  readonly change: {
    readonly kind: string;
    readonly from: string | null;
    /** UNIX milliseconds. */
    readonly at: number;
    readonly ms: number;
  } | null;
  /** The log of the shard at its servers; null if they do not tell. */
  readonly log: {
    readonly records: number;
    readonly bytes: number;
    readonly leader: string | null;
    readonly copies: number;
    readonly current: number;
  } | null;
}

export interface ClusterView {
  /** The node that answers. */
  readonly node: string;
  /** False while the node does not hear by way of the servers of the log what it says itself. */
  readonly isReached: boolean;
  readonly log: {
    readonly isConnected: boolean;
    readonly server: string | null;
    readonly roundTripMs: number | null;
  };
  /** The shared storage of files; null if the nodes share none. */
  readonly storage: {
    readonly address: string;
    readonly isAway: boolean;
    /** UNIX milliseconds. */
    readonly answeredAt: number | null;
    readonly failure: { readonly at: number; readonly why: string } | null;
  } | null;
  readonly nodes: readonly NodeView[];
  readonly shards: readonly ShardView[];
}

export interface GatewayView {
  readonly number: number;
  readonly pid: number | null;
  /** UNIX milliseconds. */
  readonly since: number;
  readonly sockets: number;
  readonly behind: number;
  readonly cpu: number;
  readonly rssBytes: number;
  /** Bytes that the writer has sent and the gateway has not taken yet. */
  readonly unsentBytes: number;
}

export interface GatewaysView {
  /** How many there should be. */
  readonly wanted: number;
  readonly gateways: readonly GatewayView[];
  /** How many have ended by themselves since the start, and the last time. */
  readonly ended: number;
  readonly lastEnd: { readonly at: number; readonly why: string } | null;
}

export interface RealmView {
  readonly id: number;
  readonly realm: string;
  readonly title: string;
  readonly state: 'active' | 'deactivated' | 'closed' | 'not served';
  readonly reason: string;
  readonly users: number;
  readonly channels: number;
  readonly messages: number;
  readonly bytes: number;
  readonly queues: number;
  /** UNIX milliseconds of the newest event; null: it is not known. */
  readonly lastActiveAt: number | null;
  readonly url: string;
}

export interface UserView {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly isBot: boolean;
  readonly isActive: boolean;
}

export interface UsersView {
  readonly users: readonly UserView[];
  /** How many accounts match, with those that are not listed. */
  readonly matching: number;
}

/** A value that an act has changed, as text; null where there is none. */
export interface AuditChange {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** An act of the audit log. */
export interface AuditLine {
  readonly id: number;
  /** UNIX milliseconds. */
  readonly at: number;
  /** The address of an account, or `operator`, or `server`. */
  readonly by: string;
  readonly kind: string;
  readonly op: string;
  readonly target: string;
  readonly changes: readonly AuditChange[];
}

export interface AuditView {
  /** The kinds that there are. */
  readonly kinds: readonly string[];
  /** Newest first. */
  readonly entries: readonly AuditLine[];
  readonly hasMore: boolean;
}

export interface ClientView {
  readonly client: string;
  readonly version: string;
  readonly sockets: number;
  readonly polls: number;
}

export interface SlowSocket {
  readonly realm: string;
  readonly user: string;
  readonly client: string;
  readonly bufferedBytes: number;
  /** How long the client has taken nothing. */
  readonly stalledMs: number;
}

export interface ConnectionsView {
  readonly sockets: number;
  readonly polls: number;
  /** How many of the polls were counted by client. */
  readonly pollsCounted: number;
  readonly clients: readonly ClientView[];
  readonly slow: readonly SlowSocket[];
}

export interface OutboxEntry {
  readonly realm: string;
  readonly id: number;
  readonly kind: string;
  readonly attempts: number;
  /** UNIX milliseconds. */
  readonly dueAt: number;
  readonly state: 'waiting' | 'under way' | 'failed';
}

export interface OutboxView {
  readonly kinds: readonly {
    readonly kind: string;
    readonly waiting: number;
    readonly delivered: number;
    readonly retried: number;
    readonly givenUp: number;
  }[];
  /** How many mails came in, by their result; empty where none are received. */
  readonly mailsIn: readonly { readonly result: string; readonly count: number }[];
  readonly entries: readonly OutboxEntry[];
  /** True if there are more entries than are listed. */
  readonly isCut: boolean;
}

export interface BackupsView {
  readonly to: string | null;
  readonly nextAt: number | null;
  readonly keep: number;
  readonly lastSuccessAt: number | null;
  readonly backup: string | null;
  readonly bytes: number | null;
  readonly files: number | null;
  readonly seconds: number | null;
  readonly lastFailureAt: number | null;
  readonly why: string | null;
}

export interface BackupView {
  readonly backup: string;
  readonly is_complete: boolean;
  readonly at: string | null;
  readonly bytes?: number;
  readonly files?: number;
  readonly why?: string;
}

export interface CheckView {
  readonly check: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly says: string;
  readonly advice?: string;
}

/** One line of `confab check`: a fault in the stored data, or what was checked of a realm. */
export type DataCheckLine = Readonly<Record<string, unknown>>;

export interface QueueView {
  readonly id: string;
  readonly user: string;
  readonly state: string;
  readonly consumer: 'socket' | 'poll' | null;
  readonly client: string | null;
}

export interface ChannelView {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly listeners: number;
}

export interface RealmActors {
  readonly id: number;
  readonly realm: string;
  readonly state: string;
  readonly channels: readonly ChannelView[];
  readonly hasMoreChannels: boolean;
  readonly queues: readonly QueueView[];
  readonly attachedCount: number;
  readonly detachedCount: number;
}

export interface InspectedView {
  readonly at: number;
  readonly actor: string;
  readonly what: string;
  readonly detail: string;
}

export interface ActorsView {
  readonly state: string;
  readonly realms: readonly RealmActors[];
  readonly isCut: boolean;
  readonly isRecording: boolean;
  /** The latest acts of the actors, the newest first. */
  readonly inspected: readonly InspectedView[];
}

/** The answer to an act: what a command printed, or why it was refused. */
export type ActReply =
  | { readonly lines: readonly Readonly<Record<string, unknown>>[] }
  | { readonly refusal: string };
