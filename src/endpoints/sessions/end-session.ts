import * as sessions from '../../operations/accounts/sessions.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const endSession = endpoint({
  summary: 'Log one of your browsers out',
  description:
    'Its session stops at once, and with it the event queues that were registered in it, their polls and sockets.',
  method: 'DELETE',
  path: '/sessions/{session_id}',
  allow: anyUser,
  params: { session_id: text.describe('The `id` of the session in `GET /sessions`') },
  refuses: ['BAD_REQUEST'],
  change: (tx, { user, params }) => sessions.end(tx, user.id, params.session_id),
});

export const endOtherSessions = endpoint({
  summary: 'Log all other browsers of yours out',
  description: 'The session that asks stays; with an API key all sessions end.',
  method: 'DELETE',
  path: '/sessions',
  allow: anyUser,
  params: {},
  change: (tx, { user, keyHash }) => sessions.endAll(tx, user.id, keyHash),
});
