import * as pushTokens from '../../operations/notifications/push-tokens.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import { token } from './push-tokens.ts';

export const testTokenNotification = endpoint({
  summary: 'Push a test notification to devices registered by a token',
  method: 'POST',
  path: '/mobile_push/test_notification',
  allow: people,
  params: {
    token: token.optional().describe("One of the caller's; all of them when it is left out"),
  },
  refuses: ['BAD_REQUEST', 'PUSH_SERVICE_NOT_CONFIGURED', 'INVALID_PUSH_DEVICE_TOKEN'],
  emits: [],
  change: (tx, request) => pushTokens.testNotification(tx, request, request.params.token ?? null),
});
