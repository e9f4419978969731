import { z } from 'zod';
import * as channelFolders from '../../operations/channels/folders.ts';
import { endpoint } from '../endpoint.ts';
import { administratorsOnly } from '../permissions.ts';
import { description, name } from './folder-params.ts';

export const addChannelFolder = endpoint({
  summary: 'Add a folder of channels',
  method: 'POST',
  path: '/channel_folders/create',
  allow: administratorsOnly,
  params: { name, description: description.default('') },
  reply: { channel_folder_id: z.int() },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['channel_folder'],
  change: (tx, { user, params }) => channelFolders.add(tx, user, params),
});
