import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PasskeyRow } from '../../../storage/tables/people/second-steps.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { CHALLENGE_LIFE_MS, PASSKEYS_PER_USER_MAX } from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Reads } from '../access/groups.ts';
import { keyOf } from './sealed-secrets.ts';
import { firstCodes, forgetCodesOfNone, type Owner, tell, tellClients } from './second-steps.ts';
import { useOnce } from './use-once.ts';

const TIME_BYTES = 6;
const RANDOM_BYTES = 16;
const SIGNED_BYTES = TIME_BYTES + RANDOM_BYTES;

/**
 * Makes a challenge (WebAuthn 13.4.3) that says itself until when it counts, and is signed for its
 * purpose. So nothing is stored until it is answered, and every process of the server can check it.
 */
export function challenge(reads: Reads, purpose: string, nowMs: number): Buffer {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(nowMs + CHALLENGE_LIFE_MS, 0, TIME_BYTES);
  const signed = Buffer.concat([time, randomBytes(RANDOM_BYTES)]);
  return Buffer.concat([signed, signatureOf(reads, purpose, signed)]);
}

/** Tests whether a challenge (base64url) was made here for this purpose, and counts still. */
export function isChallenge(reads: Reads, purpose: string, text: string, nowMs: number): boolean {
  const bytes = Buffer.from(text, 'base64url');
  const signed = bytes.subarray(0, SIGNED_BYTES);
  const expected = signatureOf(reads, purpose, signed);
  const given = bytes.subarray(SIGNED_BYTES);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  return nowMs < signed.readUIntBE(0, TIME_BYTES);
}

const signatureOf = (reads: Reads, purpose: string, signed: Buffer): Buffer =>
  createHmac('sha256', keyOf(reads, 'passkey challenges')).update(purpose).update(signed).digest();

/** Notes that a challenge was answered; refuses one that was answered before. */
export function use(tx: RealmTransaction, text: string) {
  const expiresAt = Buffer.from(text, 'base64url').readUIntBE(0, TIME_BYTES);
  if (!useOnce(tx, text, expiresAt)) throw errors.secondStepFailed();
}

/** Refuses a further passkey where there are as many as an account may have. */
export function refuseMany(reads: Reads, userId: number) {
  if ([...reads.passkeys.keysUnder([userId])].length < PASSKEYS_PER_USER_MAX) return;
  throw errors.badRequest(`You have ${PASSKEYS_PER_USER_MAX} passkeys. Remove one first.`);
}

interface NewPasskey {
  readonly id: string;
  readonly row: Omit<PasskeyRow, 'addedAt'>;
  /** The challenge that the browser has answered. */
  readonly answered: string;
}

/** Adds a passkey whose answer was verified. Returns recovery codes with the first one. */
export function add(tx: RealmTransaction, owner: Owner, { id, row, answered }: NewPasskey) {
  const { user } = owner;
  refuseMany(tx, user.id);
  use(tx, answered);
  if (tx.passkeys.has([user.id, id])) throw errors.badRequest('You have this passkey already.');
  tx.passkeys.put([user.id, id], { ...row, addedAt: Math.floor(tx.now / 1000) });
  tellClients(tx, owner);
  tell(tx, owner, 'A passkey was added', [`a passkey was added to your account: ${row.name}.`]);
  return firstCodes(tx, user.id);
}

export function remove(tx: RealmTransaction, owner: Owner, id: string) {
  const { user } = owner;
  const row = tx.passkeys.get([user.id, id]);
  if (row === undefined) throw errors.badRequest('There is no such passkey.');
  tx.passkeys.remove([user.id, id]);
  tx.passkeyUses.remove([user.id, id]);
  forgetCodesOfNone(tx, user.id);
  tellClients(tx, owner);
  tell(tx, owner, 'A passkey was removed', [`a passkey of your account was removed: ${row.name}.`]);
}

interface PasskeyUse {
  readonly userId: number;
  readonly id: string;
  readonly counter: number;
  readonly answered: string;
}

/** Notes a log-in by a passkey whose answer was verified; refuses what has changed meanwhile. */
export function noteUse(tx: RealmTransaction, { userId, id, counter, answered }: PasskeyUse) {
  use(tx, answered);
  const row = tx.passkeys.get([userId, id]);
  // A counter that does not rise tells of a copy of the authenticator (WebAuthn 6.1.1).
  const isCopy = row !== undefined && (counter > 0 || row.counter > 0) && counter <= row.counter;
  if (row === undefined || isCopy) throw errors.secondStepFailed();
  if (counter !== row.counter) tx.passkeys.put([userId, id], { ...row, counter });
  tx.passkeyUses.put([userId, id], { usedAt: Math.floor(tx.now / 1000) });
}
