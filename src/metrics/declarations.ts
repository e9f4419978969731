import { SERVICE_VERSION } from '../domain/version.ts';
import type { Histogram } from './histogram.ts';
import * as labels from './labels.ts';
import { GROUPS } from './labels.ts';
import type { Recorders } from './recorders.ts';

/** The rows of the dashboard, in their order. */
export const ROWS = ['requests', 'writing', 'events', 'connections', 'storage', 'later'] as const;
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
  readonly storeBytes: number;
  readonly diskFree: { readonly bytes: number; readonly share: number } | null;
  readonly passwordHashesWaiting: number;
  readonly lastBackupAt: number | null;
  readonly tlsExpiresAt: number | null;
  /** UNIX milliseconds. */
  readonly now: number;
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
  /** All values that each label may have; `endpoint` has the names of the endpoints as well. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** The sum and the bounds of a histogram are multiplied by this. */
  readonly factor: number;
  readonly read: (sources: Sources) => readonly Series[];
}

type Said = Pick<Declaration, 'name' | 'help' | 'row'>;
type Number = (sources: Sources) => number | null;

const NO_LABELS = {};
const VERSION = { version: SERVICE_VERSION };
const PER_MS = 0.001;

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

const counter = (said: Said, read: Number) => single('counter', said, read);
const gauge = (said: Said, read: Number) => single('gauge', said, read);

