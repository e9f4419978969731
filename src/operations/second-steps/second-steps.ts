import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { SecondStepRow } from '../../../storage/tables/people/second-steps.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  CODE_FAILURES_A_YEAR_MAX,
  CODE_FAILURES_MAX,
  CODE_FREE_FAILURES,
  CODE_WAIT_MAX_MS,
  CODE_WAIT_MS,
  RECOVERY_CODES,
} from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as mails from '../access/mails.ts';
import { methodsOf } from '../access/second-steps.ts';
import { open, seal } from './sealed-secrets.ts';

/** An account whose second step changes, and the realm's address for the mail about it. */
export interface Owner {
  readonly user: UserRow;
  readonly site: Site;
}

const NONE: SecondStepRow = {
  app: null,
  pendingApp: null,
  lastStep: 0,
  recoveryHashes: [],
  failures: 0,
  failedAt: 0,
  yearFailures: 0,
  yearFrom: 0,
  isLocked: false,
};

const rowOf = (reads: Reads, userId: number): SecondStepRow =>
  reads.secondSteps.get([userId]) ?? NONE;

const YEAR_MS = 365 * 86_400_000;
/** Seconds that a code is valid for, and its digits: the defaults that all apps know (RFC 6238). */
const PERIOD_SECONDS = 30;
const DIGITS = 6;

/** Describes the second step of an account to its owner. */
export function describe(reads: Reads, userId: number) {
  const { app, recoveryHashes, isLocked } = rowOf(reads, userId);
  return {
    has_app: app !== null,
    recovery_codes_left: recoveryHashes.length,
    is_locked: isLocked,
    passkeys: [...reads.passkeys.under([userId])].map(([key, { name, addedAt }]) => ({
      id: key[1],
      name,
      added_at: addedAt,
      last_used_at: reads.passkeyUses.get(key)?.usedAt ?? null,
    })),
  };
}

/** A refusal that is counted, and whether it has locked the password. */
export interface Refusal {
  readonly refused: errors.ApiError;
  readonly isNewlyLocked: boolean;
}

const refusal = (refused: errors.ApiError, isNewlyLocked = false): Refusal => ({
  refused,
  isNewlyLocked,
});

/**
 * Checks the code that came with a password that was right. Returns the refusal instead of throwing
 * it, because a wrong code has to be counted, and what a throwing operation writes is undone.
 */
export function refusalOf(
  tx: RealmTransaction,
  owner: Owner,
  code: string | undefined,
): Refusal | undefined {
  const { id } = owner.user;
  const methods = methodsOf(tx, id);
  if (methods.length === 0) return undefined;
  const row = rowOf(tx, id);
  if (row.isLocked) return refusal(errors.secondStepLocked());
  if (code === undefined || code.trim() === '') return refusal(errors.secondStepRequired(methods));
  const waitMs = row.failedAt + waitAfter(row.failures) - tx.now;
  if (waitMs > 0) return refusal(errors.rateLimitHit(Math.ceil(waitMs / 1000)));
  const passed = accepted(tx, owner.user, row, code);
  if (passed === undefined) return fail(tx, owner, row);
  tx.secondSteps.put([id], { ...passed, failures: 0, failedAt: 0 });
  return undefined;
}

/** Returns the wait (ms) after so many wrong codes in a row: it doubles with each. */
const waitAfter = (failures: number): number =>
  failures < CODE_FREE_FAILURES
    ? 0
    : Math.min(CODE_WAIT_MS * 2 ** (failures - CODE_FREE_FAILURES), CODE_WAIT_MAX_MS);

/** Returns the row without the code that was right; undefined for a wrong one. */
function accepted(
  tx: RealmTransaction,
  user: UserRow,
  row: SecondStepRow,
  code: string,
): SecondStepRow | undefined {
  const typed = code.replace(/[\s-]/g, '').toLowerCase();
  if (/^\d{6}$/.test(typed)) {
    if (row.app === null) return undefined;
    const step = stepOf(open(tx, user.id, row.app), typed, tx.now);
    return step === undefined || step <= row.lastStep ? undefined : { ...row, lastStep: step };
  }
  const hash = hashOf(typed);
  if (!row.recoveryHashes.includes(hash)) return undefined;
  return { ...row, recoveryHashes: row.recoveryHashes.filter((one) => one !== hash) };
}

/**
 * Returns the time step that a code is of: the present one, or that before or after it (RFC 6238,
 * section 5.2). Undefined for a code of no such step.
 */
function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  const delta = appOf(secret).validate({ token: code, timestamp: nowMs, window: 1 });
  return delta === null ? undefined : Math.floor(nowMs / 1000 / PERIOD_SECONDS) + delta;
}

const appOf = (secret: string, label = '', issuer = '') =>
  new TOTP({ secret: Secret.fromBase32(secret), label, issuer, digits: DIGITS });

function fail(tx: RealmTransaction, owner: Owner, row: SecondStepRow): Refusal {
  const isNewYear = tx.now - row.yearFrom >= YEAR_MS;
  const failures = row.failures + 1;
  const yearFailures = (isNewYear ? 0 : row.yearFailures) + 1;
  const isLocked = failures >= CODE_FAILURES_MAX || yearFailures >= CODE_FAILURES_A_YEAR_MAX;
  tx.secondSteps.put([owner.user.id], {
    ...row,
    failures,
    yearFailures,
    yearFrom: isNewYear ? tx.now : row.yearFrom,
    failedAt: tx.now,
    isLocked,
  });
  if (!isLocked) return refusal(errors.secondStepFailed());
  tell(tx, owner, 'Log-in with your password is locked', [
    'somebody entered your password, and then wrong codes too often. Your password lets nobody in until you set a new one.',
    'Somebody else may know it: choose one that you use nowhere else.',
  ]);
  return refusal(errors.secondStepLocked(), true);
}

