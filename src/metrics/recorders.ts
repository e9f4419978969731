import type { BackgroundTurns } from '../domain/background-turns.ts';
import { ApiError } from '../domain/wire/errors.ts';
import { Histogram } from './histogram.ts';
import {
  BUG_PLACES,
  CLOSE_CODES,
  CODES,
  CODINGS,
  CREDENTIAL_CODES,
  EVENT_TYPES,
  GROUPS,
  type Group,
  MAIL_IN_RESULTS,
  OUTBOX_KINDS,
  OUTBOX_RESULTS,
  OUTSIDE_ENDPOINTS,
  OWNER_CHANGES,
  PUSH_ANSWERS,
  PUSH_KINDS,
  QUEUE_ENDS,
  RATE_KINDS,
  REASONS,
  SIGN_IN_OUTCOMES,
  zeroes,
} from './labels.ts';

/** Durations are recorded in milliseconds, from 128 µs to 8.4 s. */
const FIRST_MS = 0.128;

/**
 * Everything that the parts of a server record. The parts are handed their own and only add to
 * plain fields; a scrape reads them.
 */
export interface Recorders {
  readonly realms: RealmRecord;
  readonly http: HttpRecord;
  readonly sockets: SocketRecord;
  readonly limits: LimitRecord;
  readonly signIns: SignInRecord;
  readonly outbox: OutboxRecord;
  readonly mailsIn: MailInRecord;
  readonly pushes: PushRecord;
  readonly bugs: BugRecord;
  readonly cluster: ClusterRecord;
  readonly copies: CopyRecord;
}

export const openRecorders = (endpoints: readonly RecordedEndpoint[]): Recorders => ({
  realms: openRealmRecord(),
  http: new HttpRecord(endpoints),
  sockets: openSocketRecord(),
  limits: openLimitRecord(),
  signIns: zeroes(SIGN_IN_OUTCOMES),
  outbox: openOutboxRecord(),
  mailsIn: openMailInRecord(),
  pushes: openPushRecord(),
  bugs: openBugRecord(),
  cluster: openClusterRecord(),
  copies: openCopyRecord(),
});

/** The counts of all realms together. */
export type RealmRecord = ReturnType<typeof openRealmRecord>;

export const openRealmRecord = () => ({
  commitMs: new Histogram(FIRST_MS),
  commitOperations: new Histogram(1),
  /** Operations that accounts have asked for, and not the realms themselves. */
  accountOperations: 0,
  operationsDone: 0,
  operationsRefused: 0,
  /** Operations that were not taken since too many waited, or the disk was full. */
  operationsNotTaken: 0,
  channelMessages: 0,
  directMessages: 0,
  events: zeroes(EVENT_TYPES),
  pollDeliveries: 0,
  socketDeliveries: 0,
  /** From the commit until the last consumer of its turns has its events. */
  deliveryMs: new Histogram(FIRST_MS),
  turnsCut: 0,
  queuesEnded: zeroes(QUEUE_ENDS),
  catchUpRows: 0,
  lateMs: new Histogram(FIRST_MS),
  /** Requests for messages whose narrow searches for words. */
  searchMs: new Histogram(FIRST_MS),
  /** Accounts whose passwords were locked by wrong codes. */
  secondStepsLocked: 0,
});

/** Adds an event of the log. */
export function recordEvent(record: RealmRecord, type: string) {
  const { events } = record;
  if (type in events) events[type] = (events[type] ?? 0) + 1;
  else events['other'] = (events['other'] ?? 0) + 1;
}

/** The work that realms were asked for. */
export interface Load {
  /** Operations of accounts since the start. */
  readonly accountOperations: number;
  readonly background: BackgroundTurns;
}

export const loadOf = ({ accountOperations }: RealmRecord, background: BackgroundTurns): Load => ({
  accountOperations,
  background,
});

export type SocketRecord = ReturnType<typeof openSocketRecord>;

export const openSocketRecord = () => ({
  opened: 0,
  refused: 0,
  closed: zeroes(CLOSE_CODES),
  resumed: 0,
  notResumed: 0,
  /** Credentials that were refused when a socket began, by their code. */
  credentials: zeroes(CREDENTIAL_CODES),
});

/** Counts a closed socket; 0 is the code where the client has closed it. */
export function recordClose({ closed }: SocketRecord, code: number) {
  const name = code === 0 ? 'gone' : String(code);
  if (isIn(closed, name)) closed[name] += 1;
}

/** Counts a refusal, if it is one of credentials. */
export function recordCredentials({ credentials }: SocketRecord, refusal: unknown) {
  if (refusal instanceof ApiError && isIn(credentials, refusal.code))
    credentials[refusal.code] += 1;
}

