import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { TEMPORARY_LINK_MS } from '../../domain/limits/files.ts';

/**
 * The secret of the server: links do not survive a restart, and expire after a minute anyway. A
 * process that serves clients of another one gets that one's.
 */
export const linkSecret: { bytes: Uint8Array } = { bytes: randomBytes(32) };

const TOKEN = /^(?<id>\d{1,15})-(?<until>\d{1,15})-(?<signature>[0-9a-f]{64})$/;

/**
 * Returns a token with which everybody can get this file for a minute: programs that open links
 * seldom send credentials.
 */
export function tokenOf(realm: Realm, attachmentId: number): string {
  const until = realm.now() + TEMPORARY_LINK_MS;
  return `${attachmentId}-${until}-${signatureOf(realm, attachmentId, until)}`;
}

/** Returns the file of such a token; undefined if it has expired or is invalid. */
export function fileOf(realm: Realm, token: string): number | undefined {
  const { id = '', until = '', signature = '' } = TOKEN.exec(token)?.groups ?? {};
  const right = Buffer.from(signatureOf(realm, Number(id), Number(until)), 'hex');
  const given = Buffer.from(signature, 'hex');
  const isRight = given.length === right.length && timingSafeEqual(given, right);
  return isRight && realm.now() < Number(until) ? Number(id) : undefined;
}

const signatureOf = ({ id: realmId }: Realm, attachmentId: number, until: number) =>
  createHmac('sha256', linkSecret.bytes)
    .update(`${realmId} ${attachmentId} ${until}`)
    .digest('hex');
