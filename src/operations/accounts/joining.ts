import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { InvitationKind, InvitationRow } from '../../../storage/tables/people/invitations.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import { Role } from '../../domain/wire/roles.ts';
import { hasMailService } from '../../settings/services.ts';
import type { Caller, Site } from '../access/caller.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as mails from '../access/mails.ts';
import * as channels from '../channels/channels.ts';
import * as channelNotices from '../channels/notices.ts';
import * as subscriptions from '../channels/subscriptions.ts';
import * as notices from '../posting/notices.ts';
import * as mailDomains from '../realm/mail-domains.ts';
import * as users from '../users/users.ts';
import * as invitations from './invitations.ts';
import * as mailInvitations from './mail-invitations.ts';
import * as placeholders from './placeholders.ts';

/** The contents of the page of an invitation. */
export type Invited =
  | {
      readonly standing: 'open';
      readonly realmName: string;
      readonly email: string | null;
      /** True if a mail has to prove the address before there is an account. */
      readonly asksProof: boolean;
    }
  | { readonly standing: Ended };

export type Ended = 'unknown' | 'revoked' | 'expired';

export function invited(reads: Reads, key: string, nowSeconds: number): Invited {
  const found = invitations.byKey(reads, key);
  if (found === undefined) return { standing: 'unknown' };
  const fault = invitations.faultOf(reads, found.row, nowSeconds);
  if (fault !== undefined) return { standing: fault };
  if (invitations.givenNow(reads, found.kind, found.row) === undefined) {
    return { standing: 'revoked' };
  }
  const realmName = reads.realm.get(['realm'])?.name ?? '';
  return {
    standing: 'open',
    realmName,
    email: found.row.email,
    asksProof: asksProof(reads, found),
  };
}

/**
 * Tests whether the address has to be proved: if only people of certain domains may join, a link
 * does not prove the domain.
 */
const asksProof = (reads: Reads, { kind }: { readonly kind: InvitationKind }) =>
  kind === 'link' && realmSetting(reads, 'emails_restricted_to_domains');

/**
 * Mails a link with which the owner of the address joins; or returns why the followed link is not
 * valid any more.
 */
export function sendProof(
  tx: RealmTransaction,
  site: Site,
  { key, email }: { readonly key: string; readonly email: string },
): { readonly sentTo: string } | { readonly standing: Ended } {
  const found = openByKey(tx, key);
  if ('standing' in found) return found;
  if (!realmSetting(tx, 'authentication_methods').Email) throw errors.passwordAuthDisabled();
  const sentTo = users.acceptableEmail(email, site);
  if (placeholders.ofAddress(tx, sentTo) === undefined) users.refuseTakenEmail(tx, sentTo);
  mailDomains.refuse(tx, sentTo);
  mailInvitations.prove(tx, site, { link: found.asMade, email: sentTo });
  return { sentTo };
}

/** The name and address that a new user enters. */
export interface Joiner {
  readonly fullName: string;
  readonly email: string;
}

/**
 * Refuses early what would be refused after the password has been hashed, which takes long. An
 * account that an import made is there already; only a proved address opens it.
 */
export function refuseJoining(
  reads: Reads,
  site: Site,
  { fullName, email, isProved }: Joiner & { readonly isProved: boolean },
) {
  if (!realmSetting(reads, 'authentication_methods').Email) throw errors.passwordAuthDisabled();
  const placeholder = isProved ? placeholders.ofAddress(reads, email) : undefined;
  if (placeholder === undefined) refuseJoiner(reads, site, { fullName, email });
  else placeholders.refuseClaim(reads, placeholder, fullName);
}

/**
 * Tests whether an account of this address waits for its owner, whom a link that many have does not
 * prove: a mail has to.
 */
export const isWaiting = (reads: Reads, email: string): boolean =>
  placeholders.ofAddress(reads, email) !== undefined;

/** Refuses an account that cannot be created. */
export function refuseJoiner(reads: Reads, site: Site, { fullName, email }: Joiner) {
  users.refuseIdentity(reads, { fullName, email }, site);
  mailDomains.refuse(reads, email);
  if (isTakenName(reads, fullName)) {
    throw errors.badRequest('Unique names required in this organization.');
  }
}

/** Tests for a name that an account has, active or not, where names have to be unique. */
export function isTakenName(reads: Reads, fullName: string): boolean {
  if (!realmSetting(reads, 'require_unique_names')) return false;
  const name = fullName.trim().toLowerCase();
  for (const _ of reads.userNames.keysUnder([name], { limit: 1 })) return true;
  return false;
}

/**
 * Makes the account that an invitation offers, with all that belongs to it; or returns why it
 * cannot be accepted any more.
 */
export function accept(
  tx: RealmTransaction,
  site: Site,
  { key, passwordHash, ...given }: Joiner & { key: string; passwordHash: string | null },
): { readonly user: UserRow } | { readonly standing: Ended } {
  const found = openByKey(tx, key);
  if ('standing' in found) return found;
  const { kind, row, asMade } = found;
  if (asksProof(tx, found))
    throw errors.badRequest('Open the link that is mailed to your address.');
  const joiner = { ...given, email: row.email ?? given.email };
  const user = entered(tx, site, { kind, row, joiner, passwordHash });
  if (kind === 'email') invitations.end(tx, kind, asMade);
  subscriptions.join(tx, { user, site }, channelsOf(tx, row));
  joinGroups(tx, user, row.groupIds);
  channelNotices.announceJoined(tx, site, user);
  welcome(tx, site, { user, text: row.welcomeText });
  if (row.notifiesInviter) thank(tx, site, { user, row });
  return { user };
}