const isIn = <Label extends string>(counts: Record<Label, number>, name: string): name is Label =>
  name in counts;

export type LimitRecord = ReturnType<typeof openLimitRecord>;

export const openLimitRecord = () => zeroes(RATE_KINDS);

export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];
export type SignInRecord = Record<SignInOutcome, number>;

export type OutboxKind = (typeof OUTBOX_KINDS)[number];
export type OutboxResult = (typeof OUTBOX_RESULTS)[number];

export interface OutboxLaneRecord {
  readonly results: Record<OutboxResult, number>;
  /** The entries that were handed out and are not finished; the time (ms) of the first attempt. */
  readonly waiting: Map<string, number>;
}

export type OutboxRecord = Readonly<Record<OutboxKind, OutboxLaneRecord>>;

export type PushKind = (typeof PUSH_KINDS)[number];
export type PushAnswer = (typeof PUSH_ANSWERS)[number];

export interface PushRecord {
  readonly answers: Readonly<Record<PushKind, Record<PushAnswer, number>>>;
  readonly answerMs: Histogram;
}

export const openPushRecord = (): PushRecord => ({
  answers: Object.fromEntries(
    PUSH_KINDS.map((kind) => [kind, zeroes(PUSH_ANSWERS)]),
  ) as PushRecord['answers'], // by the line above
  answerMs: new Histogram(FIRST_MS),
});

const openLaneRecord = (): OutboxLaneRecord => ({
  results: zeroes(OUTBOX_RESULTS),
  waiting: new Map(),
});

export const openOutboxRecord = (): OutboxRecord =>
  Object.fromEntries(OUTBOX_KINDS.map((kind) => [kind, openLaneRecord()])) as OutboxRecord; // by the line above

export type MailInResult = (typeof MAIL_IN_RESULTS)[number];

/** The counts of mails that relays hand over. */
export type MailInRecord = ReturnType<typeof openMailInRecord>;

export const openMailInRecord = () => ({
  results: zeroes(MAIL_IN_RESULTS),
  /** Mails whose data is coming, or whose message is being written. */
  inProgress: 0,
  bytes: 0,
  /** From the first byte of a mail until its answer. */
  ms: new Histogram(FIRST_MS),
});

/** The result of the last comparison of copies that this node began at night. */
export interface CopyRecord {
  /** The stores that differed; null before the first comparison. */
  differing: number | null;
  notCompared: number | null;
  /** UNIX milliseconds. */
  comparedAt: number | null;
}

export const openCopyRecord = (): CopyRecord => ({
  differing: null,
  notCompared: null,
  comparedAt: null,
});

interface Compared {
  readonly differ: readonly object[];
  readonly not_compared: readonly object[];
  readonly at: number;
}

export function recordVerified(record: CopyRecord, compared: Compared) {
  record.differing = compared.differ.length;
  record.notCompared = compared.not_compared.length;
  record.comparedAt = compared.at;
}

export interface BugRecord {
  readonly bugs: Record<(typeof BUG_PLACES)[number], number>;
  restarts: number;
}

export const openBugRecord = (): BugRecord => ({ bugs: zeroes(BUG_PLACES), restarts: 0 });

/** The counts of a node of a cluster; a server without one counts nothing there. */
export type ClusterRecord = ReturnType<typeof openClusterRecord>;

export const openClusterRecord = () => ({
  /** From the append to the log until its servers have answered. */
  appendMs: new Histogram(FIRST_MS),
  /** Shards that came to this node, by the way. */
  owned: zeroes(OWNER_CHANGES),
  /** How long nobody had written the shards that came to this node from another one. */
  unownedMs: new Histogram(FIRST_MS),
});

/** Counts a shard that has come to this node. */
export function recordOwnerChange(
  record: ClusterRecord,
  { kind, ms }: { readonly kind: (typeof OWNER_CHANGES)[number]; readonly ms: number },
) {
  record.owned[kind] += 1;
  if (kind !== 'first claim') record.unownedMs.record(ms);
}

/** An endpoint of the API, as requests to it are told apart. */
export interface RecordedEndpoint {
  readonly name: string;
  readonly group: Group;
}

/** The time of requests that have waited for events is not taken, so polls begin at this. */
const WAITING = 0;

/**
 * The counts of the HTTP transport. A request is told by the number of its endpoint: those outside
 * of the API come first, then the endpoints in the order in which they were given.
 */
