import * as objects from '../../domain/wire/objects.ts';
import { newestReceived } from '../../operations/registration/state/messages.ts';
import { userObject } from '../../operations/users/users.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getOwnUser = endpoint({
  summary: 'Get your own account',
  method: 'GET',
  path: '/users/me',
  allow: anyUser,
  params: {},
  reply: {
    ...objects.user.shape,
    max_message_id: objects.id.describe('The newest message received; -1: none'),
  },
  read: (reader, { user, site }) => ({
    ...userObject(user, { viewer: user, site, clientGravatar: false }),
    max_message_id: newestReceived(reader, user.id),
  }),
});
