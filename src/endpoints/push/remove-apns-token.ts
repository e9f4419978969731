import * as pushTokens from '../../operations/notifications/push-tokens.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import { token } from './push-tokens.ts';

export const removeApnsToken = endpoint({
  summary: 'Stop push notifications to an iOS device',
  method: 'DELETE',
  path: '/users/me/apns_device_token',
  allow: people,
  params: { token },
  refuses: ['BAD_REQUEST'],
  emits: [],
  change: (tx, request) =>
    pushTokens.remove(tx, request, { kind: 'apns', token: request.params.token }),
});
