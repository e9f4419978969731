import { z } from 'zod';
import { pushReceiver } from '../../domain/wire/personal-objects.ts';
import * as pushReceivers from '../../operations/notifications/push-receivers.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';

export const getPushDevices = endpoint({
  summary: 'Get the browsers and devices that get your pushes',
  description:
    'Those that registered a token and those that registered a key; the latter are also in `push_devices` of a snapshot. Devices whose registration has failed are left out.',
  method: 'GET',
  path: '/users/me/push_devices',
  allow: people,
  params: {},
  reply: { push_devices: z.array(pushReceiver).describe('Browsers first') },
  read: (reads, { user, site }) => ({
    push_devices: pushReceivers.list(reads, user.id, site.settings),
  }),
});
