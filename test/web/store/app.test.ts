import { applyTo } from '@confab/client/store';
import { effect } from '@preact/signals';
import { expect, test } from 'vitest';
import { App } from '../../../web/app/store/app.ts';
import type { WireEvent } from '../../support/client.ts';
import { startServer } from '../../support/start-server.ts';

/** The types of events follow from their kinds, which a test does not look at. */
const asEvents = (events: readonly WireEvent[]) => events as unknown as Parameters<App['apply']>[0];

const registered = async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  const queue = await server.register(mel, {
    client_capabilities: { empty_topic_name: true, simplified_presence_events: true },
    slim_presence: true,
    apply_markdown: true,
  });
  return { server, mel, gus, queue };
};

test('the events of a frame tell each section once, and sections that they do not change not at all', async () => {
  const { server, gus, mel, queue } = await registered();
  const app = new App();
  app.follow(applyTo);
  app.begin(queue.state);
  expect(app.phase.value).toBe('open');
  const seen = { unread: [] as number[], users: 0 };
  effect(() => {
    seen.unread.push(app.read('unread').unread.total());
  });
  effect(() => {
    app.read('users');
    seen.users += 1;
  });
  const told: number[] = [];
  app.onEvents((events) => told.push(events.length));
  for (const content of ['a', 'b', 'c']) {
    await server.post(gus, '/messages', { type: 'direct', to: [mel.id], content });
  }
  const events: WireEvent[] = [];
  while (events.filter(({ type }) => type === 'message').length < 3) {
    events.push(...(await queue.next()));
  }
  app.apply(asEvents(events));
  expect(seen).toEqual({ unread: [0, 3], users: 1 });
  expect(told).toEqual([events.length]);
  // An event that comes again changes nothing.
  app.apply(asEvents(events));
  expect(app.read().unread.total()).toBe(3);
});

test('another snapshot is told of as a gap; after the end nobody is logged in', async () => {
  const { queue } = await registered();
  const app = new App();
  app.follow(applyTo);
  let gaps = 0;
  app.onRenewed(() => {
    gaps += 1;
  });
  app.begin(queue.state);
  expect(gaps).toBe(0);
  app.begin(queue.state);
  expect(gaps).toBe(1);
  app.end(null);
  expect(app.phase.value).toBe('logged-out');
  expect(() => app.read()).toThrow('Nobody is logged in');
  expect(() => app.chat).toThrow('Nobody is logged in');
  app.apply(asEvents([{ id: 9, type: 'heartbeat' }]));
  app.begin(queue.state);
  expect(gaps).toBe(1);
});
