import { table } from '../../table.ts';

export interface ProviderSessionRow {
  /** The name of the operator's entry. */
  readonly entry: string;
  /** `iss` of the ID token. */
  readonly issuer: string;
  /** SHA-256 (hex) of issuer and `sid`; null if the provider has not named its session. */
  readonly sidHash: string | null;
  /** The sealed ID token, the hint with which the person logs out there; null if it is too long. */
  readonly idToken: string | null;
  /** `end_session_endpoint` of the provider; null if it has none. */
  readonly endSessionUrl: string | null;
}

/** The sessions here that a provider of OpenID Connect has vouched for, by the keys of sessions. */
export const providerSessions = table<[userId: number, secretHash: string], ProviderSessionRow>(
  'provider_sessions',
  ['entry', 'issuer', 'sidHash', 'idToken', 'endSessionUrl'],
);

/** Finds the sessions here that belong to one of the provider's. */
export const providerSids = table<
  [sidHash: string, userId: number, secretHash: string],
  Record<never, never>
>('provider_sids', []);
