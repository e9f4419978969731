import type { InvitationRow } from '../../../storage/tables/people/invitations.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  EMAIL_LENGTH_MAX,
  INVITATIONS_PER_DAY_MAX,
  INVITEES_PER_REQUEST_MAX,
  PROOFS_PER_LINK_MAX,
} from '../../domain/limits/accounts.ts';
import { looksLikeEmail } from '../../domain/rules/people/users.ts';
import { mailTime } from '../../domain/rules/texts/mail-page.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isAdministrator } from '../../domain/wire/roles.ts';
import type { Caller, Site } from '../access/caller.ts';
import { may, type Reads, realmSetting } from '../access/groups.ts';
import * as mails from '../access/mails.ts';
import * as mailDomains from '../realm/mail-domains.ts';
import * as invitations from './invitations.ts';
import * as placeholders from './placeholders.ts';

export interface MailRequest {
  readonly offer: invitations.Offer;
  /** The text as it was typed: separated by commas or lines, with names or without. */
  readonly invitees: string;
  readonly notifiesInviter: boolean;
}

/**
 * An address that got no invitation, the reason, and whether it belongs to a deactivated account.
 */
export type Skipped = readonly [email: string, reason: string, isDeactivated: boolean];

/** Sends invitations to all addresses except those with an account, which are returned. */
export function invite(
  tx: RealmTransaction,
  caller: Caller,
  { offer, invitees, notifiesInviter }: MailRequest,
): readonly Skipped[] {
  const { user, site } = caller;
  refuseInviting(tx, user);
  const emails = emailsIn(invitees);
  if (emails.length === 0) {
    throw errors.badRequest('You must specify at least one email address.');
  }
  if (emails.length > INVITEES_PER_REQUEST_MAX) {
    throw errors.badRequest(`At most ${INVITEES_PER_REQUEST_MAX} people are invited at once.`);
  }
  invitations.refuseOffer(tx, user, offer);
  refuseFaulty(tx, emails);
  const skipped = emails.flatMap((email) => skippedFor(tx, email));
  if (skipped.length === emails.length) {
    const msg = "We weren't able to invite anyone.";
    throw errors.invitationFailed(msg, { errors: skipped, hasSent: false });
  }
  if (invitedToday(tx) + emails.length > INVITATIONS_PER_DAY_MAX) {
    const msg = DAILY_LIMIT;
    throw errors.invitationFailed(msg, { errors: [], hasSent: false, isDailyLimitReached: true });
  }
  for (const email of emails) {
    if (skipped.some(([known]) => known === email)) continue;
    const row = invitations.store(tx, 'email', { ...offer, inviter: user, email, notifiesInviter });
    send(tx, site, { row, inviter: user });
  }
  invitations.announceChange(tx, user.id);
  return skipped;
}

/** Sends an invitation once more, with as much time as the first one. */
export function resend(tx: RealmTransaction, { user, site }: Caller, id: number) {
  const row = invitations.managed(tx, user, { kind: 'email', id });
  const now = Math.floor(tx.now / 1000);
  const inviter = tx.users.get([row.inviterId]);
  const isOver = invitations.faultOf(tx, row, now) === 'revoked';
  // Its mail would link an invalid page.
  if (isOver || inviter === undefined || invitations.givenNow(tx, 'email', row) === undefined) {
    throw errors.badRequest('No such invitation');
  }
  refuseInviting(tx, user);
  if (invitedToday(tx) >= INVITATIONS_PER_DAY_MAX) {
    throw errors.badRequest(DAILY_LIMIT);
  }
  const expiresAt = row.expiresAt === null ? null : now + (row.expiresAt - row.invitedAt);
  const renewed = { ...row, invitedAt: now, expiresAt };
  tx.invitations.put(['email', id], renewed);
  send(tx, site, { row: renewed, inviter });
  invitations.announceChange(tx, row.inviterId);
}

const DAILY_LIMIT =
  'To protect users, this server limits the number of invitations you can send in one day. ' +
  'Because you have reached the limit, no invitations were sent.';

const UNANSWERED =
  'Too many people who asked to join by this link have not opened the mail that was sent to them. ' +
  'Try again tomorrow, or ask for another link.';

/** How long a person who followed a link has to open the mail with the proof. */
const PROOF_MINUTES = 1_440;

/**
 * Mails a person who followed a link an invitation of their own: a link works for everybody who has
 * it, and does not prove the owner of an address (docs/decisions/0125). A second request within a
 * day sends no second mail, and a link may send a bounded number, so that a stranger with a link
 * neither floods a domain nor uses up what members may send.
 */
