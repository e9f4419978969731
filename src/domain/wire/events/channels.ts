import { z } from 'zod';
import * as objects from '../objects.ts';
import * as realmObjects from '../realm-objects.ts';
import { event, eventOf, fits, has, keysOf, scalar, together } from './event.ts';

const { id, ids } = objects;

/**
 * Properties of a channel that a `stream` update can carry; the value has the type of the channel's
 * field.
 */
const CHANNEL_PROPERTIES = objects.channel
  .pick({
    name: true,
    description: true,
    invite_only: true,
    stream_post_policy: true,
    is_announcement_only: true,
    message_retention_days: true,
    first_message_id: true,
    is_recently_active: true,
    is_archived: true,
    folder_id: true,
    topics_policy: true,
  })
  .extend(objects.channelPermissions).shape;

const PERSONAL_PROPERTIES = objects.personalProperties;

const PEERS = { stream_ids: ids, user_ids: ids };

export const CHANNELS = {
  'stream create': eventOf('stream', 'create', { streams: z.array(objects.channel) }),
  'stream delete': eventOf('stream', 'delete', {
    stream_ids: ids,
    streams: z.array(z.strictObject({ stream_id: id })).describe('Legacy'),
  }),
  'stream update': eventOf('stream', 'update', {
    stream_id: id,
    name: z.string().describe('The old one when the name changes'),
    property: z.enum(keysOf(CHANNEL_PROPERTIES)),
    value: z.union([scalar, z.null(), objects.groupSettingValue]),
    rendered_description: z.string().optional().describe('With the property `description`'),
    history_public_to_subscribers: z
      .boolean()
      .optional()
      .describe('With the property `invite_only`, as the next'),
    is_web_public: z.boolean().optional(),
  })
    .refine(fits(CHANNEL_PROPERTIES), 'has a value of another property')
    .refine(
      (update) => has(update, 'rendered_description') === (update.property === 'description'),
      'has a rendered description exactly when it is about the description',
    )
    .refine(
      (update) =>
        together('history_public_to_subscribers', 'is_web_public')(update) &&
        has(update, 'is_web_public') === (update.property === 'invite_only'),
      'tells the whole privacy exactly when it is about privacy',
    ),
  'subscription add': eventOf('subscription', 'add', {
    subscriptions: z.array(objects.subscription),
  }),
  'subscription remove': eventOf('subscription', 'remove', {
    subscriptions: z.array(z.strictObject({ stream_id: id, name: z.string() })),
  }),
  'subscription update': eventOf('subscription', 'update', {
    stream_id: id,
    property: z.enum(keysOf(PERSONAL_PROPERTIES)),
    value: z.union([scalar, z.null()]),
  }).refine(fits(PERSONAL_PROPERTIES), 'has a value of another property'),
  'subscription peer_add': eventOf('subscription', 'peer_add', PEERS),
  'subscription peer_remove': eventOf('subscription', 'peer_remove', PEERS),
  'channel_folder add': eventOf('channel_folder', 'add', {
    channel_folder: objects.channelFolder,
  }),
  'channel_folder update': eventOf('channel_folder', 'update', {
    channel_folder_id: id,
    data: objects.channelFolder
      .pick({ name: true, description: true, rendered_description: true, is_archived: true })
      .partial(),
  }),
  'channel_folder reorder': eventOf('channel_folder', 'reorder', {
    order: ids.describe('All folders, in their new order'),
  }),
  default_streams: event('default_streams', { default_streams: ids.describe('All of them') }),
  default_stream_groups: event('default_stream_groups', {
    default_stream_groups: z.array(realmObjects.defaultChannelGroup),
  }),
} as const;
