import type { WaitingPlace } from '../endpoints/endpoint.ts';
import type { Consumer, Delivery, EventRun } from '../events/delivery.ts';
import type { HttpExchange, Waiting } from './exchange.ts';

/**
 * A parked response as the consumer of a queue. It takes one run of events; if it is replaced or
 * stopped, it ends with an empty list, which clients must expect anyway.
 */
export class ParkedPoll implements Consumer, Waiting {
  readonly takesOne = true;
  private readonly exchange: HttpExchange;
  private readonly queues: WaitingPlace['queues'];
  private readonly queue: WaitingPlace['queue'];

  constructor(exchange: HttpExchange, { queues, queue }: WaitingPlace) {
    this.exchange = exchange;
    this.queues = queues;
    this.queue = queue;
    exchange.onGone(this);
  }

  gone() {
    this.queues.consumerGone(this.queue, this);
  }

  deliver(run: EventRun): Delivery {
    if (!this.exchange.isOpen()) return 'dropped';
    this.exchange.endWithJson(answerOf(run, this.queue.id));
    return 'taken';
  }

  replaced() {
    this.endEmpty();
  }

  ended() {
    this.endEmpty();
  }

  stopping() {
    this.endEmpty();
  }

  private endEmpty() {
    this.exchange.endWithJson(`${BEFORE_EVENTS}${BEHIND_EVENTS}${this.queue.id}${BEHIND_QUEUE}`);
  }
}

const BEFORE_EVENTS = '{"result":"success","msg":"","events":[';
const BEHIND_EVENTS = '],"queue_id":"';
const BEHIND_QUEUE = '"}\n';

/** The run of the last answer: the answer as bytes, and where in it the id of the queue is. */
interface Prepared {
  readonly run: EventRun;
  readonly bytes: Buffer;
  readonly queueIdAt: number;
  readonly queueIdLength: number;
}

let prepared: Prepared | undefined;

/**
 * Returns the answer to a poll. A thousand polls are answered one after the other with the same
 * events, so only the queue's id is replaced, in bytes that the library has copied or written when
 * `end` returns. The server made the id, so it needs no escaping.
 */
function answerOf(run: EventRun, queueId: string): Buffer {
  if (prepared?.run !== run || prepared.queueIdLength !== queueId.length) {
    const before = `${BEFORE_EVENTS}${run.json()}${BEHIND_EVENTS}`;
    prepared = {
      run,
      bytes: Buffer.from(`${before}${queueId}${BEHIND_QUEUE}`),
      queueIdAt: Buffer.byteLength(before),
      queueIdLength: queueId.length,
    };
  } else prepared.bytes.write(queueId, prepared.queueIdAt, 'latin1');
  return prepared.bytes;
}
