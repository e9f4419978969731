import { PUSH_KEY_LENGTH_MAX, PUSH_REGISTRATION_LENGTH_MAX } from '../../domain/limits/outbox.ts';
import * as pushDevices from '../../operations/notifications/push-devices.ts';
import { endpoint } from '../endpoint.ts';
import { nonBlank, oneOf } from '../params.ts';
import { people } from '../permissions.ts';
import { int64 } from './push-account-id.ts';

/** Standard base64 (RFC 4648), padded. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const base64 = (lengthMax: number) =>
  nonBlank.max(lengthMax, 'is too long').regex(BASE64, 'is not base64');

export const registerPushDevice = endpoint({
  summary: 'Register a device for end-to-end encrypted push notifications',
  method: 'POST',
  path: '/mobile_push/register',
  allow: people,
  params: {
    token_kind: oneOf(['fcm', 'apns']),
    push_account_id: int64.describe("Random, the client's own; repeated in pushes"),
    push_public_key: base64(PUSH_KEY_LENGTH_MAX).describe('Base64'),
    bouncer_public_key: nonBlank
      .max(PUSH_KEY_LENGTH_MAX, 'is too long')
      .describe('The one of the push bouncer that was used'),
    encrypted_push_registration: base64(PUSH_REGISTRATION_LENGTH_MAX).describe(
      'Base64; read by the bouncer alone',
    ),
  },
  refuses: ['BAD_REQUEST', 'PUSH_SERVICE_NOT_CONFIGURED'],
  emits: ['push_device'],
  change: (tx, request) =>
    pushDevices.register(tx, request, {
      tokenKind: request.params.token_kind,
      pushAccountId: request.params.push_account_id,
      publicKey: request.params.push_public_key,
      bouncerPublicKey: request.params.bouncer_public_key,
      encryptedRegistration: request.params.encrypted_push_registration,
    }),
});
