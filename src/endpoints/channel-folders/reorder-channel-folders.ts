import * as channelFolders from '../../operations/channels/folders.ts';
import { endpoint } from '../endpoint.ts';
import { idList } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const reorderChannelFolders = endpoint({
  summary: 'Put the folders of channels into another order',
  method: 'PATCH',
  path: '/channel_folders',
  allow: administratorsOnly,
  params: { order: idList.describe('The ids of all folders, archived ones too') },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['channel_folder'],
  change: (tx, { params }) => channelFolders.reorder(tx, params.order),
});
