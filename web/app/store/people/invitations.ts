/** Invitations by mail and by link. */
import type { ReplyOf } from '@confab/client';
import { app } from '../app.ts';

export type Invitation = ReplyOf<'GET', '/invites'>['invites'][number];

/** How long an invitation is good for; `null` is for ever. */
export const EXPIRIES: readonly (readonly [minutes: string, words: string])[] = [
  ['1440', 'One day'],
  ['14400', 'Ten days'],
  ['43200', 'Thirty days'],
  ['null', 'For ever'],
];

export interface Offer {
  readonly role: number;
  readonly expiry: string;
  readonly channelIds: readonly number[];
}

/** People who accept also join the channels that everybody starts with. */
const paramsOf = ({ role, expiry, channelIds }: Offer) => ({
  invite_as: role,
  invite_expires_in_minutes: JSON.parse(expiry) as number | null,
  stream_ids: channelIds,
  include_realm_default_subscriptions: true,
});

/** Returns the addresses in a text: they stand between commas, semicolons and lines. */
export const addressesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/[,;\n]+/)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];

export const inviteByMail = (text: string, offer: Offer) =>
  app.chat.call('POST', '/invites', {
    invitee_emails: addressesIn(text).join(','),
    ...paramsOf(offer),
  });

/** Returns a link with which anybody may join. */
export async function inviteByLink(offer: Offer): Promise<string> {
  const { invite_link: link } = await app.chat.call('POST', '/invites/multiuse', paramsOf(offer));
  return link;
}

/** Returns the invitations that can still be accepted, newest first. */
export async function invitations(): Promise<readonly Invitation[]> {
  const { invites } = await app.chat.call('GET', '/invites');
  return [...invites].sort((one, other) => other.invited - one.invited);
}

export const revoke = ({ id, is_multiuse: isLink }: Invitation) =>
  isLink
    ? app.chat.call('DELETE', '/invites/multiuse/{invite_id}', { invite_id: id })
    : app.chat.call('DELETE', '/invites/{invite_id}', { invite_id: id });

export const resend = ({ id }: Invitation) =>
  app.chat.call('POST', '/invites/{invite_id}/resend', { invite_id: id });
