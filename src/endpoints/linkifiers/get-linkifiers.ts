import { z } from 'zod';
import { linkifier } from '../../domain/wire/realm-objects.ts';
import * as linkifiers from '../../operations/rendering/linkifiers.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getLinkifiers = endpoint({
  summary: 'Get the linkifiers, in the order in which they are applied',
  method: 'GET',
  path: '/realm/linkifiers',
  allow: anyUser,
  params: {},
  reply: { linkifiers: z.array(linkifier) },
  read: (reader) => ({ linkifiers: linkifiers.list(reader) }),
});
