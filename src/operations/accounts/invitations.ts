import { randomBytes } from 'node:crypto';
import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { InvitationKind, InvitationRow } from '../../../storage/tables/people/invitations.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { INVITATIONS_PER_REALM_MAX } from '../../domain/limits/accounts.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { InvitationObject } from '../../domain/wire/realm-objects.ts';
import { isAdministrator, Role } from '../../domain/wire/roles.ts';
import type { Caller, Site } from '../access/caller.ts';
import { hasContentAccess } from '../access/channel-access.ts';
import { may, mayInGroup, type Reads } from '../access/groups.ts';
import { mayAddOthers } from '../channels/subscriptions.ts';

/** The properties of an account that accepts an invitation. */
export interface Offer {
  /** Null: it never expires. */
  readonly expiresInMinutes: number | null;
  readonly role: Role;
  readonly channelIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly includesDefaultChannels: boolean;
  readonly welcomeText: string | null;
}

/** Makes a link that everybody who has it may use, until it expires or is revoked. */
export function addLink(
  tx: RealmTransaction,
  { user, site }: Caller,
  offer: Offer,
): { invite_link: string } {
  if (!may(tx, user, RIGHTS.link)) throw errors.badRequest('Insufficient permission');
  refuseOffer(tx, user, offer);
  const row = store(tx, 'link', { ...offer, inviter: user, email: null, notifiesInviter: false });
  announceChange(tx, row.inviterId);
  return { invite_link: linkUrl(row, site) };
}

/**
 * Returns the open invitations: one's own, or all for administrators. A link makes an account for
 * everybody who reads it, so it is only shown to users who could make the same one
 * (docs/decisions/0122).
 */
export function list(
  reads: Reads,
  { user, site }: Pick<Caller, 'user' | 'site'>,
  nowSeconds: number,
): InvitationObject[] {
  const listed: InvitationObject[] = [];
  const mayMakeLinks = may(reads, user, RIGHTS.link);
  for (const [[kind], row] of reads.invitations.range({})) {
    const isListed = row.inviterId === user.id || isAdministrator(user.role);
    if (!isListed || faultOf(reads, row, nowSeconds) !== undefined) continue;
    const url = mayMakeLinks && mayOffer(user, row.role) ? linkUrl(row, site) : undefined;
    listed.push(invitationObject(kind, row, url));
  }
  return listed;
}

/** The permission for each kind of invitation, to make it and to use it. */
export const RIGHTS = {
  link: 'create_multiuse_invite_group',
  email: 'can_invite_users_group',
} as const;

/**
 * Tests for "only roles equal to or more restricted than the requester's own"; a role with a lower
 * number has more rights.
 */
const mayOffer = (user: Pick<UserRow, 'role'>, role: Role) => role >= user.role;

/** Revokes an invitation; its page says so from now on. */
export function revoke(
  tx: RealmTransaction,
  user: UserRow,
  { kind, id }: { kind: InvitationKind; id: number },
) {
  const row = managed(tx, user, { kind, id });
  if (row.isEnded) throw errors.badRequest('Invitation has already been revoked');
  end(tx, kind, row);
}

/**
 * Revokes all invitations of an account, because it is deactivated (reference/endpoints.md 2.2).
 */
export function revokeAllOf(tx: RealmTransaction, userId: number) {
  for (const [[kind], row] of [...tx.invitations.range({})]) {
    if (row.inviterId === userId && !row.isEnded) end(tx, kind, row);
  }
}

export function end(tx: RealmTransaction, kind: InvitationKind, row: InvitationRow) {
  tx.invitations.put([kind, row.id], { ...row, isEnded: true });
  announceChange(tx, row.inviterId);
}

export const byKey = (reads: Reads, key: string) => {
  const found = reads.invitationKeys.get([key]);
  const row = found && reads.invitations.get([found.kind, found.id]);
  return found && row && { kind: found.kind, row };
};

