import * as channelFolders from '../../operations/channels/folders.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, integer } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';
import { description, name } from './folder-params.ts';

export const updateChannelFolder = endpoint({
  summary: 'Change, archive or bring back a folder of channels',
  method: 'PATCH',
  path: '/channel_folders/{channel_folder_id}',
  allow: administratorsOnly,
  params: {
    channel_folder_id: integer,
    name: name.optional(),
    description: description.optional(),
    is_archived: boolean.optional().describe('True only of a folder with no channels in it'),
  },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['channel_folder'],
  change: (tx, { user, params }) => {
    const { channel_folder_id: id, is_archived: isArchived, ...change } = params;
    channelFolders.update(tx, user, { id, isArchived, ...change });
  },
});
