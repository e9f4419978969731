import { z } from 'zod';
import { idText } from '../../domain/wire/objects.ts';
import { customEmoji } from '../../domain/wire/realm-objects.ts';
import * as emoji from '../../operations/files/custom-emoji.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getEmoji = endpoint({
  summary: 'Get the custom emoji, deactivated ones too',
  method: 'GET',
  path: '/realm/emoji',
  allow: anyUser,
  params: {},
  reply: { emoji: z.record(idText, customEmoji).describe('By id') },
  read: (reader) => ({ emoji: emoji.list(reader) }),
});
