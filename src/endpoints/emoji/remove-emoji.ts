import * as customEmoji from '../../operations/files/custom-emoji.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const removeEmoji = endpoint({
  summary: 'Deactivate a custom emoji',
  description: 'For administrators and whoever added it. What was said with it still shows it.',
  method: 'DELETE',
  path: '/realm/emoji/{emoji_name}',
  allow: anyUser,
  params: { emoji_name: text },
  refuses: ['BAD_REQUEST'],
  emits: ['realm_emoji'],
  change: (tx, { user, params }) => customEmoji.remove(tx, user, params.emoji_name),
});
