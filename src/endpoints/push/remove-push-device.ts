import * as pushReceivers from '../../operations/notifications/push-receivers.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { people } from '../permissions.ts';

export const removePushDevice = endpoint({
  summary: 'Stop pushes to one of your browsers or devices',
  description:
    'A program that is still logged in there may register again. A device that had registered a key fails with the code `REMOVED`.',
  method: 'DELETE',
  path: '/users/me/push_devices/{push_device_id}',
  allow: people,
  params: { push_device_id: text.describe('The `id` of `GET /users/me/push_devices`') },
  refuses: ['BAD_REQUEST'],
  emits: ['push_device'],
  change: (tx, { user, params }) => pushReceivers.remove(tx, user.id, params.push_device_id),
});
