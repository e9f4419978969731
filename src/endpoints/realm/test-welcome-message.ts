import { z } from 'zod';
import { REALM_VALUES } from '../../domain/rules/realm/realm-setting-values.ts';
import * as joining from '../../operations/accounts/joining.ts';
import { endpoint } from '../endpoint.ts';
import { EVENTS_OF_SENDING } from '../messages/events-of-sending.ts';
import { text } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const testWelcomeMessage = endpoint({
  summary: 'See a welcome message as newcomers get it',
  description: 'The caller gets it as a direct message; no setting changes.',
  method: 'POST',
  path: '/realm/test_welcome_bot_custom_message',
  allow: administratorsOnly,
  params: {
    welcome_message_custom_text: text
      .pipe(REALM_VALUES.welcome_message_custom_text)
      .describe('Markdown'),
  },
  reply: { message_id: z.int() },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'REQUEST_VARIABLE_MISSING', 'BAD_REQUEST'],
  emits: EVENTS_OF_SENDING,
  change: (tx, { user, site, params }) => ({
    message_id: joining.testWelcome(tx, { user, site }, params.welcome_message_custom_text),
  }),
});
