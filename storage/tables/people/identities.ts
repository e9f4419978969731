import { hash } from 'node:crypto';
import { table } from '../../table.ts';
import { keyId } from './keys.ts';

export interface IdentityRow {
  /** The provider: `iss` of OpenID Connect, or the name of another entry of the operator. */
  readonly issuer: string;
  /** The person, as the provider numbers them (`sub`). */
  readonly subject: string;
  /** UNIX milliseconds. */
  readonly linkedAt: number;
}

/**
 * The persons of providers that an account is of, by the SHA-256 (hex) of issuer and subject, which
 * together may be longer than a key.
 */
export const identities = table<[userId: number, identityHash: string], IdentityRow>(
  'identities',
  ['issuer', 'subject', 'linkedAt'],
  {
    audited: [
      {
        kind: 'identity',
        target: ([userId, identityHash]) => `${userId}/${keyId(identityHash)}`,
        values: ({ issuer, subject }, [userId]) => ({ user_id: userId, issuer, subject }),
      },
    ],
  },
);

/** Returns the key of a person of a provider; JSON keeps the two apart, whatever is in them. */
export const identityHash = ({ issuer, subject }: Pick<IdentityRow, 'issuer' | 'subject'>) =>
  hash('sha256', JSON.stringify([issuer, subject]));

/** Finds the account of a person of a provider. */
export const identityOwners = table<[identityHash: string], { readonly userId: number }>(
  'identity_owners',
  ['userId'],
);
