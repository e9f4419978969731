/** Objects of an organization besides its people, channels and messages. */
import { z } from 'zod';
import { id, ids, type Made, timestamp } from './objects.ts';

export const customProfileField = z
  .strictObject({
    id,
    type: z
      .int()
      .describe(
        '1 short text, 2 long text, 3 options, 4 date, 5 link, 6 users, 7 external account, 8 pronouns',
      ),
    name: z.string(),
    hint: z.string(),
    field_data: z.string().describe('JSON, or empty'),
    order: z.int(),
    required: z.boolean(),
    editable_by_user: z.boolean(),
    display_in_profile_summary: z.literal(true).optional(),
  })
  .meta({ id: 'CustomProfileField' });

export const customEmoji = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    source_url: z.string(),
    still_url: z.string().nullable(),
    deactivated: z.boolean(),
    author_id: id.nullable(),
  })
  .meta({ id: 'CustomEmoji' });
export type CustomEmoji = Made<typeof customEmoji>;

export const linkifier = z
  .strictObject({ id, pattern: z.string(), url_template: z.string() })
  .meta({ id: 'Linkifier' });
export type LinkifierObject = Made<typeof linkifier>;

export const invitation = z
  .strictObject({
    id: id.describe('Links and invitations by mail are numbered apart'),
    invited_by_user_id: id,
    invited: timestamp,
    expiry_date: timestamp.nullable().describe('Null: never'),
    invited_as: z.int().describe('The role'),
    is_multiuse: z.boolean(),
    link_url: z
      .string()
      .optional()
      .describe('Of a link, for who may make links and invite to this role'),
    email: z.string().optional().describe('Of an invitation by mail'),
    notify_referrer_on_join: z.boolean().optional().describe('Of an invitation by mail'),
  })
  .meta({ id: 'Invitation' });
export type InvitationObject = Made<typeof invitation>;

export const realmExport = z
  .strictObject({
    id,
    acting_user_id: id,
    export_time: z.number().describe('UNIX seconds'),
    export_type: z.int().describe('1 public, 2 standard'),
    export_url: z
      .string()
      .nullable()
      .describe('From the root of the server; whoever has it may have the archive'),
    deleted_timestamp: z.number().nullable(),
    failed_timestamp: z.number().nullable(),
    pending: z.boolean(),
  })
  .meta({ id: 'RealmExport' });
export type RealmExport = Made<typeof realmExport>;

export const defaultChannelGroup = z.strictObject({
  id,
  name: z.string(),
  description: z.string(),
  streams: ids.describe('Ids of channels, ascending'),
});
export type DefaultChannelGroup = Made<typeof defaultChannelGroup>;

export const playground = z.strictObject({
  id,
  name: z.string(),
  pygments_language: z.string(),
  url_template: z.string(),
});
export type PlaygroundObject = Made<typeof playground>;

export const realmDomain = z.strictObject({
  domain: z.string(),
  allow_subdomains: z.boolean(),
});
export type RealmDomain = Made<typeof realmDomain>;
