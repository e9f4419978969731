/** The host that a request names: as anybody may write it, or with what a proxy says that the operator trusts. */
export type AskedHost = string | ForwardedHost;

/** One object for all requests that say the same. */
export interface ForwardedHost {
  readonly name: string;
  /** Whether the proxy says itself that it was asked so. */
  readonly isVouched: boolean;
  /** Whether the proxy was asked by TLS; null where it does not say. */
  readonly isTls: boolean | null;
}

export const nameOfHost = (asked: AskedHost): string =>
  typeof asked === 'string' ? asked : asked.name;
