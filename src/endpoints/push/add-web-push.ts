import * as browsers from '../../operations/notifications/browsers.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import { auth, endpointUrl, p256dh } from './browser-params.ts';

export const addWebPush = endpoint({
  summary: 'Push to a browser',
  description:
    'Takes the subscription of a browser (Push API), whose pushes only that browser can read. It is removed when its push service no longer knows it.',
  method: 'POST',
  path: '/users/me/web_push',
  allow: people,
  params: { endpoint: endpointUrl, p256dh, auth },
  refuses: ['BAD_REQUEST', 'PUSH_SERVICE_NOT_CONFIGURED'],
  emits: [],
  change: (tx, request) => browsers.add(tx, request, request.params),
});
