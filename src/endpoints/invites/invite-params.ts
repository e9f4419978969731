import { z } from 'zod';
import type { ServerSettings } from '../../config.ts';
import {
  CHANNELS_PER_INVITATION_MAX,
  GROUPS_PER_INVITATION_MAX,
  INVITATION_MINUTES_MAX,
} from '../../domain/limits/accounts.ts';
import { WELCOME_TEXT_LENGTH_MAX } from '../../domain/limits/organizations.ts';
import { Role } from '../../domain/wire/roles.ts';
import type { Offer } from '../../operations/accounts/invitations.ts';
import type { Values } from '../endpoint.ts';
import { boolean, json } from '../params.ts';
import { all, nonGuests, people } from '../permissions.ts';

/** "All need a human member" (reference/endpoints.md 1.12). */
export const humanMembers = all(nonGuests, people);

const id = z.number({ error: 'is not an integer' }).int('is not an integer');
const idsUpTo = (max: number) =>
  json(z.array(id, { error: 'is not a list' }).max(max, `has more than ${max} items`));

const minutes = z
  .number({ error: 'is not an integer' })
  .int('is not an integer')
  .min(1, 'is too small')
  .max(INVITATION_MINUTES_MAX, 'is too large');

const ROLES: ReadonlySet<number> = new Set(Object.values(Role));

/** The properties of an account that accepts. */
export const offerParams = {
  invite_expires_in_minutes: json(minutes.nullable())
    .optional()
    .describe("Null: it never expires; absent: the server's default, 14400 if it has no other"),
  invite_as: json(
    // The refinement leaves only these numbers.
    id.refine((role) => ROLES.has(role), 'is invalid').transform((role) => role as Role),
  )
    .default(Role.member)
    .describe('100 owner, 200 administrator, 300 moderator, 400 member, 600 guest'),
  stream_ids: idsUpTo(CHANNELS_PER_INVITATION_MAX)
    .default([])
    .describe('Channels that are joined on acceptance'),
  group_ids: idsUpTo(GROUPS_PER_INVITATION_MAX)
    .default([])
    .describe('Groups that are joined on acceptance'),
  include_realm_default_subscriptions: boolean
    .default(false)
    .describe('Whether the default channels are joined as well'),
  welcome_message_custom_text: z
    .string()
    .refine(
      (text) => [...text].length <= WELCOME_TEXT_LENGTH_MAX,
      `is longer than ${WELCOME_TEXT_LENGTH_MAX} characters`,
    )
    .refine((text) => !text.includes('\0'), 'contains null bytes')
    // It is raw text, so null is this word (docs/decisions/0048).
    .transform((text) => (text === 'null' ? null : text))
    .default(null)
    .describe(
      "Markdown, for administrators alone; `null`: the organization's own text, empty: no message",
    ),
};

export const offerOf = (
  params: Values<typeof offerParams>,
  { invitationMinutes }: ServerSettings,
): Offer => ({
  expiresInMinutes:
    params.invite_expires_in_minutes === undefined
      ? invitationMinutes
      : params.invite_expires_in_minutes,
  role: params.invite_as,
  channelIds: params.stream_ids,
  groupIds: params.group_ids,
  includesDefaultChannels: params.include_realm_default_subscriptions,
  welcomeText: params.welcome_message_custom_text,
});
