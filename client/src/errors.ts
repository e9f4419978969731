/** The fields of a reply, as the server names them. */
export type Fields = Readonly<Record<string, unknown>>;

/** A refusal by the server. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The status of HTTP. */
  readonly status: number;
  /** The word for programs, such as `BAD_REQUEST`; empty if the server gave none. */
  readonly code: string;
  /** The sentence for people; the same as `message`. */
  readonly msg: string;
  /** All fields of the reply. */
  readonly fields: Fields;
  /** The milliseconds after which the server wants to be asked again, if it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, fields: Fields, retryAfterMs?: number) {
    const msg = String(fields['msg'] ?? `The server answered with ${status}`);
    super(msg);
    this.status = status;
    this.code = String(fields['code'] ?? '');
    this.msg = msg;
    this.fields = fields;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer came. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /**
   * `not-sent`: the server never had the request. `unknown`: it may have carried it out, so look
   * before you repeat it.
   */
  readonly outcome: 'not-sent' | 'unknown';

  constructor(message: string, outcome: 'not-sent' | 'unknown', cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.outcome = outcome;
  }
}

/** The client was closed, or its account may not connect any more. */
export class EndedError extends Error {
  override readonly name = 'EndedError';
}

/** A bound of the client is reached: calls that wait, or entries of the outbox. */
export class FullError extends Error {
  override readonly name = 'FullError';
}
