import * as deactivation from '../../operations/accounts/deactivation.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { people } from '../permissions.ts';
import { activityEvents } from '../users/activity-events.ts';

export const deactivateBot = endpoint({
  summary: 'Deactivate a bot that you own or administer',
  method: 'DELETE',
  path: '/bots/{bot_id}',
  allow: people,
  params: { bot_id: integer },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: activityEvents,
  change: (tx, request) => deactivation.ofBot(tx, request, request.params.bot_id),
});
