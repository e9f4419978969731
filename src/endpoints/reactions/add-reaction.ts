import * as reactions from '../../operations/messages/reactions.ts';
import { endpoint } from '../endpoint.ts';
import { integer, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { reactionType, typeOf } from './reaction-params.ts';

export const addReaction = endpoint({
  summary: 'React to a message with an emoji',
  method: 'POST',
  path: '/messages/{message_id}/reactions',
  allow: anyUser,
  params: {
    message_id: integer,
    emoji_name: text,
    emoji_code: text
      .optional()
      .describe('Joins an earlier reaction, whose name may be one of an older list'),
    reaction_type: reactionType,
  },
  refuses: ['BAD_REQUEST', 'REACTION_ALREADY_EXISTS'],
  emits: ['reaction', 'user_topic', 'muted_topics'],
  change(tx, request) {
    const { message_id: messageId, emoji_name: name, emoji_code: code } = request.params;
    reactions.add(tx, request, { messageId, name, code, type: typeOf(request) });
  },
});
