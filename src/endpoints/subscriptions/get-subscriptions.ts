import { z } from 'zod';
import * as objects from '../../domain/wire/objects.ts';
import { currentSubscriptions } from '../../operations/registration/state/channels.ts';
import { viewOf } from '../../operations/registration/state/view.ts';
import { endpoint } from '../endpoint.ts';
import { oneOf } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getSubscriptions = endpoint({
  summary: 'Get the channels you are subscribed to',
  method: 'GET',
  path: '/users/me/subscriptions',
  allow: anyUser,
  params: { include_subscribers: oneOf(['true', 'false', 'partial']).default('false') },
  reply: {
    subscriptions: z.array(objects.subscription.extend({ subscribers: objects.ids.optional() })),
  },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, site, now, params }) => {
    const view = viewOf({
      tx: reader,
      user,
      site,
      now,
      clientGravatar: false,
      capabilities: {},
      includeSubscribers: params.include_subscribers,
    });
    return { subscriptions: currentSubscriptions(view) };
  },
});
