import { table } from '../../table.ts';

/**
 * What is to be done outside of this store: a call of a webhook, a push, a mail, a look at a page, a file to be removed,
 * a thumbnail to be made, a mail to somebody who missed messages, an export.
 * Written with the change that causes it, removed when it has arrived or is given up, so a kill in between loses nothing (and
 * may send twice).
 */
export interface LetterRow {
  /** Which courier carries it. */
  readonly kind:
    | 'webhook'
    | 'push'
    | 'mail'
    | 'visit'
    | 'removedFile'
    | 'thumbnail'
    | 'missed'
    | 'export';
  /** Plain data, of a shape that its courier knows. */
  readonly content: unknown;
  readonly attempts: number;
  /** The run of the server in which it is being carried; null while it waits. */
  readonly carriedIn: string | null;
}

/** Earliest first: what is due is the beginning of the table. `dueAt` is in UNIX milliseconds. */
export const outbox = table<[dueAt: number, letterId: number], LetterRow>(
  'outbox',
  ['kind', 'content', 'attempts', 'carriedIn'],
  { defaults: { carriedIn: null } },
);

export interface FirstResultRow {
  readonly messageId: number;
  readonly at: number;
  /** What the sender's policy of the topic became; null when it stayed as it was. */
  readonly newPolicy: 2 | 3 | null;
}

/** What a repeated send is answered with: key is `key:<Idempotency-Key>` or `local:<queue>:<local_id>`, hashed. */
export const firstResults = table<[userId: number, key: string], FirstResultRow>(
  'first_results',
  ['messageId', 'at', 'newPolicy'],
  { defaults: { newPolicy: null } },
);

/** `first_results` by time (UNIX milliseconds), so that the old ones are found without a scan. */
export const firstResultTimes = table<
  [at: number, userId: number, key: string],
  Record<never, never>
>('first_result_times', []);
