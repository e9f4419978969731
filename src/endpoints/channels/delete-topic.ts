import { z } from 'zod';
import * as deletion from '../../operations/message-deletion.ts';
import { endpoint } from '../endpoint.ts';
import { integer, text } from '../params.ts';
import { administratorsAlone } from '../permissions.ts';
import { inSteps, type Step } from '../steps.ts';

export const deleteTopic = endpoint({
  summary: 'Delete the messages of a topic',
  method: 'POST',
  path: '/streams/{stream_id}/delete_topic',
  allow: administratorsAlone,
  params: { stream_id: integer, topic_name: text },
  reply: {
    complete: z.boolean().describe('False: the time was up before all were deleted; ask again'),
  },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['stream', 'delete_message', 'attachment', 'update_message_flags'],
  exchange(asked, exchange) {
    const { stream_id: channelId, topic_name: topic } = asked.params;
    let deadline: number | null = null;
    const step: Step = (tx, caller) => {
      administratorsAlone(caller.user);
      const done = deletion.removeTopicStep(tx, caller, { channelId, topic, deadline });
      deadline = done.deadline;
      return done.isComplete === null ? undefined : { complete: done.isComplete };
    };
    // Once begun it is done to the end: a topic is not left half deleted because its administrator is gone by then.
    inSteps(asked, exchange, { step, isDecided: () => deadline !== null });
  },
});
