import type { WaitingPlace } from '../endpoints/endpoint.ts';
import type { Consumer, Delivery, EncodedBatch } from '../events/delivery.ts';
import type { HttpExchange, Waiting } from './exchange.ts';

/**
 * A parked response as the consumer of a queue. It takes one batch of events. A poll that is taken
 * over or stopped ends with an empty list, which clients must expect anyway.
 */
export class ParkedPoll implements Consumer, Waiting {
  readonly takesOne = true;
  private readonly exchange: HttpExchange;
  private readonly queues: WaitingPlace['queues'];
  private readonly queueId: string;

  constructor(exchange: HttpExchange, { queues, queue }: WaitingPlace) {
    this.exchange = exchange;
    this.queues = queues;
    this.queueId = queue.id;
    exchange.park();
    exchange.onGone(this);
  }

  gone() {
    this.queues.consumerGone(this.queueId, this);
  }

  deliver(batch: EncodedBatch): Delivery {
    if (!this.exchange.isOpen()) return 'dropped';
    this.exchange.endWithJson(answerOf(batch, this.queueId));
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
    this.exchange.endWithJson(`${BEFORE_EVENTS}${BEHIND_EVENTS}${this.queueId}${BEHIND_QUEUE}`);
  }
}

const BEFORE_EVENTS = '{"result":"success","msg":"","events":[';
const BEHIND_EVENTS = '],"queue_id":"';
const BEHIND_QUEUE = '"}\n';

/** The last batch that was sent, its answer as bytes, and the place of the queue's id in them. */
interface Prepared {
  readonly batch: EncodedBatch;
  readonly bytes: Buffer;
  readonly queueIdAt: number;
  readonly queueIdLength: number;
}

let prepared: Prepared | undefined;

/**
 * Returns the answer with a batch. A thousand polls are answered one after the other with the same
 * events, so only the queue's id is written again, into bytes that the library has copied or sent
 * when `end` returns. The server made the id: it needs no escaping.
 */
function answerOf(batch: EncodedBatch, queueId: string): Buffer {
  if (prepared?.batch !== batch || prepared.queueIdLength !== queueId.length) {
    const before = `${BEFORE_EVENTS}${batch.json()}${BEHIND_EVENTS}`;
    prepared = {
      batch,
      bytes: Buffer.from(`${before}${queueId}${BEHIND_QUEUE}`),
      queueIdAt: Buffer.byteLength(before),
      queueIdLength: queueId.length,
    };
  } else prepared.bytes.write(queueId, prepared.queueIdAt, 'latin1');
  return prepared.bytes;
}
