import { z } from 'zod';
import * as subscriptions from '../../operations/channels/subscriptions.ts';
import { endpoint } from '../endpoint.ts';
import { stringList } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { principals, principalsOf } from './principals.ts';

export const unsubscribe = endpoint({
  summary: 'Unsubscribe users from channels',
  method: 'DELETE',
  path: '/users/me/subscriptions',
  allow: anyUser,
  params: { subscriptions: stringList, principals },
  reply: { removed: z.array(z.string()), not_removed: z.array(z.string()) },
  refuses: ['REQUEST_VARIABLE_MISSING', 'BAD_REQUEST'],
  emits: ['subscription', 'update_message_flags', 'stream', 'realm_user', 'user_status'],
  change: (tx, request) =>
    subscriptions.unsubscribe(tx, request.user, {
      names: subscriptions.distinctNames(request.params.subscriptions),
      site: request.site,
      principals: principalsOf(tx, request, request.params.principals),
    }),
});
