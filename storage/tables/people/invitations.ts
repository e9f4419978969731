import type { Role } from '../../../src/domain/wire/roles.ts';
import { table } from '../../table.ts';

/** Links and invitations by mail are numbered apart (reference/endpoints.md 1.12). */
export type InvitationKind = 'link' | 'email';

export interface InvitationRow {
  readonly id: number;
  /** What the address of its page ends in; whoever has it may join. */
  readonly key: string;
  /** Whom it was sent to; null for a link. */
  readonly email: string | null;
  readonly inviterId: number;
  /** UNIX seconds. */
  readonly invitedAt: number;
  /** UNIX seconds; null: never. */
  readonly expiresAt: number | null;
  readonly role: Role;
  readonly channelIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly includesDefaultChannels: boolean;
  /** Null: as the organization says; empty: no message. */
  readonly welcomeText: string | null;
  readonly notifiesInviter: boolean;
  /** It was revoked, or its one use was made. */
  readonly isEnded: boolean;
  /** The link that was followed to have this one mailed, with which it ends; absent of those that somebody sent. */
  readonly linkId?: number | undefined;
}

/** Rows written before there were links that mail have no link. */
const DEFAULTS = { linkId: undefined } as const;

export const invitations = table<[kind: InvitationKind, id: number], InvitationRow>(
  'invitations',
  [
    'id',
    'key',
    'email',
    'inviterId',
    'invitedAt',
    'expiresAt',
    'role',
    'channelIds',
    'groupIds',
    'includesDefaultChannels',
    'welcomeText',
    'notifiesInviter',
    'isEnded',
    'linkId',
  ],
  { defaults: DEFAULTS },
);

/** Finds the invitation of a page's address. */
export const invitationKeys = table<
  [key: string],
  { readonly kind: InvitationKind; readonly id: number }
>('invitation_keys', ['kind', 'id']);

export interface EmailChangeRow {
  readonly newEmail: string;
  /** UNIX milliseconds. */
  readonly askedAt: number;
  readonly isDone: boolean;
}

/**
 * Addresses that somebody wants to have and must confirm, by a hash of what is in the link. Under the user, because a user
 * may ask only so often; the link names the user as well. Rows of links that can no longer be used go when the next is asked for.
 */
export const emailChanges = table<[userId: number, secretHash: string], EmailChangeRow>(
  'email_changes',
  ['newEmail', 'askedAt', 'isDone'],
);
