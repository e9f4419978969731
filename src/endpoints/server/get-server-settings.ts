import { serverSettings } from '../../operations/server-settings.ts';
import { endpoint } from '../endpoint.ts';

export const getServerSettings = endpoint({
  summary: 'Get what anyone may know of the server',
  method: 'GET',
  path: '/server_settings',
  params: {},
  visit: ({ realm, place, answer }) => answer(serverSettings(realm?.reader, place)),
});