const histogram = (
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
const labelled = (
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

const { CODES } = labels;

/** Requests by endpoint and code. Only those that came are told, as there are a thousand pairs. */
const requests: Declaration = {
  name: 'confab_http_requests_total',
  help: 'Answers to requests, by the operationId of the endpoint and the class of the status.',
  type: 'counter',
  row: 'requests',
  labels: { endpoint: labels.OUTSIDE_ENDPOINTS, code: CODES },
  factor: 1,
  read({ recorders: { http } }) {
    const series: Series[] = [];
    for (let index = 0; index < http.answers.length; index++) {
      const value = http.answers[index] ?? 0;
      if (value === 0) continue;
      series.push({ labels: http.labelsOf(index), value });
    }
    return series;
  },
};

const TIMED_GROUPS = GROUPS.filter((group) => group !== 'poll').map((group) => ({ group }));

const durations: Declaration = {
  name: 'confab_http_request_duration_seconds',
  help: 'Time from the head of a request to its answer, without polls, which wait for events.',
  type: 'histogram',
  row: 'requests',
  labels: { group: TIMED_GROUPS.map(({ group }) => group) },
  factor: PER_MS,
  read: ({ recorders: { http } }) =>
    TIMED_GROUPS.map((labels) => ({ labels, value: http.groups[labels.group] })),
};

/** Adds up the answers of the endpoints of some names, by their code. */
function answersOf(
  { http }: Recorders,
  names: readonly string[],
): Readonly<Record<string, number>> {
  const sums = labels.zeroes(CODES);
  for (const name of names) {
    const endpoint = http.names.indexOf(name);
    for (const [index, code] of CODES.entries()) {
      if (endpoint >= 0) sums[code] += http.answers[endpoint * CODES.length + index] ?? 0;
    }
  }
  return { ok: sums['2xx'], refused: sums['4xx'], failed: sums['5xx'] };
}

const RESULTS = ['ok', 'refused', 'failed'] as const;
const LOG_INS = ['postFetchApiKey', 'postDevFetchApiKey', 'postJwtFetchApiKey'];
const UPLOADS = ['postUserUploads', 'resumableUpload'];

const REQUESTS: readonly Declaration[] = [
  requests,
  durations,
  gauge(
    {
      name: 'confab_http_requests_in_flight',
      help: 'Requests that have no answer yet, without parked polls.',
      row: 'requests',
    },
    ({ recorders }) => recorders.http.inFlight,
  ),
  counter(
    {
      name: 'confab_http_received_bytes_total',
      help: 'Bytes of bodies of requests.',
      row: 'requests',
    },
    ({ recorders }) => recorders.http.receivedBytes,
  ),
  counter(
    {
      name: 'confab_http_sent_bytes_total',
      help: 'Bytes of bodies of answers; of one that is a text, its characters.',
      row: 'requests',
    },
    ({ recorders }) => recorders.http.sentBytes,
  ),
  labelled(
    'counter',
    {
      name: 'confab_http_refused_total',
      help: 'Refused requests, by the code that the client got.',
      row: 'requests',
    },
    ['reason', labels.REASONS],
    ({ recorders }) => recorders.http.refused,
  ),
  labelled(
    'counter',
    {
      name: 'confab_rate_limited_total',
      help: 'Requests over a rate limit, by its class.',
      row: 'requests',
    },
    ['kind', labels.RATE_KINDS],
    ({ recorders }) => recorders.limits,
  ),
  labelled(
    'counter',
    { name: 'confab_logins_total', help: 'Log-ins, by their result.', row: 'requests' },
    ['result', RESULTS],
    ({ recorders }) => answersOf(recorders, LOG_INS),
  ),
  labelled(
    'counter',
    {
      name: 'confab_credentials_refused_total',
      help: 'Refused credentials of requests and sockets, by the code that the client got.',
      row: 'requests',
    },
    ['reason', labels.CREDENTIAL_CODES],
    ({ recorders: { http, sockets } }) =>
      Object.fromEntries(
        labels.CREDENTIAL_CODES.map((code) => [
          code,
          (http.refused[code] ?? 0) + sockets.credentials[code],
        ]),
      ),
  ),
  gauge(
    {
      name: 'confab_password_hashes_waiting',
      help: 'Passwords that wait for their turn to be hashed.',
      row: 'requests',
    },
    ({ state }) => state.passwordHashesWaiting,
  ),
];

const WRITING: readonly Declaration[] = [
  counter(
    { name: 'confab_commits_total', help: 'Commits of all realms.', row: 'writing' },
    ({ recorders }) => recorders.realms.commitMs.count,
  ),
  histogram(
    {
      name: 'confab_commit_duration_seconds',
      help: 'Time of a commit, with the sync of the disk.',
      row: 'writing',
    },
    ({ realms }) => realms.commitMs,
  ),
  histogram(
    { name: 'confab_commit_operations', help: 'Operations that shared a commit.', row: 'writing' },
    ({ realms }) => realms.commitOperations,
    1,
  ),
  labelled(
    'counter',
    {
      name: 'confab_operations_total',
      help: 'Operations, by their outcome; not taken: too many waited, or the disk was full.',
      row: 'writing',
    },
    ['outcome', ['done', 'refused', 'not taken']],
    ({ recorders: { realms } }) => ({
      done: realms.operationsDone,
      refused: realms.operationsRefused,
      'not taken': realms.operationsNotTaken,
    }),
  ),
  gauge(
    {
      name: 'confab_operations_waiting',
      help: 'Operations that wait for a commit, in all realms.',
      row: 'writing',
    },
    ({ state }) => state.operationsWaiting,
  ),
  labelled(
    'counter',
    { name: 'confab_messages_total', help: 'Messages sent, by their kind.', row: 'writing' },
    ['kind', ['channel', 'direct']],
    ({ recorders: { realms } }) => ({
      channel: realms.channelMessages,
      direct: realms.directMessages,
    }),
  ),
  labelled(
    'counter',
    { name: 'confab_bugs_total', help: 'Bugs in the log, by where they were.', row: 'writing' },
    ['where', labels.BUG_PLACES],
    ({ recorders }) => recorders.bugs.bugs,
  ),
  counter(
    {
      name: 'confab_realm_restarts_total',
      help: 'Realms that a bug stopped and that were started again.',
      row: 'writing',
    },
    ({ recorders }) => recorders.bugs.restarts,
  ),
];

const EVENTS: readonly Declaration[] = [
  labelled(
    'counter',
    { name: 'confab_events_total', help: 'Events in the logs, by their type.', row: 'events' },
    ['type', labels.EVENT_TYPES],
    ({ recorders }) => recorders.realms.events,
  ),
  labelled(
    'counter',
    {
      name: 'confab_deliveries_total',
      help: 'Batches of events handed to consumers, by their transport.',
      row: 'events',
    },
    ['transport', ['poll', 'socket']],
    ({ recorders: { realms } }) => ({
      poll: realms.pollDeliveries,
      socket: realms.socketDeliveries,
    }),
  ),
  histogram(
    {
      name: 'confab_delivery_delay_seconds',
      help: 'Time from a commit until the last live consumer was handed its events.',
      row: 'events',
    },
    ({ realms }) => realms.deliveryMs,
  ),
  counter(
    {
      name: 'confab_announce_turns_cut_total',
      help: 'Turns of delivery that used up their 20 ms, so that others came in between.',
      row: 'events',
    },
    ({ recorders }) => recorders.realms.turnsCut,
  ),
  labelled(
    'gauge',
    {
      name: 'confab_queues',
      help: 'Event queues, attached to a client or detached.',
      row: 'events',
    },
    ['state', ['attached', 'detached']],
    ({ state }) => state.queues,
  ),
  labelled(
    'counter',
    {
      name: 'confab_queues_ended_total',
      help: 'Event queues that have ended, by the reason.',
      row: 'events',
    },
    ['reason', labels.QUEUE_ENDS],
    ({ recorders }) => recorders.realms.queuesEnded,
  ),
  counter(
    {
      name: 'confab_catch_up_rows_total',
      help: 'Events of the log that queues went through to catch up.',
      row: 'events',
    },
    ({ recorders }) => recorders.realms.catchUpRows,
  ),
  gauge(
    { name: 'confab_log_bytes', help: 'Bytes of the largest event log.', row: 'events' },
    ({ state }) => state.logBytes,
  ),
  gauge(
    {
      name: 'confab_log_oldest_seconds',
      help: 'Age of the oldest event in a log, as of the last time it was trimmed.',
      row: 'events',
    },
    ({ state }) =>
      state.logOldestAt === null ? 0 : Math.max(0, state.now - state.logOldestAt) / 1_000,
  ),
];

const CONNECTIONS: readonly Declaration[] = [
  gauge(
    { name: 'confab_sockets', help: 'Open WebSockets.', row: 'connections' },
    ({ recorders: { sockets } }) =>
      sockets.opened - Object.values(sockets.closed).reduce((sum, count) => sum + count, 0),
  ),
  gauge(
    { name: 'confab_polls_parked', help: 'Polls that wait for events.', row: 'connections' },
    ({ recorders }) => recorders.http.pollsParked,
  ),
  labelled(
    'counter',
    {
      name: 'confab_sockets_opened_total',
      help: 'WebSockets that were opened, and those of them that were refused then.',
      row: 'connections',
    },
    ['result', ['opened', 'refused']],
    ({ recorders: { sockets } }) => ({ opened: sockets.opened, refused: sockets.refused }),
  ),
  labelled(
    'counter',
    {
      name: 'confab_sockets_closed_total',
      help: 'Closed WebSockets, by the code with which the server closed; gone: the client did.',
      row: 'connections',
    },
    ['code', labels.CLOSE_CODES],
    ({ recorders }) => recorders.sockets.closed,
  ),
  gauge(
    {
      name: 'confab_sockets_behind',
      help: 'WebSockets whose client has not taken all that was sent.',
      row: 'connections',
    },
    ({ state }) => state.socketsBehind,
  ),
  labelled(
    'counter',
    {
      name: 'confab_resumes_total',
      help: 'WebSockets that asked for their former queue, and whether they got it.',
      row: 'connections',
    },
    ['result', ['resumed', 'unknown']],
    ({ recorders: { sockets } }) => ({ resumed: sockets.resumed, unknown: sockets.notResumed }),
  ),
];

const STORAGE: readonly Declaration[] = [
  gauge(
    {
      name: 'confab_store_bytes',
      help: 'Bytes of the stores of all realms, with their free pages, without uploads.',
      row: 'storage',
    },
    ({ state }) => state.storeBytes,
  ),
  gauge(
    {
      name: 'confab_disk_free_bytes',
      help: 'Bytes that are free on the disk of the data directory, if it is watched.',
      row: 'storage',
    },
    ({ state }) => state.diskFree?.bytes ?? null,
  ),
  gauge(
    {
      name: 'confab_disk_free_ratio',
      help: 'The free share of the disk of the data directory, if it is watched.',
      row: 'storage',
    },
    ({ state }) => state.diskFree?.share ?? null,
  ),
  labelled(
    'counter',
    {
      name: 'confab_uploads_total',
      help: 'Requests that upload a file or a part of one, by their result.',
      row: 'storage',
    },
    ['result', RESULTS],
    ({ recorders }) => answersOf(recorders, UPLOADS),
  ),
  counter(
    {
      name: 'confab_upload_bytes_total',
      help: 'Bytes that requests announced whose body is read as it arrives.',
      row: 'storage',
    },
    ({ recorders }) => recorders.http.uploadedBytes,
  ),
  labelled(
    'gauge',
    { name: 'confab_realms', help: 'Realms by their state.', row: 'storage' },
    ['state', ['open', 'closed', 'unserved']],
    ({ state }) => state.realms,
  ),
  gauge(
    {
      name: 'confab_backup_last_success_timestamp_seconds',
      help: 'When the last backup was done, if one is known.',
      row: 'storage',
    },
    ({ state }) => (state.lastBackupAt === null ? null : state.lastBackupAt / 1_000),
  ),
  gauge(
    {
      name: 'confab_tls_expiry_timestamp_seconds',
      help: 'When the certificate ends, if the server speaks TLS.',
      row: 'storage',
    },
    ({ state }) => state.tlsExpiresAt,
  ),
];

const { OUTBOX_KINDS, OUTBOX_RESULTS } = labels;

const OUTBOX_PAIRS = OUTBOX_KINDS.flatMap((kind) =>
  OUTBOX_RESULTS.map((result) => ({ kind, result })),
);

const LATER: readonly Declaration[] = [
  labelled(
    'gauge',
    {
      name: 'confab_outbox_waiting',
      help: 'Outbox entries that were handed to a worker and are not finished, by their kind.',
      row: 'later',
    },
    ['kind', OUTBOX_KINDS],
    ({ recorders: { outbox } }) =>
      Object.fromEntries(OUTBOX_KINDS.map((kind) => [kind, outbox[kind].waiting.size])),
  ),
  {
    name: 'confab_outbox_total',
    help: 'Attempts at outbox entries, by their kind and result.',
    type: 'counter',
    row: 'later',
    labels: { kind: OUTBOX_KINDS, result: OUTBOX_RESULTS },
    factor: 1,
    read: ({ recorders: { outbox } }) =>
      OUTBOX_PAIRS.map((labels) => ({ labels, value: outbox[labels.kind].results[labels.result] })),
  },
  labelled(
    'gauge',
    {
      name: 'confab_outbox_oldest_seconds',
      help: 'Time since the first attempt at the oldest outbox entry that is not finished.',
      row: 'later',
    },
    ['kind', OUTBOX_KINDS],
    ({ recorders: { outbox }, state }) =>
      Object.fromEntries(
        OUTBOX_KINDS.map((kind) => {
          // A map keeps the order in which its entries came.
          const [oldest = state.now] = outbox[kind].waiting.values();
          return [kind, Math.max(0, state.now - oldest) / 1_000];
        }),
      ),
  ),
  histogram(
    {
      name: 'confab_scheduler_late_seconds',
      help: 'How late a realm did what was due: scheduled messages, reminders, the outbox.',
      row: 'later',
    },
    ({ realms }) => realms.lateMs,
  ),
];

const SERVER: readonly Declaration[] = [
  {
    name: 'confab_build_info',
    help: 'The version of the server; the value is always 1.',
    type: 'gauge',
    row: 'requests',
    labels: { version: [SERVICE_VERSION] },
    factor: 1,
    read: () => [{ labels: VERSION, value: 1 }],
  },
  gauge(
    {
      name: 'confab_ready',
      help: '1 while the server answers 200 at /readyz, else 0.',
      row: 'requests',
    },
    ({ state }) => (state.isReady ? 1 : 0),
  ),
];

/** All metrics of the server's own, in the order of the documents. */
export const DECLARATIONS: readonly Declaration[] = [
  ...SERVER,
  ...REQUESTS,
  ...WRITING,
  ...EVENTS,
  ...CONNECTIONS,
  ...STORAGE,
  ...LATER,
];
