import { hash } from 'node:crypto';
import { identityHash } from '../../../storage/tables/people/identities.ts';
import type { ProviderSessionRow } from '../../../storage/tables/people/provider-sessions.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ID_TOKEN_HINT_LENGTH_MAX } from '../../domain/limits/credentials.ts';
import type { Reads } from '../access/groups.ts';
import { open, seal } from '../second-steps/sealed-secrets.ts';

/** A session of somebody at a provider of OpenID Connect, as the provider describes it. */
export interface ProviderSession {
  /** The name of the operator's entry. */
  readonly entry: string;
  /** `iss` of the ID token. */
  readonly issuer: string;
  /** `sid`, if the provider names its sessions. */
  readonly sid: string | null;
  readonly idToken: string;
  readonly endSessionUrl: string | null;
}

type SessionKey = readonly [userId: number, secretHash: string];

/** Keeps what a log-out there takes, with the session here. */
export function keep(tx: RealmTransaction, [userId, secretHash]: SessionKey, of: ProviderSession) {
  const { entry, issuer, sid, idToken, endSessionUrl } = of;
  const sidHash = sid === null ? null : hashOf(issuer, sid);
  tx.providerSessions.put([userId, secretHash], {
    entry,
    issuer,
    sidHash,
    idToken: idToken.length > ID_TOKEN_HINT_LENGTH_MAX ? null : seal(tx, userId, idToken),
    endSessionUrl,
  });
  if (sidHash !== null) tx.providerSids.put([sidHash, userId, secretHash], {});
}

/** Forgets it with the session, if that came by a provider. */
export function forget(tx: RealmTransaction, [userId, secretHash]: SessionKey) {
  const row = tx.providerSessions.get([userId, secretHash]);
  if (row === undefined) return;
  tx.providerSessions.remove([userId, secretHash]);
  if (row.sidHash !== null) tx.providerSids.remove([row.sidHash, userId, secretHash]);
}

export type LogOutThere = Pick<ProviderSessionRow, 'entry' | 'endSessionUrl' | 'idToken'>;

/** Returns how the person of a session logs out at its provider, with the ID token opened. */
export function logOutOf(reads: Reads, [userId, secretHash]: SessionKey): LogOutThere | undefined {
  const row = reads.providerSessions.get([userId, secretHash]);
  if (row === undefined) return undefined;
  const { entry, endSessionUrl, idToken } = row;
  return {
    entry,
    endSessionUrl,
    idToken: idToken === null ? null : open(reads, userId, idToken),
  };
}

/** The session or the person that a provider has logged out; one of them is given. */
export interface LoggedOut {
  readonly issuer: string;
  readonly sid: string | undefined;
  readonly subject: string | undefined;
}

/**
 * Returns the sessions here that a provider means (OpenID Connect Back-Channel Logout 1.0, section
 * 2.4): those of its session, if it names one, or else all that it has vouched for of the person.
 */
export function meant(reads: Reads, { issuer, sid, subject }: LoggedOut): SessionKey[] {
  const owner =
    subject === undefined
      ? undefined
      : (reads.identityOwners.get([identityHash({ issuer, subject })])?.userId ?? NOBODY);
  if (sid !== undefined) {
    const keys = [...reads.providerSids.keysUnder([hashOf(issuer, sid)])];
    return keys.flatMap(([, userId, secretHash]) =>
      owner === undefined || owner === userId ? [[userId, secretHash] as const] : [],
    );
  }
  if (owner === undefined) return [];
  return Array.from(reads.providerSessions.under([owner])).flatMap(([key, row]) =>
    row.issuer === issuer ? [key] : [],
  );
}

/** The id of no account. */
const NOBODY = -1;

const hashOf = (issuer: string, sid: string) => hash('sha256', JSON.stringify([issuer, sid]));
