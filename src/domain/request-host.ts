/**
 * The host that a request names: a text, which any client can forge, or an object, if a proxy that
 * the operator trusts has forwarded it.
 */
export type RequestHost = string | ForwardedHost;

/** A host as a proxy forwards it. Requests with the same headers share one object. */
export interface ForwardedHost {
  readonly name: string;
  /** True if the proxy itself states the host that it was asked for. */
  readonly isVouched: boolean;
  /** True if the client reached the proxy over TLS; null if the proxy does not say. */
  readonly isTls: boolean | null;
}

export const nameOfHost = (host: RequestHost): string =>
  typeof host === 'string' ? host : host.name;
