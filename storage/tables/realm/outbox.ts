import { table } from '../../table.ts';

/**
 * An outbox entry: something to be done outside of this store, such as a call of a webhook, a push,
 * a mail, a link unfurl or an export. It is written with the change that causes it and removed when
 * it was delivered or given up, so a kill in between loses nothing (and may send twice).
 */
export interface OutboxRow {
  /** Selects the worker. The names are on disk, so they stay as they are. */
  readonly kind:
    | 'webhook'
    | 'push'
    | 'webPush'
    | 'apns'
    | 'fcm'
    | 'mail'
    | 'visit'
    | 'removedFile'
    | 'thumbnail'
    | 'missed'
    | 'digest'
    | 'export';
  /** Plain data, of a shape that the worker knows. */
  readonly content: unknown;
  readonly attempts: number;
  /** The run of the server that is delivering it; null while it waits. */
  readonly leasedBy: string | null;
}

/**
 * The earliest entries come first, so those that are due are a range. `dueAt` is in UNIX
 * milliseconds.
 */
export const outbox = table<[dueAt: number, entryId: number], OutboxRow>(
  'outbox',
  ['kind', 'content', 'attempts', 'leasedBy'],
  { defaults: { leasedBy: null } },
);

export interface IdempotencyResultRow {
  readonly messageId: number;
  readonly at: number;
  /** The sender's new policy of the topic; null if the send did not change it. */
  readonly newPolicy: 2 | 3 | null;
}

/**
 * The result that answers a repeated send: key is `key:<Idempotency-Key>` or
 * `local:<queue>:<local_id>`, hashed.
 */
export const idempotencyResults = table<[userId: number, key: string], IdempotencyResultRow>(
  'first_results',
  ['messageId', 'at', 'newPolicy'],
  { defaults: { newPolicy: null } },
);

/** `first_results` by time (UNIX milliseconds), so that the old ones are found without a scan. */
export const idempotencyResultTimes = table<
  [at: number, userId: number, key: string],
  Record<never, never>
>('first_result_times', []);
