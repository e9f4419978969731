import { STATUS_OF } from '../domain/wire/errors.ts';
import { LOGGED_EVENTS } from '../domain/wire/events/logged-events.ts';

/**
 * The values that labels may have, all of them listed: a label that carried what a client sends
 * would fill the memory of the one that collects it.
 */
export const CODES = ['2xx', '3xx', '4xx', '5xx', 'gone'] as const;

/** The codings of compressed answers, as `Content-Encoding` names them. */
export const CODINGS = ['br', 'gzip'] as const;

/** Requests that reach no endpoint of the API, by what answers them. */
export const OUTSIDE_ENDPOINTS = [
  'other',
  'health',
  'page',
  'file',
  'externalContent',
  'resumableUpload',
] as const;

export const GROUPS = [
  'other',
  'page',
  'file',
  'read',
  'change',
  'send',
  'search',
  'upload',
  'mail',
  'logIn',
  'poll',
] as const;
export type Group = (typeof GROUPS)[number];

export const RATE_KINDS = [
  'request',
  'poll',
  'send',
  'search',
  'upload',
  'mail',
  'logIn',
  'anonymous',
] as const;

/** The reasons for refusals: the codes that clients get. */
export const REASONS = [...Object.keys(STATUS_OF), 'INTERNAL_ERROR'];

/** How sign-ins by providers end. */
export const SIGN_IN_OUTCOMES = [
  'signed_in',
  'ambiguous',
  'begun_elsewhere',
  'busy',
  'denied',
  'logged_out',
  'logout_refused',
  'no_account',
  'no_id',
  'no_id_token',
  'not_trusted',
  'refused',
  'too_large',
  'unreachable',
] as const;

export const CREDENTIAL_CODES = [
  'UNAUTHORIZED',
  'INVALID_API_KEY',
  'AUTHENTICATION_FAILED',
  'USER_DEACTIVATED',
  'REALM_DEACTIVATED',
  'PASSWORD_AUTH_DISABLED',
  'SECOND_STEP_REQUIRED',
  'SECOND_STEP_FAILED',
  'SECOND_STEP_LOCKED',
  'SECOND_STEP_MISSING',
] as const;

export const EVENT_TYPES: readonly string[] = [
  ...new Set([...Object.keys(LOGGED_EVENTS).map((name) => name.split(' ')[0] ?? ''), 'other']),
];

export const OUTBOX_KINDS = [
  'webhook',
  'push',
  'webPush',
  'apns',
  'fcm',
  'mail',
  'visit',
  'removedFile',
  'thumbnail',
  'missed',
  'digest',
  'export',
] as const;
export const OUTBOX_RESULTS = [
  'delivered',
  'retried',
  'refused',
  'dropped',
  'split',
  'given up',
] as const;

/** The results of mails that came in; all but the first two are refusals. */
export const MAIL_IN_RESULTS = [
  'taken',
  'dropped',
  'no_relay',
  'no_address',
  'bounce',
  'automatic',
  'loop',
  'not_allowed',
  'unreadable',
  'too_large',
  'cut_off',
  'rate',
  'busy',
  'no_owner',
  'fault',
] as const;

/** The kinds of devices that the server pushes to itself. */
export const PUSH_KINDS = ['webPush', 'apns', 'fcm'] as const;
/**
 * How push services answer; gone: the device is known no more; busy: it asks to come later;
 * unreachable: there was no answer.
 */
export const PUSH_ANSWERS = [
  'taken',
  'gone',
  'refused',
  'keys refused',
  'busy',
  'unreachable',
] as const;

/** The codes with which the server closes sockets; `gone`: the client has closed it, or is away. */
export const CLOSE_CODES = [
  'gone',
  '1001',
  '1011',
  '4001',
  '4002',
  '4003',
  '4008',
  '4009',
] as const;

export const QUEUE_ENDS = ['deleted', 'account gone', 'idle', 'left behind'] as const;

export const BUG_PLACES = [
  'requests',
  'control',
  'scheduler',
  'workers',
  'previews',
  'files',
  'metrics',
] as const;

/** The ways in which a shard of a cluster comes to its owner. */
export const OWNER_CHANGES = ['first claim', 'take-over', 'move'] as const;

/** The states of a node towards a shard (`actors/shard.ts`), as far as they last. */
export const SHARD_STATES = ['owned', 'followed', 'changing'] as const;

/** The kinds of space in use: rows, pages between them that are free, and uploaded files. */
export const STORE_KINDS = ['data', 'free', 'uploads'] as const;

/** The windows in which people count as active, in days. */
export const ACTIVE_DAYS = { '1d': 1, '7d': 7, '30d': 30 } as const;
export type ActiveWindow = keyof typeof ACTIVE_DAYS;
export const ACTIVE_WINDOWS = Object.keys(ACTIVE_DAYS) as readonly ActiveWindow[]; // its own names

/** Returns a field that counts for each label. */
export const zeroes = <Label extends string>(labels: readonly Label[]): Record<Label, number> =>
  Object.fromEntries(labels.map((label) => [label, 0])) as Record<Label, number>; // by the line above
