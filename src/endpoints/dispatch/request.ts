import type { RequestHost } from '../../domain/request-host.ts';
import type { Consumer } from '../../events/delivery.ts';
import type { Body, IncomingBody, JsonDocument, SendingPage, WaitingPlace } from '../endpoint.ts';
import type { Trace } from '../tracing.ts';

/** A request of any transport. */
export interface ApiRequest {
  readonly method: string;
  /** Below `/api/v1`, as sent. */
  readonly path: string;
  /** Parameters of body and query, the body's first. */
  readonly raw: Readonly<Record<string, string>>;
  readonly host: RequestHost;
  /** Returns the client's address, in the form that limits count. */
  readonly address: () => string;
  /** Credentials: the header as it came, or those of a session (`authentication.ts`). */
  readonly authorization: string;
  readonly userAgent: string;
  readonly idempotencyKey: string;
  /** Reads a body that is not a form. */
  readonly text?: (() => string) | undefined;
  /** The body as it came. */
  readonly bytes?: Uint8Array | undefined;
  /** Reads the file of a multipart body. */
  readonly file?: (() => Buffer | null) | undefined;
  /** Headers in which other services name the event, and authenticate themselves. */
  readonly webhookHeaders?: Readonly<Record<string, string>> | undefined;
  readonly page?: SendingPage | undefined;
  /** Null if nobody asks for the id of the request. */
  readonly trace?: Pick<Trace, 'requestId' | 'context'> | null;
}

/** A success as JSON, with its envelope. */
export interface EncodedSuccess {
  readonly bytes: Uint8Array;
  readonly holdsSecret: boolean;
}

/** Takes the answer for a transport, once. */
export interface Answer {
  /** Told the place of the request's endpoint among all, for the counts of requests. */
  isOf(index: number): void;
  succeed(body: Body, ignored: readonly string[]): void;
  /** Answers with a success that another process has encoded. */
  pass(success: EncodedSuccess): void;
  /** Answers with only the document, without the envelope. */
  show(document: JsonDocument): void;
  fail(error: unknown, request: ApiRequest): void;
  options(allowed: readonly string[]): void;
  /** True if the request can wait as the consumer of a queue; `park` makes it one. */
  readonly canPark: boolean;
  park(place: WaitingPlace): Consumer;
  /** Tests whether the client has gone, so that no answer would be read. */
  isGone(): boolean;
  /**
   * Returns true if the client has to take earlier answers first, because the next one may be
   * large: then `retry` is called once it has.
   */
  holdsBack(retry: () => void): boolean;
  /** The rest of the request, for endpoints that read it as it arrives. */
  readonly body: IncomingBody | null;
}
