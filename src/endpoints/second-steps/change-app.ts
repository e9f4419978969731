import { z } from 'zod';
import { SECOND_STEP_CODE_LENGTH_MAX } from '../../domain/limits/credentials.ts';
import * as passkeys from '../../operations/second-steps/passkeys.ts';
import * as secondSteps from '../../operations/second-steps/second-steps.ts';
import { endpoint } from '../endpoint.ts';
import { text, textUpTo } from '../params.ts';
import { people } from '../permissions.ts';
import { CONFIRMED, confirmed } from './confirmed.ts';

export const beginApp = endpoint({
  summary: 'Begin to add an app that makes codes',
  description:
    'The app takes the secret as a text or as a QR code of `otpauth_url` (TOTP of RFC 6238: SHA-1, 6 digits, 30 seconds). It counts ' +
    'after `POST /users/me/second_step/app/confirm`, in place of the app before.',
  method: 'POST',
  path: '/users/me/second_step/app',
  ...CONFIRMED,
  holdsSecret: true,
  reply: { secret: z.string().describe('Base32'), otpauth_url: z.string() },
  exchange: (request, exchange) => confirmed(request, exchange, secondSteps.beginApp),
});

export const confirmApp = endpoint({
  summary: 'Add the app, by a code that it shows',
  method: 'POST',
  path: '/users/me/second_step/app/confirm',
  emits: ['realm_user'],
  allow: people,
  addsSecondStep: true,
  params: { code: textUpTo(SECOND_STEP_CODE_LENGTH_MAX) },
  refuses: ['BAD_REQUEST'],
  holdsSecret: true,
  reply: {
    recovery_codes: z
      .array(z.string())
      .describe('With the first app or passkey, and never shown again; otherwise none'),
  },
  change: (tx, { user, site, params }) => ({
    recovery_codes: secondSteps.confirmApp(tx, { user, site }, params.code),
  }),
});

export const removeApp = endpoint({
  summary: 'Remove your app',
  method: 'DELETE',
  path: '/users/me/second_step/app',
  emits: ['realm_user'],
  ...CONFIRMED,
  exchange: (request, exchange) => confirmed(request, exchange, secondSteps.removeApp),
});

export const renewCodes = endpoint({
  summary: 'Get recovery codes in place of those that you have',
  method: 'POST',
  path: '/users/me/second_step/recovery_codes',
  ...CONFIRMED,
  holdsSecret: true,
  reply: { recovery_codes: z.array(z.string()).describe('Each logs in once') },
  exchange: (request, exchange) =>
    confirmed(request, exchange, (tx, owner) => ({
      recovery_codes: secondSteps.renewCodes(tx, owner),
    })),
});

export const removePasskey = endpoint({
  summary: 'Remove a passkey',
  method: 'DELETE',
  path: '/users/me/passkeys/{passkey_id}',
  emits: ['realm_user'],
  ...CONFIRMED,
  params: {
    ...CONFIRMED.params,
    passkey_id: text.describe('The `id` of the passkey in `GET /users/me/second_step`'),
  },
  exchange: (request, exchange) =>
    confirmed(request, exchange, (tx, owner) =>
      passkeys.remove(tx, owner, request.params.passkey_id),
    ),
});
