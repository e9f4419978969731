import * as pushTokens from '../../operations/notifications/push-tokens.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import { appId, token } from './push-tokens.ts';

export const addApnsToken = endpoint({
  summary: 'Register an iOS device by its token',
  method: 'POST',
  path: '/users/me/apns_device_token',
  allow: people,
  params: { token, appid: appId },
  refuses: ['BAD_REQUEST'],
  emits: [],
  change: (tx, request) =>
    pushTokens.add(tx, request, {
      kind: 'apns',
      token: request.params.token,
      appId: request.params.appid,
    }),
});
