import * as browsers from '../../operations/notifications/browsers.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import { endpointUrl } from './browser-params.ts';

export const removeWebPush = endpoint({
  summary: 'Stop pushes to a browser',
  method: 'DELETE',
  path: '/users/me/web_push',
  allow: people,
  params: { endpoint: endpointUrl },
  refuses: ['BAD_REQUEST'],
  emits: [],
  change: (tx, request) => browsers.remove(tx, request, request.params.endpoint),
});
