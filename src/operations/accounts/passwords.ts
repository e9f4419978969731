import { createHash, randomBytes } from 'node:crypto';
import type { PasswordLinkRow } from '../../../storage/tables/people/invitations.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { PASSWORD_LINK_LIFE_MS, PASSWORD_LINKS_MAX } from '../../domain/limits/accounts.ts';
import * as errors from '../../domain/wire/errors.ts';
import { byEmail } from '../access/accounts.ts';
import type { Site } from '../access/caller.ts';
import { realmSetting } from '../access/groups.ts';
import * as mails from '../access/mails.ts';
import * as secondSteps from '../second-steps/second-steps.ts';
import * as apiKeys from './api-keys.ts';
import * as emailChanges from './email-changes.ts';
import * as sessions from './sessions.ts';

export interface NewPassword {
  /** argon2id in PHC form, as is the next. */
  readonly hash: string;
  /** Hash of the verified password. */
  readonly formerHash: string | null;
  /** Hash of the key or session that authenticates the request, which stays. */
  readonly keyHash: string | undefined;
}

/**
 * Sets a new password. An attacker with the old one may have keys, sessions, a pending change of
 * address and a link for a password: all of them end, except the key or session that authenticates
 * the request, and its queues.
 */
export function set(tx: RealmTransaction, user: UserRow, password: NewPassword): UserRow {
  // The old password was verified before this operation, and may have been changed since.
  if (password.formerHash !== user.passwordHash) throw errors.badRequest('Wrong password!');
  const changed = { ...user, passwordHash: password.hash };
  tx.users.put([user.id], changed);
  sessions.endAll(tx, user.id, password.keyHash);
  apiKeys.endAll(tx, user.id, password.keyHash);
  emailChanges.forget(tx, user.id);
  forgetLinks(tx, user.id);
  secondSteps.unlock(tx, user.id);
  return changed;
}

interface Owner {
  readonly user: UserRow;
  readonly site: Site;
}

/** The beginning of a link's path; the user and the secret follow. */
export const PASSWORD_PATH = '/accounts/password/';

export interface PasswordLink {
  readonly url: string;
  /** UNIX milliseconds. */
  readonly expiresAt: number;
}

/** Makes a link whose page sets a password, once and within a day. Only its hash is stored. */
export function makeLink(tx: RealmTransaction, { user, site }: Owner): PasswordLink {
  refuse(tx, user);
  forgetOld(tx, user.id);
  const secret = randomBytes(32).toString('hex');
  tx.passwordLinks.put([user.id, hashOf(secret)], { madeAt: tx.now, isDone: false });
  return {
    url: `${site.settledUrl}${PASSWORD_PATH}${user.id}x${secret}`,
    expiresAt: tx.now + PASSWORD_LINK_LIFE_MS,
  };
}

/** Mails such a link to the account's address. Returns when it expires. */
export function mailLink(tx: RealmTransaction, owner: Owner): number {
  const { user, site } = owner;
  const { url, expiresAt } = makeLink(tx, owner);
  mails.post(tx, site, {
    to: user.email,
    subject: 'Set your password',
    text: [
      `Hi ${user.fullName},`,
      `With this link you set a password for your account at ${site.settledUrl}. Open it within a day:\n${url}`,
      'It works once. All your clients and browsers have to log in again then.',
      'If you need no password, ignore this mail, and nothing will change.',
    ].join('\n\n'),
  });
  return expiresAt;
}

/**
 * Mails a link to a person who has forgotten the password, if the account may have one. The caller
 * is not told whether it does.
 */
export function mailForgotten(
  tx: RealmTransaction,
  { username, site }: { readonly username: string; readonly site: Site },
) {
  const user = byEmail(tx, username, site);
  // An account that an import made is opened by those who may decide on it, not by a request.
  if (user === undefined || !user.isActive || reasonAgainst(tx, user) !== undefined) return;
  forgetOld(tx, user.id);
  const links = [...tx.passwordLinks.under([user.id])].filter(([, { isDone }]) => !isDone);
  if (links.length < PASSWORD_LINKS_MAX) mailLink(tx, { user, site });
}

interface Opened {
  readonly user: UserRow;
  readonly key: [userId: number, hash: string];
  readonly row: PasswordLinkRow;
}

/** Returns the account that a link sets the password of; refuses an invalid or used link. */
export function ofLink(tx: RealmTransaction, linkKey: string): Opened {
  const [, id = '', secret = ''] = /^(\d{1,15})x([0-9a-f]{64})$/.exec(linkKey) ?? [];
  const key: Opened['key'] = [Number(id), hashOf(secret)];
  const row = tx.passwordLinks.get(key);
  const user = tx.users.get([Number(id)]);
  if (row === undefined || user === undefined) throw errors.badRequest('This link is not valid.');
  if (row.isDone) throw errors.badRequest('This link has been used already.');
  if (isOver(tx, row)) throw errors.badRequest('This link has expired.');
  refuse(tx, user);
  return { user, key, row };
}

interface LinkUse {
  readonly linkKey: string;
  readonly passwordHash: string;
  /** Makes an account active that an import made; later it would end the note of this link. */
  readonly claim: (tx: RealmTransaction, site: Site, user: UserRow) => UserRow;
}

/**
 * Sets the password by a link, and ends all keys and queues of the account with its other links. An
 * account that an import made becomes active. Returns the account.
 */
export function setByLink(
  tx: RealmTransaction,
  site: Site,
  { linkKey, passwordHash, claim }: LinkUse,
): UserRow {
  const { user, key, row } = ofLink(tx, linkKey);
  const password = { hash: passwordHash, formerHash: user.passwordHash, keyHash: undefined };
  const changed = set(tx, user, password);
  if (!changed.isActive) {
    tx.actAs(user.id);
    claim(tx, site, changed);
  }
  // The link ended with all others, and is told apart from one that never was.
  tx.passwordLinks.put(key, { ...row, isDone: true });
  mails.post(tx, site, {
    to: user.email,
    subject: 'Your password was set',
    text: [
      `Hi ${user.fullName},`,
      `A new password was set for your account at ${site.settledUrl}.`,
      'If it was not you who set it, tell an administrator of your organization.',
    ].join('\n\n'),
  });
  return user;
}

function refuse(tx: RealmTransaction, user: UserRow) {
  const reason = reasonAgainst(tx, user);
  if (reason !== undefined) throw reason;
}

/** Returns the refusal of a link for this account; undefined if it may have one. */
function reasonAgainst(tx: RealmTransaction, { id, isActive, botType, isSystem }: UserRow) {
  if (botType !== null || isSystem) return errors.badRequest('A bot has no password.');
  if (!isActive && !tx.placeholders.has([id])) return errors.userIsDeactivated();
  const hasPasswords = realmSetting(tx, 'authentication_methods').Email;
  return hasPasswords ? undefined : errors.passwordAuthDisabled();
}

/** Invalidates the links of an account. */
export function forgetLinks(tx: RealmTransaction, userId: number) {
  for (const key of [...tx.passwordLinks.keysUnder([userId])]) tx.passwordLinks.remove(key);
}

function forgetOld(tx: RealmTransaction, userId: number) {
  for (const [key, row] of [...tx.passwordLinks.under([userId])]) {
    if (isOver(tx, row)) tx.passwordLinks.remove(key);
  }
}

const isOver = (tx: RealmTransaction, { madeAt }: PasswordLinkRow) =>
  tx.now - madeAt >= PASSWORD_LINK_LIFE_MS;

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');
