import * as reactions from '../../operations/messages/reactions.ts';
import { endpoint } from '../endpoint.ts';
import { integer, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { reactionType, typeOf } from './reaction-params.ts';

export const removeReaction = endpoint({
  summary: 'Take a reaction back',
  method: 'DELETE',
  path: '/messages/{message_id}/reactions',
  allow: anyUser,
  params: {
    message_id: integer,
    emoji_name: text.optional().describe('This or `emoji_code` is required'),
    emoji_code: text.optional(),
    reaction_type: reactionType,
  },
  refuses: ['BAD_REQUEST', 'REACTION_DOES_NOT_EXIST'],
  emits: ['reaction'],
  change(tx, request) {
    const { message_id: messageId, emoji_name: name, emoji_code: code } = request.params;
    reactions.remove(tx, request, { messageId, name, code, type: typeOf(request) });
  },
});
