import { z } from 'zod';
import { passkey } from '../../domain/wire/personal-objects.ts';
import { hasPassword } from '../../operations/accounts/logins.ts';
import * as secondSteps from '../../operations/second-steps/second-steps.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';

export const getSecondStep = endpoint({
  summary: 'Get the second step of your log-ins',
  method: 'GET',
  path: '/users/me/second_step',
  allow: people,
  addsSecondStep: true,
  params: {},
  reply: {
    has_app: z.boolean(),
    recovery_codes_left: z.int(),
    asks_password: z
      .boolean()
      .describe(
        'Whether changes ask for your password; otherwise for a log-in of the last ten minutes',
      ),
    is_locked: z.boolean().describe('Whether the password lets nobody in after wrong codes'),
    passkeys: z.array(passkey),
  },
  read: (reader, { user, site }) => ({
    ...secondSteps.describe(reader, user.id),
    asks_password: hasPassword(reader, user, site),
  }),
});
