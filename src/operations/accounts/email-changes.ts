import { createHash, randomBytes } from 'node:crypto';
import type { EmailChangeRow } from '../../../storage/tables/people/invitations.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  EMAIL_CHANGE_LIFE_MS,
  EMAIL_CHANGES_PER_DAY_MAX,
  EMAIL_CHANGES_PER_HOUR_MAX,
} from '../../domain/limits/accounts.ts';
import { apiEmail, isEmailPublic, rolesThatSeeEmail } from '../../domain/rules/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { LoggedEvent } from '../../domain/wire/events/logged-events.ts';
import { isAdministrator } from '../../domain/wire/roles.ts';
import { avatarUpdate, withNewAvatar } from '../access/avatars.ts';
import type { Site } from '../access/caller.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as mails from '../access/mails.ts';
import { whoOfRolesSees, whoSees } from '../access/user-visibility.ts';
import * as mailDomains from '../realm/mail-domains.ts';
import { acceptableEmail } from '../users/users.ts';

interface Owner {
  readonly user: UserRow;
  readonly site: Site;
}

const HOUR_MS = 3_600_000;

/**
 * Sends a link to the new address; the address changes when it is confirmed there (specification,
 * PATCH /settings).
 */
export function ask(tx: RealmTransaction, { user, site }: Owner, email: string) {
  const newEmail = email.trim();
  if (newEmail === user.email) return;
  if (realmSetting(tx, 'email_changes_disabled') && !isAdministrator(user.role)) {
    throw errors.badRequest('Email address changes are disabled in this organization.');
  }
  refuseAddress(tx, { user, site }, newEmail);
  forgetOld(tx, user.id);
  refuseMany(tx, user.id);
  const secret = randomBytes(32).toString('hex');
  tx.emailChanges.put([user.id, hashOf(secret)], { newEmail, askedAt: tx.now, isDone: false });
  mails.post(tx, site, {
    to: newEmail,
    subject: 'Confirm your new email address',
    text: [
      `Hi ${user.fullName},`,
      `Somebody, we hope you, asked to change the address of an account at ${site.settledUrl} from ${user.email} to this one.`,
      `To confirm it, open this link within a day and press the button there:\n${site.settledUrl}${CONFIRMATION_PATH}${user.id}x${secret}`,
      'If it was not you, ignore this mail, and nothing will change.',
    ].join('\n\n'),
  });
}

/** The beginning of a link's path; the user and the secret follow. */
export const CONFIRMATION_PATH = '/accounts/confirm_new_email/';

interface RequestedChange {
  readonly user: UserRow;
  readonly key: [userId: number, hash: string];
  readonly row: EmailChangeRow;
}

/** Returns the request that a link confirms; refuses an invalid or used link. */
export function requested(tx: RealmTransaction, site: Site, linkKey: string): RequestedChange {
  const [, id = '', secret = ''] = /^(\d{1,15})x([0-9a-f]{64})$/.exec(linkKey) ?? [];
  const key: RequestedChange['key'] = [Number(id), hashOf(secret)];
  const row = tx.emailChanges.get(key);
  const user = tx.users.get([Number(id)]);
  if (row === undefined || user === undefined || !user.isActive) {
    throw errors.badRequest('This link is not valid.');
  }
  if (row.isDone) throw errors.badRequest('This link has been used already.');
  if (isOver(tx, row.askedAt)) throw errors.badRequest('This link has expired.');
  if (realmSetting(tx, 'email_changes_disabled') && !isAdministrator(user.role)) {
    throw errors.badRequest('Email address changes are disabled in this organization.');
  }
  refuseAddress(tx, { user, site }, row.newEmail);
  return { user, key, row };
}

/** Confirms a link, once. Returns the new address. */
export function confirm(tx: RealmTransaction, site: Site, linkKey: string): string {
  const { user, key, row } = requested(tx, site, linkKey);
  tx.actAs(user.id);
  tx.emailChanges.put(key, { ...row, isDone: true });
  setEmail(tx, { user, site }, row.newEmail);
  mails.post(tx, site, {
    to: user.email,
    subject: 'Your email address was changed',
    text: [
      `Hi ${user.fullName},`,
      `The address of your account at ${site.settledUrl} is now ${row.newEmail}.`,
      'If it was not you who changed it, tell an administrator of your organization.',
    ].join('\n\n'),
  });
  return row.newEmail;
}

/** Changes the address at once, for callers who may decide it for another user. */
export function changeNow(tx: RealmTransaction, { user, site }: Owner, email: string): UserRow {
  const newEmail = email.trim();
  if (newEmail === user.email) return user;
  refuseAddress(tx, { user, site }, newEmail);
  return setEmail(tx, { user, site }, newEmail);
}

/** Changes the real address of an account, and tells each user what they may know of it. */
function setEmail(tx: RealmTransaction, { user, site }: Owner, email: string): UserRow {
  const changed = withNewAvatar({ ...user, email });
  tx.users.put([user.id], changed);
  tx.userEmails.remove([user.email.toLowerCase()]);
  tx.userEmails.put([email.toLowerCase()], { userId: user.id });
  const update = (person: object) =>
    // Each of these is one of the changes of a person.
    ({ type: 'realm_user', op: 'update', person: { user_id: user.id, ...person } }) as LoggedEvent;
  const upTo = rolesThatSeeEmail(changed);
  const seeing = whoOfRolesSees(tx, changed, { above: 0, upTo });
  tx.emit({
    event: update({ delivery_email: email }),
    audience: { ...seeing, users: [...(seeing.users ?? []), user.id] },
  });
  const audience = whoSees(tx, changed);
  tx.emit({ event: update(avatarUpdate(changed)), audience });
  if (isEmailPublic(changed)) {
    tx.emit({ event: update({ new_email: apiEmail(changed, site.host) }), audience });
  }
  return changed;
}

function refuseAddress(tx: Reads, { user, site }: Owner, email: string) {
  acceptableEmail(email, site);
  mailDomains.refuse(tx, email);
  const taken = tx.userEmails.get([email.toLowerCase()]);
  if (taken !== undefined && taken.userId !== user.id) {
    throw errors.badRequest('Already has an account.');
  }
}

function refuseMany(tx: RealmTransaction, userId: number) {
  const times = Array.from(tx.emailChanges.under([userId]), ([, { askedAt }]) => askedAt).sort(
    (one, other) => other - one,
  );
  const waits = [
    (times[EMAIL_CHANGES_PER_HOUR_MAX - 1] ?? 0) + HOUR_MS - tx.now,
    (times[EMAIL_CHANGES_PER_DAY_MAX - 1] ?? 0) + EMAIL_CHANGE_LIFE_MS - tx.now,
  ];
  const waitMs = Math.max(...waits);
  if (waitMs > 0) throw errors.rateLimitHit(Math.ceil(waitMs / 1000));
}

/** Invalidates the links that were sent. */
export function forget(tx: RealmTransaction, userId: number) {
  for (const key of [...tx.emailChanges.keysUnder([userId])]) tx.emailChanges.remove(key);
}

function forgetOld(tx: RealmTransaction, userId: number) {
  for (const [key, { askedAt }] of [...tx.emailChanges.under([userId])]) {
    if (isOver(tx, askedAt)) tx.emailChanges.remove(key);
  }
}

const isOver = (tx: RealmTransaction, askedAt: number) => tx.now - askedAt >= EMAIL_CHANGE_LIFE_MS;

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');
