import * as channelChanges from '../../operations/channels/changes.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const removeDefaultChannel = endpoint({
  summary: 'Let new accounts not join a channel any more',
  method: 'DELETE',
  path: '/default_streams',
  allow: administratorsOnly,
  params: { stream_id: integer },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'REQUEST_VARIABLE_MISSING', 'BAD_REQUEST'],
  emits: ['default_streams'],
  change: (tx, { user, params }) => {
    channelChanges.setDefault(tx, user, { channelId: params.stream_id, isDefault: false });
  },
});
