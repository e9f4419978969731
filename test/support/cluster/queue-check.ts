import { keyIn } from './ledger.ts';
import { type Caller, openRoaming } from './nodes-of-load.ts';

/** The events of a queue that was polled at any of the nodes. */
export interface QueueFinding {
  readonly queueId: string;
  /** The keys of the messages, in the order in which they came. */
  readonly keys: readonly string[];
  /** Events whose number was not above that of the one before. */
  readonly disorder: number;
  /** Messages that came more than once. */
  readonly twice: readonly string[];
  /** Answers that ended the queue. */
  readonly refused: readonly string[];
  /** How often the client had to go to another node. */
  readonly moves: number;
}

export interface QueueCheck {
  readonly queueId: string;
  /** How many messages have come. */
  count(): number;
  /** Goes to the next node at once, as a client does whose balancer sends it elsewhere. */
  wander(): void;
  /** Takes what is still in the queue, and tells what came. */
  stop(): Promise<QueueFinding>;
}

/** A poll is answered after 45 seconds at the latest; a test waits for less. */
const POLL_MS = 5_000;
const REGISTER_MS = 20_000;

/** Registers an event queue of messages at one of the nodes, and polls it through their moves. */
export async function startQueueCheck(caller: Caller, first = 0): Promise<QueueCheck> {
  const roaming = openRoaming(caller, first);
  const registered = await register();
  let lastId = registered.last_event_id;
  let isOver = false;
  let moves = 0;
  let isWandering = false;
  let tellOver = () => {};
  const over = new Promise<undefined>((resolve) => {
    tellOver = () => resolve(undefined);
  });
  const keys: string[] = [];
  const seen = new Set<string>();
  const twice: string[] = [];
  const refused: string[] = [];
  let disorder = 0;

  async function register(): Promise<Registered> {
    const until = performance.now() + REGISTER_MS;
    for (;;) {
      const reply = await roaming.ask(
        { method: 'POST', path: '/register', params: { event_types: '["message"]' } },
        REGISTER_MS,
      );
      if (reply?.status === 200) return reply.body as unknown as Registered;
      if (reply !== undefined || performance.now() > until) {
        throw new Error(`No queue was registered: ${JSON.stringify(reply)}`);
      }
      await roaming.move();
    }
  }
  function take(events: readonly PolledEvent[]): void {
    for (const { id, type, message } of events) {
      if (id <= lastId) disorder += 1;
      lastId = Math.max(lastId, id);
      const key = type === 'message' ? keyIn(message?.content ?? '') : undefined;
      if (key === undefined) continue;
      if (seen.has(key)) twice.push(key);
      seen.add(key);
      keys.push(key);
    }
  }
  /** Polls once. Returns whether the queue is empty, and answered that it is. */
  async function poll(isLast: boolean): Promise<boolean> {
    if (isWandering) {
      isWandering = false;
      moves += 1;
      await roaming.move();
    }
    const query = new URLSearchParams({
      queue_id: registered.queue_id,
      last_event_id: String(lastId),
      dont_block: String(isLast),
    });
    const asked = roaming.ask({ method: 'GET', path: `/events?${query}` }, POLL_MS);
    // A poll that is left takes nothing with it: its events are still in the queue.
    const reply = await (isLast ? asked : Promise.race([asked, over]));
    if (reply === undefined && isOver && !isLast) {
      roaming.close();
      return false;
    }
    if (reply === undefined) {
      // The node is gone, or has nothing to say: the next one has the same queue.
      moves += 1;
      await roaming.move();
      return false;
    }
    if (reply.status !== 200) {
      refused.push(JSON.stringify(reply));
      isOver = true;
      return true;
    }
    const { events } = reply.body as unknown as { readonly events: readonly PolledEvent[] };
    take(events);
    return isLast && events.length === 0;
  }
  const done = (async () => {
    while (!isOver) await poll(false);
    const until = performance.now() + REGISTER_MS;
    while (refused.length === 0 && performance.now() < until) if (await poll(true)) break;
    roaming.close();
  })();
  done.catch(() => {});
  return {
    queueId: registered.queue_id,
    count: () => keys.length,
    wander() {
      isWandering = true;
    },
    async stop() {
      isOver = true;
      tellOver();
      await done;
      return { queueId: registered.queue_id, keys, disorder, twice, refused, moves };
    },
  };
}

interface Registered {
  readonly queue_id: string;
  readonly last_event_id: number;
}

interface PolledEvent {
  readonly id: number;
  readonly type: string;
  readonly message?: { readonly content: string };
}
