import type { Consumer } from '../events/delivery.ts';
import type { HttpExchange } from './exchange.ts';

/**
 * A parked response as the consumer of a queue. It takes one run of events; taken over or stopped, it ends with what
 * clients must expect anyway: an empty list.
 */
export function parkPoll(exchange: HttpExchange, queueId: string): Consumer {
  const answer = (events: string) =>
    exchange.end({
      status: '200 OK',
      body: `{"result":"success","msg":"","events":[${events}],"queue_id":${JSON.stringify(queueId)}}\n`,
    });
  return {
    takesOne: true,
    deliver(run) {
      if (!exchange.isOpen()) return 'dropped';
      answer(run.json());
      return 'taken';
    },
    replaced: () => answer(''),
    ended: () => answer(''),
    stopping: () => answer(''),
  };
}