/** Returns why an invitation cannot be accepted any more; undefined if it can. */
export function faultOf(
  reads: Reads,
  row: InvitationRow,
  nowSeconds: number,
): 'revoked' | 'expired' | undefined {
  if (row.isEnded || !reads.users.get([row.inviterId])?.isActive) return 'revoked';
  const link = row.linkId === undefined ? row : reads.invitations.get(['link', row.linkId]);
  if (link === undefined || link.isEnded) return 'revoked';
  return row.expiresAt !== null && row.expiresAt <= nowSeconds ? 'expired' : undefined;
}

/**
 * Restricts an invitation to the present role and permissions of its maker, which may be less than
 * when it was made: undefined if the maker may no longer invite to the role; else without the
 * channels and groups to which the maker may no longer add people.
 */
export function givenNow(
  reads: Reads,
  kind: InvitationKind,
  row: InvitationRow,
): InvitationRow | undefined {
  const maker = reads.users.get([row.inviterId]);
  const right = RIGHTS[row.linkId === undefined ? kind : 'link'];
  if (!maker?.isActive || !mayOffer(maker, row.role) || !may(reads, maker, right)) {
    return undefined;
  }
  return {
    ...row,
    channelIds: row.channelIds.filter((id) => mayStillGive(reads, maker, id)),
    groupIds: row.groupIds.filter((id) => mayAddToGroup(reads, maker, id)),
    welcomeText: isAdministrator(maker.role) ? row.welcomeText : null,
  };
}

function mayStillGive(reads: Reads, maker: UserRow, id: number): boolean {
  const channel = offerable(reads, maker, id);
  return channel !== undefined && (channel.isDefault || mayAddOthers(reads, maker, channel));
}

/** Refuses an offer that the user may not make (specification, POST /invites/multiuse). */
export function refuseOffer(tx: RealmTransaction, user: UserRow, offer: Offer) {
  if (offer.role === Role.owner && user.role !== Role.owner) {
    throw errors.unauthorizedPrincipal('Must be an organization owner');
  }
  if (!mayOffer(user, offer.role)) {
    throw errors.badRequest('You may invite only with roles that may no more than your own');
  }
  refuseChannels(tx, user, offer.channelIds);
  refuseGroups(tx, user, offer.groupIds);
  if (offer.welcomeText !== null && !isAdministrator(user.role)) {
    throw errors.badRequest('Must be an organization administrator');
  }
}

function refuseChannels(tx: RealmTransaction, user: UserRow, channelIds: readonly number[]) {
  const channels = channelIds.map((id): ChannelRow => {
    const channel = offerable(tx, user, id);
    if (channel !== undefined) return channel;
    throw errors.badRequest(`Invalid channel ID ${id}. No invites were sent.`);
  });
  const mayAddTo = (channel: ChannelRow) => mayAddOthers(tx, user, channel);
  // A user who may not subscribe anybody may name no channel, not even a default one.
  const isAllowed =
    channels.length === 0 ||
    (channels.some(mayAddTo) &&
      channels.every((channel) => channel.isDefault || mayAddTo(channel)));
  if (!isAllowed) {
    throw errors.badRequest('You do not have permission to subscribe other users to channels.');
  }
}

function offerable(reads: Reads, user: UserRow, id: number): ChannelRow | undefined {
  const channel = reads.channels.get([id]);
  if (channel === undefined || channel.isArchived) return undefined;
  const subscription = reads.subscriptions.get([id, user.id]);
  return hasContentAccess(reads, { user, channel, subscription }) ? channel : undefined;
}

function refuseGroups(tx: RealmTransaction, user: UserRow, groupIds: readonly number[]) {
  for (const id of groupIds) {
    const group = tx.groups.get([id]);
    if (group === undefined || group.isDeactivated) throw errors.badRequest('Invalid user group');
    if (!mayAddToGroup(tx, user, id)) throw errors.badRequest('Insufficient permission');
  }
}

