import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { keyId } from '../../../storage/tables/people/keys.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Reads } from '../access/groups.ts';

/** Makes and returns the token of a realm, which replaces the former one. It is kept nowhere. */
export function make(tx: RealmTransaction): { readonly token: string; readonly tokenId: string } {
  const token = randomBytes(32).toString('base64url');
  const hashed = hash('sha256', token);
  tx.scimTokens.put(['token'], { hash: hashed, createdAt: tx.now });
  return { token, tokenId: keyId(hashed) };
}

export function revoke(tx: RealmTransaction) {
  if (!tx.scimTokens.has(['token'])) throw errors.badRequest('The realm has no token for SCIM.');
  tx.scimTokens.remove(['token']);
}

/** Tests the `Authorization` header of a request, in the same time for all wrong tokens. */
export function isRight(reads: Reads, authorization: string): boolean {
  const row = reads.scimTokens.get(['token']);
  const token = /^bearer +(\S{1,200})$/i.exec(authorization)?.[1];
  if (row === undefined || token === undefined) return false;
  return timingSafeEqual(Buffer.from(hash('sha256', token)), Buffer.from(row.hash));
}