export function prove(
  tx: RealmTransaction,
  site: Site,
  { link, email }: { link: InvitationRow; email: string },
) {
  const now = Math.floor(tx.now / 1000);
  let unanswered = 0;
  for (const [, row] of tx.invitations.under(['email'])) {
    if (row.linkId !== link.id || invitations.faultOf(tx, row, now) !== undefined) continue;
    if (row.email?.toLowerCase() === email.toLowerCase()) return;
    unanswered += 1;
  }
  if (unanswered >= PROOFS_PER_LINK_MAX) throw errors.badRequest(UNANSWERED);
  const inviter = tx.users.get([link.inviterId]);
  if (inviter === undefined) throw errors.badRequest('No such invitation');
  const { role, channelIds, groupIds, includesDefaultChannels, welcomeText, notifiesInviter } =
    link;
  const row = invitations.store(tx, 'email', {
    ...{ role, channelIds, groupIds, includesDefaultChannels, welcomeText, notifiesInviter },
    ...{ inviter, email, expiresInMinutes: PROOF_MINUTES, linkId: link.id },
  });
  send(tx, site, { row, inviter });
  invitations.announceChange(tx, inviter.id);
}

/**
 * The least age of an account that invites people to an organization which everybody may join
 * (reference/endpoints.md 1.12).
 */
const AGE_SECONDS_MIN = 3 * 86_400;

function refuseInviting(tx: RealmTransaction, user: UserRow) {
  if (!may(tx, user, invitations.RIGHTS.email)) throw errors.badRequest('Insufficient permission');
  if (realmSetting(tx, 'invite_required') || isAdministrator(user.role)) return;
  if (Math.floor(tx.now / 1000) - user.dateJoined >= AGE_SECONDS_MIN) return;
  const msg =
    'Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.';
  throw errors.invitationFailed(msg, { errors: [], hasSent: false });
}

/** Returns the addresses, each once. */
function emailsIn(text: string): string[] {
  const found = new Map<string, string>();
  for (const part of text.split(/[,\n]/)) {
    const email = (/<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim();
    if (email !== '' && !found.has(email.toLowerCase())) found.set(email.toLowerCase(), email);
  }
  return [...found.values()];
}

/**
 * Refuses if any address is malformed: "Any malformed address stops everything"
 * (reference/endpoints.md 1.12).
 */
function refuseFaulty(tx: RealmTransaction, emails: readonly string[]) {
  const faults = emails.flatMap((email): Skipped[] => {
    if (!looksLikeEmail(email) || email.length > EMAIL_LENGTH_MAX) {
      return [[email, 'Invalid address.', false]];
    }
    const fault = mailDomains.faultOf(tx, email);
    return fault === undefined ? [] : [[email, fault, false]];
  });
  if (faults.length === 0) return;
  const msg = "Some emails did not validate, so we didn't send any invitations.";
  throw errors.invitationFailed(msg, { errors: faults, hasSent: false });
}

function skippedFor(tx: RealmTransaction, email: string): Skipped[] {
  const known = tx.userEmails.get([email.toLowerCase()]);
  // An account that an import made is handed over by the invitation.
  if (known === undefined || placeholders.ofAddress(tx, email) !== undefined) return [];
  const isDeactivated = tx.users.get([known.userId])?.isActive === false;
  return [[email, 'Already has an account.', isDeactivated]];
}

/** Counts the invitations that members sent within a day, up to the limit. */
function invitedToday(tx: Reads & { readonly now: number }): number {
  const since = Math.floor(tx.now / 1000) - 86_400;
  let count = 0;
  for (const [, row] of tx.invitations.under(['email'])) {
    if (row.linkId === undefined && row.invitedAt > since) count += 1;
  }
  return count;
}

function send(
  tx: RealmTransaction,
  site: Site,
  { row, inviter }: { row: InvitationRow; inviter: UserRow },
) {
  const realmName = tx.realm.get(['realm'])?.name ?? '';
  const by = row.expiresAt === null ? '' : ` by ${mailTime(row.expiresAt)}`;
  mails.post(tx, site, {
    to: row.email ?? '',
    subject: `${inviter.fullName} has invited you to join ${realmName}`,
    text: [
      'Hi,',
      `${inviter.fullName} (${inviter.email}) wants you to join them on ${realmName}, at ${site.settledUrl}.`,
      `To make your account, open this link${by}:\n${invitations.linkUrl(row, { url: site.settledUrl })}`,
      'If you do not know them, ignore this mail.',
    ].join('\n\n'),
  });
}
