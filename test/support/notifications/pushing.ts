import { OUTBOX_LEASE_MS } from '../../../src/domain/limits/outbox.ts';
import type { TestQueue, WireEvent } from '../client.ts';
import { startServer, type TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';
import { type Answer, type HeardRequest, startListener, type TestListener } from './listener.ts';
import { PHONE_KEY, toldIn } from './phone.ts';

/** The registration of a telephone. */
export const DEVICE = {
  token_kind: 'apns',
  push_account_id: '9007199254740993',
  push_public_key: PHONE_KEY,
  bouncer_public_key: 'bouncer key',
  encrypted_push_registration: 'ZW5jcnlwdGVk',
};
/** How the bouncer is told of it. */
export const DEVICE_TOLD = {
  device_id: 'd-1',
  push_account_id: DEVICE.push_account_id,
  token_kind: 'apns',
  priority: 'high',
};
export const REALM_TOLD = { realm_url: 'http://test.localhost', realm_name: 'test' };
export const DEVICE_EVENTS = { event_types: ['push_device'] };

export interface Pushing {
  readonly server: TestServer;
  readonly bouncer: TestListener;
}

/** A server with a stand-in for the bouncer, which hears all that is pushed. */
export async function withBouncer(
  answer: (count: number, request: HeardRequest) => Answer,
): Promise<Pushing> {
  const bouncer = await startListener((request, count) => answer(count, request));
  const url = bouncer.url.replace('://', '://server:secret@');
  const env = { CONFAB_PUSH_BOUNCER_URL: `${url}/v1/` };
  return { server: await startServer({ channels: ['general'], env }), bouncer };
}

export const accepts = (): Answer => ({ body: '{"device_id":"d-1"}' });

/** mel, with a device that the bouncer has accepted. */
export async function withDevice(
  answer: (count: number, request: HeardRequest) => Answer = accepts,
): Promise<Pushing & { queue: TestQueue; as: Person }> {
  const pushing = await withBouncer(answer);
  const { mel } = pushing.server.people;
  const queue = await pushing.server.register(mel, DEVICE_EVENTS);
  await pushing.server.post(mel, '/mobile_push/register', DEVICE);
  await pushing.server.advance(1);
  await pushing.bouncer.next();
  await settled(queue, 2);
  return { ...pushing, queue, as: mel };
}

/**
 * Advances the clock until nothing more is due. Returns how long undelivered outbox entries wait,
 * and what the bouncer was told meanwhile.
 */
export async function settle({ server, bouncer }: Pushing) {
  const before = bouncer.heard.length;
  for (;;) {
    await server.advance(1);
    const { work, waiting } = await server.perform((tx) => ({
      work: [...tx.pushWork.keys({})].length,
      waiting: Array.from(tx.outbox.keys({}), ([dueAt]) => dueAt - server.clock.now()),
    }));
    if (work === 0 && waiting.every((ms) => ms > 0 && !isUnderWay(ms))) {
      return { told: bouncer.heard.slice(before).map(toldIn), waiting };
    }
  }
}

/** No pause between two attempts is about as long as the lease of an outbox entry. */
const isUnderWay = (ms: number) => ms > OUTBOX_LEASE_MS - 10_000 && ms <= OUTBOX_LEASE_MS;

/** Waits until so many events came. */
export async function settled(queue: TestQueue, count: number): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  while (events.length < count) events.push(...(await queue.next()));
  return events;
}
