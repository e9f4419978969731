import { z } from 'zod';
import { customProfileField } from '../../domain/wire/realm-objects.ts';
import * as profileFields from '../../operations/users/profile-fields.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getProfileFields = endpoint({
  summary: 'Get the custom fields of profiles',
  method: 'GET',
  path: '/realm/profile_fields',
  allow: anyUser,
  params: {},
  reply: { custom_fields: z.array(customProfileField).describe('In order') },
  read: (reader) => ({ custom_fields: profileFields.list(reader) }),
});
