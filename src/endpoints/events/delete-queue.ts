import * as errors from '../../domain/wire/errors.ts';
import * as eventQueues from '../../operations/access/event-queues.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const deleteQueue = endpoint({
  summary: 'Delete an event queue',
  method: 'DELETE',
  path: '/events',
  allow: anyUser,
  params: { queue_id: text },
  refuses: ['REQUEST_VARIABLE_MISSING', 'BAD_EVENT_QUEUE_ID'],
  exchange({ params: { queue_id }, user }, { realm, answer, refuse }) {
    if (realm.queues.find(queue_id, user.id) === undefined) {
      throw errors.badEventQueueId(queue_id);
    }
    realm.run(
      (tx) => eventQueues.remove(tx, queue_id, user.id),
      (outcome) => {
        if (!outcome.isDone) return refuse(outcome.error);
        realm.queues.end(queue_id);
        answer({});
      },
      user.id,
    );
  },
});
