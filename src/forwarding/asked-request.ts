import type { StoredQueue } from '../../actors/realm/registrar.ts';
import type { RequestHost } from '../domain/request-host.ts';
import type { TraceContext } from '../domain/wire/trace-context.ts';

/** A request that a process hands to the one that writes, as `ApiRequest` without its functions. */
export interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly raw: Readonly<Record<string, string>>;
  readonly host: RequestHost;
  readonly address: string;
  readonly authorization: string;
  readonly userAgent: string;
  readonly idempotencyKey: string;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly file?: Buffer | null;
  readonly webhookHeaders?: Readonly<Record<string, string>>;
  readonly page?: {
    readonly fetchSite: string;
    readonly origin: string;
    readonly referer: string;
    readonly isForwarded: boolean;
  };
  readonly trace?: { readonly requestId: string; readonly context: TraceContext | null };
}

/** The outcome of such a request. */
export type Outcome =
  | {
      readonly is: 'success';
      /** The reply as JSON, with its envelope. */
      readonly bytes: Uint8Array;
      readonly holdsSecret: boolean;
      /** The `Set-Cookie` header; empty for none. */
      readonly cookie: string;
    }
  | {
      readonly is: 'refusal';
      readonly code: string;
      readonly message: string;
      readonly status: number;
      readonly extra: Readonly<Record<string, unknown>>;
    }
  /** A queue was stored for a client of the process that asks. */
  | { readonly is: 'stored'; readonly queue: StoredQueue }
  /** A queue begins where that process has asked for. */
  | { readonly is: 'begun' }
  | { readonly is: 'options'; readonly allowed: readonly string[] }
  /** The writer has logged a bug under this id. */
  | { readonly is: 'bug'; readonly requestId: string };
