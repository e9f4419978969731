import { z } from 'zod';
import * as objects from '../objects.ts';
import { event, eventOf, together } from './event.ts';

const { id, ids } = objects;

/** A change of a user: the id and exactly one of these. */
const personChange = z.union([
  z.strictObject({ user_id: id, full_name: z.string() }),
  z.strictObject({
    user_id: id,
    avatar_url: objects.avatarUrl,
    avatar_url_medium: objects.avatarUrl,
    avatar_source: objects.avatarSource,
    avatar_version: z.int(),
  }),
  z.strictObject({ user_id: id, email: z.string(), timezone: z.string() }),
  z.strictObject({ user_id: id, bot_owner_id: id.nullable() }),
  z.strictObject({ user_id: id, role: z.int() }),
  z.strictObject({ user_id: id, delivery_email: z.string().nullable() }),
  z.strictObject({ user_id: id, new_email: z.string() }),
  z.strictObject({ user_id: id, is_active: z.boolean() }),
  z.strictObject({
    user_id: id,
    has_second_step: z.boolean().describe('Told to the person alone'),
  }),
  z.strictObject({
    user_id: id,
    custom_profile_field: z.strictObject({
      id,
      value: z.string().nullable(),
      rendered_value: z.string().optional(),
    }),
  }),
]);

const GROUP_MEMBERS = { group_id: id, user_ids: ids };
const GROUP_SUBGROUPS = { group_id: id, direct_subgroup_ids: ids };

export const PEOPLE = {
  'realm_user add': eventOf('realm_user', 'add', {
    person: objects.user.extend({ avatar_url: objects.avatarUrl }),
  }),
  'realm_user remove': eventOf('realm_user', 'remove', {
    person: z.strictObject({ user_id: id, full_name: z.string() }),
  }),
  'realm_user update': eventOf('realm_user', 'update', { person: personChange }),
  'realm_bot add': eventOf('realm_bot', 'add', { bot: objects.bot }),
  'realm_bot update': eventOf('realm_bot', 'update', {
    bot: objects.botChange.refine(
      (bot) => Object.keys(bot).length === 2,
      'is not the id and one property',
    ),
  }),
  'realm_bot delete': eventOf('realm_bot', 'delete', { bot: z.strictObject({ user_id: id }) }),
  presence: event('presence', {
    presences: z.record(objects.idText, objects.presence),
    user_id: id,
    server_timestamp: z.number().describe('UNIX seconds'),
    presence: z.strictObject({ website: objects.legacyPresence }),
    email: z.string(),
  }),
  user_status: event('user_status', {
    user_id: id,
    away: z.boolean().optional(),
    status_text: z.string().optional().describe('Empty: cleared'),
    emoji_name: z.string().optional(),
    emoji_code: z.string().optional(),
    reaction_type: z.union([objects.reactionType, z.literal('')]).optional(),
  }).refine(together('emoji_name', 'emoji_code', 'reaction_type'), 'has a part of an emoji'),
  'user_group add': eventOf('user_group', 'add', { group: objects.userGroup }),
  'user_group update': eventOf('user_group', 'update', {
    group_id: id,
    data: objects.userGroup
      .pick({ name: true, description: true, deactivated: true })
      .extend(objects.groupPermissions)
      .partial(),
  }),
  'user_group remove': eventOf('user_group', 'remove', { group_id: id }),
  'user_group add_members': eventOf('user_group', 'add_members', GROUP_MEMBERS),
  'user_group remove_members': eventOf('user_group', 'remove_members', GROUP_MEMBERS),
  'user_group add_subgroups': eventOf('user_group', 'add_subgroups', GROUP_SUBGROUPS),
  'user_group remove_subgroups': eventOf('user_group', 'remove_subgroups', GROUP_SUBGROUPS),
} as const;
