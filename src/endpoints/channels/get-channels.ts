import { z } from 'zod';
import { channel } from '../../domain/wire/objects.ts';
import * as channelList from '../../operations/channels/list.ts';
import { endpoint } from '../endpoint.ts';
import { alsoNamed, boolean } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getChannels = endpoint({
  summary: 'Get channels',
  method: 'GET',
  path: '/streams',
  allow: anyUser,
  params: {
    include_public: boolean.default(true).describe('Those that everyone but guests may join'),
    include_subscribed: boolean.default(true),
    include_web_public: boolean.default(false),
    include_all: alsoNamed(
      boolean.default(false).describe('All that you may know of'),
      'include_all_active',
    ),
    include_default: boolean.default(false),
    include_owner_subscribed: boolean.default(false).describe('Of a bot'),
    include_can_access_content: boolean.default(false).describe('All that you may read'),
    exclude_archived: boolean.default(true),
  },
  reply: {
    streams: z
      .array(channel.extend({ is_default: z.boolean().optional() }))
      .describe('By name; `is_default` with `include_default`'),
  },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, params }) => ({
    streams: channelList.list(reader, user, {
      isPublic: params.include_public,
      isWebPublic: params.include_web_public,
      isSubscribed: params.include_subscribed,
      isKnown: params.include_all,
      isReadable: params.include_can_access_content,
      isOwnerSubscribed: params.include_owner_subscribed,
      isDefault: params.include_default,
      withArchived: !params.exclude_archived,
    }),
  }),
});
