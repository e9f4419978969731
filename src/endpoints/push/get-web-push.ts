import { z } from 'zod';
import * as browsers from '../../operations/notifications/browsers.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';

export const getWebPush = endpoint({
  summary: 'Get the key that browsers subscribe to pushes with',
  method: 'GET',
  path: '/users/me/web_push',
  allow: people,
  params: {},
  reply: {
    application_server_key: z
      .string()
      .nullable()
      .describe('For `PushManager.subscribe`, base64url; null if the server pushes to no browsers'),
  },
  read: (reads, request) => ({
    application_server_key: browsers.applicationServerKey(reads, request),
  }),
});
