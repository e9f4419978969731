import * as pushTokens from '../../operations/notifications/push-tokens.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import { token } from './push-tokens.ts';

export const removeFcmToken = endpoint({
  summary: 'Stop push notifications to an Android device',
  method: 'DELETE',
  path: '/users/me/android_gcm_reg_id',
  allow: people,
  params: { token },
  refuses: ['BAD_REQUEST'],
  emits: [],
  change: (tx, request) =>
    pushTokens.remove(tx, request, { kind: 'fcm', token: request.params.token }),
});
