import type { Role } from '../../../src/domain/wire/roles.ts';
import { hidden } from '../../audit/declaration.ts';
import { table } from '../../table.ts';

/** Links and invitations by mail are numbered apart (reference/endpoints.md 1.12). */
export type InvitationKind = 'link' | 'email';

export interface InvitationRow {
  readonly id: number;
  /** The end of its page's address. Anybody who has it may join. */
  readonly key: string;
  /** The address that it was sent to; null for a link. */
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
  /** Null: the organization's text is used; empty: no message. */
  readonly welcomeText: string | null;
  readonly notifiesInviter: boolean;
  /** It was revoked, or its one use was made. */
  readonly isEnded: boolean;
  /**
   * The link that was followed to have this invitation mailed. It ends with the link. Absent if
   * somebody sent it.
   */
  readonly linkId?: number | undefined;
}

/** Rows are without a link if they are older than links that mail. */
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
  {
    defaults: DEFAULTS,
    audited: [
      {
        kind: 'invitation',
        target: ([kind, id]) => `${kind}/${id}`,
        // Anybody who has the key may join.
        values: (row) => ({
          email: row.email,
          invited_as: row.role,
          invited_by_user_id: row.inviterId,
          invited: row.invitedAt,
          expiry_date: row.expiresAt,
          channel_ids: row.channelIds,
          group_ids: row.groupIds,
          include_realm_default_subscriptions: row.includesDefaultChannels,
          is_ended: row.isEnded,
          key: hidden(row.key),
        }),
      },
    ],
  },
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
 * Addresses that a user wants to have and must confirm, by a hash of the secret in the link. User
 * first, because a user may ask only so often; the link names the user as well. Rows of links that
 * can no longer be used are removed when the user asks for the next.
 */
export const emailChanges = table<[userId: number, secretHash: string], EmailChangeRow>(
  'email_changes',
  ['newEmail', 'askedAt', 'isDone'],
);

export interface PasswordLinkRow {
  /** UNIX milliseconds. */
  readonly madeAt: number;
  readonly isDone: boolean;
}

/**
 * Links by which the person of an account sets a password, by a hash of the secret in the link. All
 * of an account end when its password changes.
 */
export const passwordLinks = table<[userId: number, secretHash: string], PasswordLinkRow>(
  'password_links',
  ['madeAt', 'isDone'],
);
