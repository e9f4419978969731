import * as deactivation from '../../operations/accounts/deactivation.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { people } from '../permissions.ts';
import { activityEvents } from './activity-events.ts';

export const reactivateUser = endpoint({
  summary: 'Reactivate an account, as an administrator or the owner of a bot',
  description:
    'None of its API keys come back: a person logs in, and a bot is given a key by `POST /bots/{bot_id}/api_key/regenerate`.',
  method: 'POST',
  path: '/users/{user_id}/reactivate',
  allow: people,
  params: { user_id: integer },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: [...activityEvents, 'realm_export_consent'],
  change: (tx, request) => deactivation.reactivate(tx, request, request.params.user_id),
});
