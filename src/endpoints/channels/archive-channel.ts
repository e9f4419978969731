import * as channelChanges from '../../operations/channels/changes.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const archiveChannel = endpoint({
  summary: 'Archive a channel: nothing of it is lost',
  method: 'DELETE',
  path: '/streams/{stream_id}',
  allow: anyUser,
  params: { stream_id: integer },
  refuses: ['BAD_REQUEST', 'CANNOT_ADMINISTER_CHANNEL'],
  emits: [
    'stream',
    'default_stream_groups',
    'default_streams',
    'message',
    'user_topic',
    'muted_topics',
  ],
  change: (tx, request) => {
    channelChanges.archive(tx, request, request.params.stream_id);
  },
});