interface Entering {
  readonly kind: InvitationKind;
  readonly row: InvitationRow;
  readonly joiner: Joiner;
  readonly passwordHash: string | null;
}

/**
 * Makes the account of somebody who was invited, or hands over the one that an import made for
 * them: an invitation by mail has proved the address.
 */
function entered(
  tx: RealmTransaction,
  site: Site,
  { kind, row, joiner, passwordHash }: Entering,
): UserRow {
  const isProved = kind === 'email';
  if (passwordHash === null) refuseJoiner(tx, site, joiner);
  else refuseJoining(tx, site, { ...joiner, isProved });
  const placeholder = isProved ? placeholders.ofAddress(tx, joiner.email) : undefined;
  const inviter = tx.users.get([row.inviterId]);
  if (placeholder === undefined || inviter === undefined) {
    const login = passwordHash === null ? {} : { passwordHash };
    const user = users.create(tx, { ...joiner, ...login, role: row.role }, site);
    tx.actAs(user.id);
    return user;
  }
  tx.actAs(placeholder.id);
  return placeholders.claimInvited(tx, site, {
    user: placeholder,
    fullName: joiner.fullName,
    passwordHash,
    offered: row.role,
    inviterRole: inviter.role,
  });
}

interface OpenInvitation {
  readonly kind: InvitationKind;
  /** The invitation restricted to the present rights of its maker. */
  readonly row: InvitationRow;
  readonly asMade: InvitationRow;
}

/** Returns an invitation that can be accepted, or why it cannot be any more. */
function openByKey(
  tx: RealmTransaction,
  key: string,
): { readonly standing: Ended } | OpenInvitation {
  const found = invitations.byKey(tx, key);
  if (found === undefined) return { standing: 'unknown' };
  const { kind, row: asMade } = found;
  const fault = invitations.faultOf(tx, asMade, Math.floor(tx.now / 1000));
  if (fault !== undefined) return { standing: fault };
  const row = invitations.givenNow(tx, kind, asMade);
  return row === undefined ? { standing: 'revoked' } : { kind, row, asMade };
}

/** Makes an account without an invitation: a member, in the default channels. */
export function enroll(
  tx: RealmTransaction,
  site: Site,
  given: Joiner & { readonly passwordHash?: string },
): UserRow {
  refuseJoiner(tx, site, given);
  const user = users.create(tx, { ...given, role: Role.member }, site);
  subscriptions.join(tx, { user, site }, existing(tx, channels.defaultIds(tx)));
  channelNotices.announceJoined(tx, site, user);
  welcome(tx, site, { user, text: null });
  return user;
}

/**
 * Returns the channels of an invitation that still exist; archived ones, and former default ones,
 * are left out.
 */
function channelsOf(tx: RealmTransaction, row: InvitationRow): ChannelRow[] {
  const defaults = row.includesDefaultChannels ? channels.defaultIds(tx) : [];
  return existing(tx, [...new Set([...row.channelIds, ...defaults])]);
}

const existing = (tx: Reads, channelIds: readonly number[]): ChannelRow[] =>
  channelIds
    .map((id) => tx.channels.get([id]))
    .filter((channel) => channel !== undefined)
    .filter((channel) => !channel.isArchived);

function joinGroups(tx: RealmTransaction, user: UserRow, groupIds: readonly number[]) {
  for (const groupId of new Set(groupIds)) {
    const group = tx.groups.get([groupId]);
    if (group === undefined || group.isDeactivated) continue;
    tx.groupMembers.put([groupId, user.id], {});
    tx.userGroups.put([user.id, groupId], {});
    tx.emit({
      event: { type: 'user_group', op: 'add_members', group_id: groupId, user_ids: [user.id] },
      audience: { everyone: true },
    });
  }
}

/** Sends a preview of the welcome message to the user who sets it. */
export function testWelcome(
  tx: RealmTransaction,
  { user, site }: Pick<Caller, 'user' | 'site'>,
  text: string,
): number {
  const content = text.trim();
  if (content === '') throw errors.badRequest('Message must not be empty');
  return notices.toPeople(tx, site, { people: [user], content }).id;
}

function welcome(
  tx: RealmTransaction,
  site: Site,
  { user, text }: { user: UserRow; text: string | null },
) {
  const content = (text ?? realmSetting(tx, 'welcome_message_custom_text')).trim();
  if (content !== '') notices.toPeople(tx, site, { people: [user], content });
  if (hasMailService(site.settings) && realmSetting(tx, 'send_welcome_emails'))
    mailWelcome(tx, site, user);
}

/** Mails a new user the address of the organization, and with which address they log in. */
function mailWelcome(tx: RealmTransaction, site: Site, { email, fullName }: UserRow) {
  const realmName = tx.realm.get(['realm'])?.name ?? '';
  mails.post(tx, site, {
    to: email,
    subject: `Welcome to ${realmName}`,
    text: [
      `Hi ${fullName},`,
      `You have an account on ${realmName} now. You find it at ${site.settledUrl}.`,
      `Log in with the address ${email}.`,
    ].join('\n\n'),
  });
}

function thank(
  tx: RealmTransaction,
  site: Site,
  { user, row }: { user: UserRow; row: InvitationRow },
) {
  const inviter = tx.users.get([row.inviterId]);
  if (inviter === undefined) return;
  const content = `${notices.silentMention(user)} accepted your invitation to join!`;
  notices.toPeople(tx, site, { people: [inviter], content });
}