/** Begins to add an app: makes a secret, which counts once a code of it was given. */
export function beginApp(tx: RealmTransaction, { user }: Owner) {
  const secret = new Secret({ buffer: new Uint8Array(randomBytes(20)).buffer }).base32;
  const row = rowOf(tx, user.id);
  tx.secondSteps.put([user.id], { ...row, pendingApp: seal(tx, user.id, secret) });
  const issuer = (tx.realm.get(['realm'])?.name ?? '').replaceAll(':', ' ');
  return { secret, otpauth_url: appOf(secret, user.email, issuer).toString() };
}

/** Adds the app, or puts it in place of the former one, as a code of it was given. */
export function confirmApp(tx: RealmTransaction, owner: Owner, code: string): string[] {
  const { user } = owner;
  const row = rowOf(tx, user.id);
  if (row.pendingApp === null) throw errors.badRequest('There is no app to be confirmed.');
  const step = stepOf(open(tx, user.id, row.pendingApp), code.replace(/\s/g, ''), tx.now);
  if (step === undefined) throw errors.badRequest('This is not the code that the app shows now.');
  const codes = methodsOf(tx, user.id).length === 0 ? newCodes() : [];
  tx.secondSteps.put([user.id], {
    ...row,
    app: row.pendingApp,
    pendingApp: null,
    lastStep: step,
    recoveryHashes: codes.length === 0 ? row.recoveryHashes : codes.map(hashOfCode),
  });
  tellClients(tx, owner);
  tell(tx, owner, 'An app for your log-ins was added', [
    'an app was added to your account: who logs in with your password needs one of its codes.',
  ]);
  return codes;
}

export function removeApp(tx: RealmTransaction, owner: Owner) {
  const { id } = owner.user;
  const row = rowOf(tx, id);
  if (row.app === null) throw errors.badRequest('There is no app.');
  tx.secondSteps.put([id], { ...row, app: null });
  forgetCodesOfNone(tx, id);
  tellClients(tx, owner);
  tell(tx, owner, 'The app for your log-ins was removed', ['the app of your account was removed.']);
}

/** Makes recovery codes in place of the former ones. Only their hashes are stored. */
export function renewCodes(tx: RealmTransaction, owner: Owner): string[] {
  const { id } = owner.user;
  if (methodsOf(tx, id).length === 0) {
    throw errors.badRequest('Recovery codes stand in for an app or a passkey: add one first.');
  }
  const codes = newCodes();
  tx.secondSteps.put([id], { ...rowOf(tx, id), recoveryHashes: codes.map(hashOfCode) });
  tell(tx, owner, 'You have other recovery codes', [
    'recovery codes were made for your account, and the former ones have ended.',
  ]);
  return codes;
}

/** Makes recovery codes for an account that has none yet, because it has its first passkey. */
export function firstCodes(tx: RealmTransaction, userId: number): string[] {
  const row = rowOf(tx, userId);
  if (row.recoveryHashes.length > 0) return [];
  const codes = newCodes();
  tx.secondSteps.put([userId], { ...row, recoveryHashes: codes.map(hashOfCode) });
  return codes;
}

/** Ends recovery codes that stand in for nothing, so that a later step begins with its own. */
export function forgetCodesOfNone(tx: RealmTransaction, userId: number) {
  const row = rowOf(tx, userId);
  const hasStep = methodsOf(tx, userId).some((method) => method !== 'recovery_code');
  if (!hasStep && row !== NONE) tx.secondSteps.put([userId], { ...row, recoveryHashes: [] });
}

/** Takes the whole second step of an account away, by an administrator or the operator. */
export function reset(tx: RealmTransaction, owner: Owner) {
  const { id } = owner.user;
  for (const key of [...tx.passkeys.keysUnder([id])]) {
    tx.passkeys.remove(key);
    tx.passkeyUses.remove(key);
  }
  if (tx.secondSteps.has([id])) tx.secondSteps.remove([id]);
  tellClients(tx, owner);
  tell(tx, owner, 'The second step of your log-ins was taken away', [
    'an administrator has removed the app, the passkeys and the recovery codes of your account. The password alone logs you in now.',
    'Add an app or a passkey again in the settings.',
  ]);
}

/** Lets the password of an account count again, because it is a new one. */
export function unlock(tx: RealmTransaction, userId: number) {
  const row = tx.secondSteps.get([userId]);
  if (row === undefined || (!row.isLocked && row.failures === 0)) return;
  tx.secondSteps.put([userId], {
    ...row,
    failures: 0,
    failedAt: 0,
    yearFailures: 0,
    isLocked: false,
  });
}

/** Tells the clients of an account whether it has a second step now. */
export function tellClients(tx: RealmTransaction, { user: { id } }: Owner) {
  const person = { user_id: id, has_second_step: methodsOf(tx, id).length > 0 };
  tx.emit({ event: { type: 'realm_user', op: 'update', person }, audience: { users: [id] } });
}

/** Mails the person of an account that its second step has changed. */
export function tell(
  tx: RealmTransaction,
  { user, site }: Owner,
  subject: string,
  lines: readonly string[],
) {
  mails.post(tx, site, {
    to: user.email,
    subject,
    text: [
      `Hi ${user.fullName},`,
      `At ${site.settledUrl} ${lines[0] ?? ''}`,
      ...lines.slice(1),
      'If it was not you, set another password, and tell an administrator of your organization.',
    ].join('\n\n'),
  });
}

/** 50 bits each, in two groups of five: without letters that look like others. */
const newCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const letters = [...randomBytes(10)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
    return `${letters.slice(0, 5)}-${letters.slice(5)}`;
  });

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

const hashOfCode = (code: string) => hashOf(code.replace('-', ''));
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
