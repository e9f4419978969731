import * as pushDevices from '../../operations/notifications/push-devices.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import { int64 } from './push-account-id.ts';

export const testDeviceNotification = endpoint({
  summary: 'Push an encrypted test notification to devices',
  method: 'POST',
  path: '/mobile_push/e2ee/test_notification',
  allow: people,
  params: {
    push_account_id: int64
      .optional()
      .describe("One of the caller's devices; all of them when it is left out"),
  },
  refuses: ['BAD_REQUEST', 'PUSH_SERVICE_NOT_CONFIGURED', 'INVALID_PUSH_DEVICE_TOKEN'],
  emits: [],
  change: (tx, request) =>
    pushDevices.testNotification(tx, request, request.params.push_account_id ?? null),
});
