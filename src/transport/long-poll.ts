import type { Consumer, Delivery, EventRun } from '../events/delivery.ts';
import type { HttpExchange } from './exchange.ts';

/**
 * A parked response as the consumer of a queue. It takes one run of events; taken over or stopped, it ends with what
 * clients must expect anyway: an empty list.
 */
export class ParkedPoll implements Consumer {
  readonly takesOne = true;
  private readonly exchange: HttpExchange;
  /** One that was found, so it is an id that the server made: it needs no escaping. */
  private readonly queueId: string;

  constructor(exchange: HttpExchange, queueId: string) {
    this.exchange = exchange;
    this.queueId = queueId;
  }

  deliver(run: EventRun): Delivery {
    if (!this.exchange.isOpen()) return 'dropped';
    this.answer(run.json());
    return 'taken';
  }

  replaced() {
    this.answer('');
  }

  ended() {
    this.answer('');
  }

  stopping() {
    this.answer('');
  }

  private answer(events: string) {
    this.exchange.endWithJson(
      `{"result":"success","msg":"","events":[${events}],"queue_id":"${this.queueId}"}\n`,
    );
  }
}