function mayAddToGroup(reads: Reads, user: UserRow, id: number): boolean {
  const group = reads.groups.get([id]);
  if (group === undefined || group.isDeactivated) return false;
  return (
    may(reads, user, 'can_manage_all_groups') ||
    mayInGroup(reads, user, { group, name: 'can_manage_group' }) ||
    mayInGroup(reads, user, { group, name: 'can_add_members_group' })
  );
}

export interface NewInvitation extends Offer {
  readonly inviter: UserRow;
  readonly email: string | null;
  readonly notifiesInviter: boolean;
  readonly linkId?: number;
}

export function store(
  tx: RealmTransaction,
  kind: InvitationKind,
  { inviter, expiresInMinutes, ...offer }: NewInvitation,
): InvitationRow {
  makeRoom(tx);
  const now = Math.floor(tx.now / 1000);
  const row: InvitationRow = {
    ...offer,
    id: tx.nextId(kind === 'link' ? 'inviteLink' : 'invitation'),
    key: base32(randomBytes(KEY_BYTES)),
    inviterId: inviter.id,
    invitedAt: now,
    expiresAt: expiresInMinutes === null ? null : now + expiresInMinutes * 60,
    isEnded: false,
  };
  tx.invitations.put([kind, row.id], row);
  tx.invitationKeys.put([row.key], { kind, id: row.id });
  return row;
}

/** Removes invitations that cannot be accepted any more when their room is needed. */
function makeRoom(tx: RealmTransaction) {
  // There are no more rows than ids, so most realms need not count them.
  const given = tx.lastId('inviteLink') + tx.lastId('invitation');
  if (given < INVITATIONS_PER_REALM_MAX) return;
  const keys = [...tx.invitations.keys({})];
  if (keys.length < INVITATIONS_PER_REALM_MAX) return;
  const now = Math.floor(tx.now / 1000);
  for (const [kind, id] of keys) {
    const row = tx.invitations.get([kind, id]);
    if (row === undefined || faultOf(tx, row, now) === undefined) continue;
    tx.invitations.remove([kind, id]);
    tx.invitationKeys.remove([row.key]);
    return;
  }
  throw errors.badRequest(
    `An organization has at most ${INVITATIONS_PER_REALM_MAX} open invitations.`,
  );
}

/**
 * Returns an invitation that the user may manage: one's own, or any for administrators; never one
 * that offers more than the user may.
 */
export function managed(
  tx: RealmTransaction,
  user: UserRow,
  { kind, id }: { kind: InvitationKind; id: number },
): InvitationRow {
  const row = tx.invitations.get([kind, id]);
  if (row === undefined) throw errors.badRequest('No such invitation');
  if (row.inviterId !== user.id && !isAdministrator(user.role)) {
    throw errors.badRequest('Insufficient permission');
  }
  if (row.role === Role.owner && user.role !== Role.owner) {
    throw errors.unauthorizedPrincipal('Must be an organization owner');
  }
  if (!mayOffer(user, row.role)) throw errors.badRequest('Insufficient permission');
  return row;
}

export const announceChange = (tx: RealmTransaction, inviterId: number) =>
  tx.emit({
    event: { type: 'invites_changed' },
    audience: { administrators: true, users: [inviterId] },
  });

export const linkUrl = ({ key }: InvitationRow, { url }: Pick<Site, 'url'>) =>
  `${url}${JOINING_PATH}${key}/`;

/** The beginning of the path of an invitation. */
export const JOINING_PATH = '/join/';

function invitationObject(
  kind: InvitationKind,
  row: InvitationRow,
  url: string | undefined,
): InvitationObject {
  return {
    id: row.id,
    invited_by_user_id: row.inviterId,
    invited: row.invitedAt,
    expiry_date: row.expiresAt,
    invited_as: row.role,
    is_multiuse: kind === 'link',
    ...(row.email === null
      ? url !== undefined && { link_url: url }
      : { email: row.email, notify_referrer_on_join: row.notifiesInviter }),
  };
}

/** A key has 120 bits: 24 characters of five bits each (reference/endpoints.md 1.12). */
const KEY_BYTES = 15;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return text;
}
