import { keyIn } from '../ledger.ts';
import { type Caller, openRoaming, type Roaming } from '../nodes-of-load.ts';

/** Many event queues of one person, each polled at one node after the other. */
export interface ManyQueues {
  /** Polls each queue once, at another node than before. */
  sweep(): Promise<void>;
  /** Polls all until they are empty. Returns how many did not have exactly these messages. */
  stop(acked: ReadonlyMap<string, number>): Promise<number>;
  /** Answers that refused a poll for good. */
  readonly refused: readonly string[];
  /** How many polls were answered. */
  polls(): number;
}

interface Queue {
  readonly id: string;
  lastEventId: number;
  /** The messages that came, in order, by their numbers in the order of the first queue. */
  count: number;
  isWrong: boolean;
  /** The node that is polled next. */
  at: number;
}

/** How many requests are under way at once. */
const WIDTH = 24;
const ANSWER_MS = 10_000;
const GIVE_UP_MS = 60_000;

interface Asked {
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
}

export async function openManyQueues(caller: Caller, count: number): Promise<ManyQueues> {
  /** The keys of the messages, in the order in which the first queue had them. */
  const order: string[] = [];
  const refused: string[] = [];
  const queues: Queue[] = [];
  let polls = 0;
  // Each worker has a connection to each node.
  const workers = Array.from({ length: WIDTH }, () =>
    caller.nodes.map((node) => openRoaming({ ...caller, nodes: [node] }, 0)),
  );

  /** Does something for each number, so many at once. */
  async function each(total: number, work: (number: number, at: readonly Roaming[]) => unknown) {
    let next = 0;
    await Promise.all(
      workers.map(async (roamings) => {
        while (next < total) await work(next++, roamings);
      }),
    );
  }
  /** Asks one node, or the others after it, until one answers. */
  async function ask(roamings: readonly Roaming[], first: number, { path, params }: Asked) {
    const until = performance.now() + GIVE_UP_MS;
    for (let at = first; performance.now() < until; at += 1) {
      const roaming = roamings[at % roamings.length];
      const method = params === undefined ? 'GET' : 'POST';
      const reply = await roaming?.ask(
        { method, path, ...(params === undefined ? {} : { params }) },
        ANSWER_MS,
      );
      if (reply !== undefined) return reply;
      await roaming?.move();
    }
    throw new Error(`No node has answered ${path} within ${GIVE_UP_MS} ms`);
  }
  function take(queue: Queue, events: readonly PolledEvent[]): void {
    for (const { id, message } of events) {
      if (id <= queue.lastEventId) queue.isWrong = true;
      queue.lastEventId = Math.max(queue.lastEventId, id);
      const key = keyIn(message?.content ?? '');
      if (key === undefined) continue;
      if (queue.count === order.length) order.push(key);
      if (order[queue.count] !== key) queue.isWrong = true;
      queue.count += 1;
    }
  }
  /** Polls a queue. Returns whether it is empty. */
  async function poll(queue: Queue, roamings: readonly Roaming[]): Promise<boolean> {
    const { id, lastEventId } = queue;
    const query = new URLSearchParams({
      queue_id: id,
      last_event_id: String(lastEventId),
      dont_block: 'true',
    });
    const reply = await ask(roamings, queue.at, { path: `/events?${query}` });
    polls += 1;
    queue.at += 1;
    if (reply.status !== 200) {
      refused.push(JSON.stringify(reply));
      return true;
    }
    const { events } = reply.body as unknown as { readonly events: readonly PolledEvent[] };
    take(queue, events);
    return events.length === 0;
  }

  await each(count, async (number, roamings) => {
    const params = { event_types: '["message"]', fetch_event_types: '["message"]' };
    const reply = await ask(roamings, number, { path: '/register', params });
    if (reply.status !== 200) throw new Error(`No queue was registered: ${JSON.stringify(reply)}`);
    const { queue_id: id, last_event_id: lastEventId } = reply.body;
    queues.push({
      id: String(id),
      lastEventId: Number(lastEventId),
      count: 0,
      isWrong: false,
      at: number + 1,
    });
  });
  const all = (work: (queue: Queue, roamings: readonly Roaming[]) => unknown) =>
    each(queues.length, async (number, roamings) => {
      const queue = queues[number];
      if (queue !== undefined) await work(queue, roamings);
    });
  return {
    sweep: () => all(poll),
    async stop(acked) {
      await all(async (queue, roamings) => {
        while (!(await poll(queue, roamings)));
      });
      for (const roaming of workers.flat()) roaming.close();
      const isWhole = order.length === acked.size && order.every((key) => acked.has(key));
      const isExact = (queue: Queue) => !queue.isWrong && queue.count === order.length;
      return isWhole ? queues.filter((queue) => !isExact(queue)).length : queues.length;
    },
    refused,
    polls: () => polls,
  };
}

interface PolledEvent {
  readonly id: number;
  readonly message?: { readonly content: string };
}
