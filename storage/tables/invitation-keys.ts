import { table } from '../table.ts';
import type { InvitationKind } from './invitations.ts';

/** Finds the invitation of a page's address. */
export const invitationKeys = table<
  [key: string],
  { readonly kind: InvitationKind; readonly id: number }
>('invitation_keys', ['kind', 'id']);
