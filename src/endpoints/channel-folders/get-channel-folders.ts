import { z } from 'zod';
import { channelFolder } from '../../domain/wire/objects.ts';
import * as channelFolders from '../../operations/channels/folders.ts';
import { endpoint } from '../endpoint.ts';
import { boolean } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getChannelFolders = endpoint({
  summary: 'Get the folders of channels',
  method: 'GET',
  path: '/channel_folders',
  allow: anyUser,
  params: { include_archived: boolean.default(false) },
  reply: { channel_folders: z.array(channelFolder).describe('In their order') },
  read: (reader, { params }) => ({
    channel_folders: channelFolders
      .list(reader)
      .filter(({ is_archived }) => params.include_archived || !is_archived),
  }),
});
