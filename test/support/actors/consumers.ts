import { isAttached } from '../../../actors/event-queue/queue.ts';
import type { TestQueue } from '../client.ts';
import type { TestServer } from '../start-server.ts';

type Queue = Pick<TestQueue, 'id' | 'as'>;

/** Tells whether the clients of this run are served by processes of their own. */
export const withGateways = (): boolean =>
  // biome-ignore lint/style/noProcessEnv: it is for the run of the tests, and no setting.
  Number(process.env['CONFAB_GATEWAYS'] ?? '0') > 0;

interface Described {
  readonly hasConsumer: boolean;
  /** True if it has reached the head of the log. */
  readonly isLive: boolean;
}

const NONE: Described = { hasConsumer: false, isLive: false };

/** Returns the consumer of a queue as it is now, or as its gateway has described it last. */
export function consumerOf(server: TestServer, { id, as }: Queue): Described {
  if (withGateways()) {
    const { realms } = server.app.inspect.tree();
    const found = realms.flatMap(({ queues }) => queues).find((queue) => queue.id === id);
    return found === undefined ? NONE : { ...found, hasConsumer: found.consumer !== null };
  }
  const found = server.app.realms.named('test')?.queues.find(id, as.id);
  if (found === undefined) return NONE;
  if (!isAttached(found)) return NONE;
  return { hasConsumer: found.consumer !== null, isLive: found.isLive };
}

/** Resolves when a consumer waits at the queue. */
export async function consumed(server: TestServer, queue: Queue) {
  while (!consumerOf(server, queue).hasConsumer) await later();
}

/** Resolves when no consumer waits at the queue. */
export async function unconsumed(server: TestServer, queue: Queue) {
  while (consumerOf(server, queue).hasConsumer) await later();
}

/** Resolves when the queue has a consumer that has got everything. */
export async function live(server: TestServer, queue: Queue) {
  while (!consumerOf(server, queue).isLive) await later();
}

/** Gateways describe their clients now and then; here a turn is enough. */
const later = () =>
  new Promise((resolve) => {
    if (withGateways()) setTimeout(resolve, 50);
    else setImmediate(resolve);
  });
