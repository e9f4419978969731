import { z } from 'zod';
import * as deletion from '../../operations/messages/deletion.ts';
import { endpoint } from '../endpoint.ts';
import { integer, text } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';
import { inSteps } from '../steps.ts';

export const deleteTopic = endpoint({
  summary: 'Delete the messages of a topic',
  method: 'POST',
  needsNoSpace: true,
  path: '/streams/{stream_id}/delete_topic',
  allow: administratorsOnly,
  params: { stream_id: integer, topic_name: text },
  reply: {
    complete: z.boolean().describe('False: the time was up before all were deleted; ask again'),
  },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['stream', 'delete_message', 'attachment', 'update_message_flags'],
  exchange(request, exchange) {
    const { stream_id: channelId, topic_name: topic } = request.params;
    // Once begun it is done to the end: a topic is not left half deleted because its administrator
    // was deactivated.
    inSteps<{ readonly deadline: number }>(request, exchange, {
      step(tx, caller, begun) {
        administratorsOnly(caller.user);
        const { deadline, isComplete } = deletion.removeTopicStep(tx, caller, {
          channelId,
          topic,
          deadline: begun?.deadline ?? null,
        });
        return isComplete === null ? { state: { deadline } } : { body: { complete: isComplete } };
      },
      isDecided: () => true,
    });
  },
});
