import { z } from 'zod';
import * as personalObjects from '../../domain/wire/personal-objects.ts';
import { PROPAGATE_MODES } from '../../operations/messages/moves.ts';
import * as updates from '../../operations/messages/updates.ts';
import { endpoint, type ParsedRequest } from '../endpoint.ts';
import { alsoNamed, boolean, integer, oneOf, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { inSteps } from '../steps.ts';

const params = {
  message_id: integer,
  topic: alsoNamed(text.optional(), 'subject'),
  stream_id: integer.optional(),
  content: text.optional(),
  propagate_mode: oneOf(PROPAGATE_MODES).default('change_one'),
  send_notification_to_old_thread: boolean.default(false),
  send_notification_to_new_thread: boolean.default(true),
  prev_content_sha256: text
    .optional()
    .describe('Of the content that the client takes the message to have: lower-case hex'),
};

export const editMessage = endpoint({
  summary: 'Edit a message, or move messages to another topic or channel',
  method: 'PATCH',
  path: '/messages/{message_id}',
  allow: anyUser,
  params,
  reply: {
    detached_uploads: z
      .array(personalObjects.detachedUpload)
      .describe('Files of yours whose only references this edit removed'),
  },
  refuses: [
    'BAD_REQUEST',
    'EXPECTATION_MISMATCH',
    'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  ],
  emits: [
    'update_message',
    'delete_message',
    'update_message_flags',
    'user_topic',
    'muted_topics',
    'stream',
    'message',
    'attachment',
  ],
  exchange(request, exchange) {
    const update = updateIn(request.params);
    inSteps<Begun>(request, exchange, {
      step(tx, caller, begun) {
        const { rest, detached: added } = updates.update(tx, caller, {
          request: update,
          rest: begun?.rest,
        });
        const detached = [...(begun?.detached ?? []), ...added];
        return rest === undefined
          ? { body: { detached_uploads: detached } }
          : { state: { rest, detached } };
      },
      isDecided: ({ rest }) => 'move' in rest,
    });
  },
});

interface Begun {
  readonly rest: updates.Rest;
  readonly detached: updates.Progress['detached'];
}

const updateIn = (given: ParsedRequest<typeof params>['params']): updates.UpdateRequest => ({
  messageId: given.message_id,
  content: given.content,
  topic: given.topic,
  channelId: given.stream_id,
  mode: given.propagate_mode,
  notifiesOldThread: given.send_notification_to_old_thread,
  notifiesNewThread: given.send_notification_to_new_thread,
  contentHash: given.prev_content_sha256,
});