export class HttpRecord {
  readonly names: readonly string[];
  readonly groups: Readonly<Record<Group, Histogram>>;
  /** Answers by endpoint and, next to each other, by code. */
  readonly answers: Float64Array;
  private readonly labels = new Map<number, Readonly<Record<string, string>>>();
  readonly refused: Record<string, number> = zeroes(REASONS);
  inFlight = 0;
  pollsParked = 0;
  receivedBytes = 0;
  sentBytes = 0;
  uploadedBytes = 0;
  /** Bytes of answers that were compressed, before and after. */
  readonly compressedBefore = zeroes(CODINGS);
  readonly compressedAfter = zeroes(CODINGS);
  /** Answers that were sent as they are, because too many were being compressed. */
  notCompressed = 0;
  private readonly histograms: readonly Histogram[];

  constructor(endpoints: readonly RecordedEndpoint[]) {
    const outside = OUTSIDE_ENDPOINTS.map((name) => ({ name, group: GROUP_OUTSIDE[name] }));
    const all = [...outside, ...endpoints];
    const groups = Object.fromEntries(GROUPS.map((group) => [group, new Histogram(FIRST_MS)]));
    this.groups = groups as Record<Group, Histogram>; // by the line above
    this.names = all.map(({ name }) => name);
    this.answers = new Float64Array(all.length * CODES.length);
    this.histograms = all.map(({ group }) => this.groups[group]);
  }

  /** Returns when the request has begun, as `end` takes it: a small number that is never 0. */
  begin(): number {
    this.inFlight += 1;
    return microseconds() | 1;
  }

  /** The request now waits for events; returns what takes the place of when it began. */
  park(): number {
    this.inFlight -= 1;
    this.pollsParked += 1;
    return WAITING;
  }

  end(endpoint: number, begunAt: number, code: number) {
    const index = endpoint * CODES.length + code;
    this.answers[index] = (this.answers[index] ?? 0) + 1;
    if (begunAt === WAITING) {
      this.pollsParked -= 1;
      return;
    }
    this.inFlight -= 1;
    // The difference is right also when the number has wrapped, as it does each hour.
    this.histograms[endpoint]?.record((((microseconds() | 1) - begunAt) >>> 0) / 1_000);
  }

  /** Counts an answer that was to be compressed; null for the bytes after: it was not. */
  compress(coding: (typeof CODINGS)[number], before: number, after: number | null) {
    if (after === null) {
      this.notCompressed += 1;
      return;
    }
    this.compressedBefore[coding] += before;
    this.compressedAfter[coding] += after;
  }

  /** Returns the labels of a place in the answers, always the same object. */
  labelsOf(index: number): Readonly<Record<string, string>> {
    const known = this.labels.get(index);
    if (known !== undefined) return known;
    const endpoint = this.names[Math.floor(index / CODES.length)] ?? 'other';
    const labels = { endpoint, code: CODES[index % CODES.length] ?? '2xx' };
    this.labels.set(index, labels);
    return labels;
  }

  refuse(code: unknown) {
    const reason = typeof code === 'string' && code in this.refused ? code : 'INTERNAL_ERROR';
    this.refused[reason] = (this.refused[reason] ?? 0) + 1;
  }
}

/** A double would be kept apart for each parked poll; 32 bits lie in the object. */
const microseconds = () => (performance.now() * 1_000) | 0;

const GROUP_OUTSIDE: Readonly<Record<(typeof OUTSIDE_ENDPOINTS)[number], Group>> = {
  other: 'other',
  health: 'other',
  page: 'page',
  file: 'file',
  externalContent: 'file',
  resumableUpload: 'upload',
};

/** The numbers of what is outside of the API, and of its first endpoint. */
export const OTHER = OUTSIDE_ENDPOINTS.indexOf('other');
export const HEALTH = OUTSIDE_ENDPOINTS.indexOf('health');
export const PAGE = OUTSIDE_ENDPOINTS.indexOf('page');
export const FILE = OUTSIDE_ENDPOINTS.indexOf('file');
export const EXTERNAL_CONTENT = OUTSIDE_ENDPOINTS.indexOf('externalContent');
export const RESUMABLE_UPLOAD = OUTSIDE_ENDPOINTS.indexOf('resumableUpload');
export const FIRST_ENDPOINT = OUTSIDE_ENDPOINTS.length;

/** The number of the code class of a status such as `200 OK`. */
export const codeOf = (status: string): number => {
  const code = status.charCodeAt(0) - TWO;
  return code >= 0 && code < GONE ? code : 0;
};
const TWO = '2'.charCodeAt(0);
/** The client was gone before it had an answer. */
export const GONE = CODES.indexOf('gone');
