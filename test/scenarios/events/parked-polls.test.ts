import { expect, test } from 'vitest';
import { consumed, withGateways } from '../../support/actors/consumers.ts';
import { atOnce } from '../../support/acts/at-once.ts';
import type { TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
const MESSAGES_ONLY = { event_types: ['message'], fetch_event_types: [] };

const withGeneral = () => startServer({ channels: ['general'] });

const send = (server: TestServer, content: string) =>
  server.post(server.people.mel, '/messages', { ...MESSAGE, content });

/** A poll that is known to wait. */
async function parked(server: TestServer, queue: TestQueue) {
  const reply = queue.poll();
  await consumed(server, queue);
  return { reply };
}

const contentsOf = (events: readonly { [key: string]: unknown }[]) =>
  events.map((event) => (event['message'] as { content: string } | undefined)?.content);

test('5: polls that wait are all answered with all that one commit has for them, and the next goes on from there', async () => {
  const server = await withGeneral();
  const { mel, max, mia, gus } = server.people;
  const queues = await Promise.all(
    [max, max, mia, gus].map((as) => server.register(as, MESSAGES_ONLY)),
  );
  for (const round of ['first', 'second', 'third']) {
    const polls = await Promise.all(queues.map((queue) => parked(server, queue)));
    const { post } = atOnce(server);
    await Promise.all(
      ['a', 'b', 'c'].map((part) => post(mel, '/messages', { ...MESSAGE, content: round + part })),
    );
    const answers = await Promise.all(polls.map(({ reply }) => reply));
    for (const [index, { status, body }] of answers.entries()) {
      expect(status).toBe(200);
      expect(contentsOf(body.events)).toEqual([`${round}a`, `${round}b`, `${round}c`]);
      expect(body.events).toEqual(answers[0]?.body.events);
      const queue = queues[index] ?? expect.fail();
      queue.lastEventId = body.events.at(-1).id;
    }
  }
});

test('5: a poll that waits is left alone by what is not for it, and misses nothing of what follows', async () => {
  const server = await withGeneral();
  const { ada, mel, max } = server.people;
  await server.post(ada, '/users/me/subscriptions', {
    subscriptions: [{ name: 'closed' }],
    invite_only: true,
  });
  const queue = await server.register(max, MESSAGES_ONLY);
  const poll = await parked(server, queue);
  await server.post(ada, '/messages', { ...MESSAGE, to: 'closed' });
  await server.post(mel, '/messages', { type: 'direct', to: [ada.id], content: 'psst' });
  await server.post(ada, '/users/me/subscriptions', {
    subscriptions: [{ name: 'closed' }],
    principals: [max.id],
    send_new_subscription_messages: false,
  });
  await server.post(ada, '/messages', { ...MESSAGE, to: 'closed', content: 'welcome' });
  expect(contentsOf((await poll.reply).body.events)).toEqual(['welcome']);
  await server.delete(ada, '/users/me/subscriptions', {
    subscriptions: ['closed'],
    principals: [max.id],
  });
  await server.post(ada, '/messages', { ...MESSAGE, to: 'closed', content: 'he is gone' });
  await send(server, 'soup!');
  const [welcome, ...rest] = await queue.now();
  expect(contentsOf([welcome ?? {}, ...rest])).toEqual(['welcome', 'soup!']);
});

test('5: a poll takes nothing with it when its client goes away, when another takes its place or the server stops', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const queue = await server.register(max, MESSAGES_ONLY);
  const path = `/events?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`;

  const gone = new AbortController();
  const poll = server.request('GET', path, { as: max, signal: gone.signal });
  await consumed(server, queue);
  gone.abort();
  await expect(poll).rejects.toThrow(/abort/);
  await send(server, 'to nobody');

  const queued = await server.register(max, MESSAGES_ONLY);
  const former = await parked(server, queued);
  const newer = queued.poll();
  expect((await former.reply).body.events).toEqual([]);
  await send(server, 'to the newer');
  expect(contentsOf((await newer).body.events)).toEqual(['to the newer']);

  const stopped = await server.register(max, MESSAGES_ONLY);
  const last = await parked(server, stopped);
  await server.restart();
  expect((await last.reply).body.events).toEqual([]);
  await send(server, 'after the restart');
  expect(contentsOf(await queue.now())).toEqual(['to nobody', 'to the newer', 'after the restart']);
  expect(contentsOf(await queued.now())).toEqual(['to the newer', 'after the restart']);
  expect(contentsOf(await stopped.now())).toEqual(['after the restart']);
});

// The clock of the test is that of this process; `following.test.ts` has heartbeats of others.
test.skipIf(withGateways())(
  '3, 5: a heartbeat has a number of its own in the sequence, and nothing is lost to who acknowledges it',
  async () => {
    const server = await withGeneral();
    const { max, mia } = server.people;
    const all = await server.register(mia, { fetch_event_types: [] });
    const queue = await server.register(max, MESSAGES_ONLY);
    const beat = async () => {
      const poll = await parked(server, queue);
      server.clock.advance(60_000);
      const { body } = await poll.reply;
      expect(body.events).toEqual([{ id: expect.any(Number), type: 'heartbeat' }]);
      queue.lastEventId = body.events[0].id;
      return queue.lastEventId;
    };
    const first = await beat();
    await send(server, 'after the first');
    const second = await queue.now();
    expect(contentsOf(second)).toEqual(['after the first']);
    const third = await beat();
    await server.restart();
    await send(server, 'after the restart');
    const fourth = await queue.now();
    expect(contentsOf(fourth)).toEqual(['after the restart']);
    // Heartbeats are for clients that wait: this queue hears of the other events, under the same
    // numbers.
    const others = await all.now();
    expect(others.map(({ type }) => type).filter((type) => type !== 'stream')).toEqual([
      'message',
      'restart',
      'message',
    ]);
    const ids = [first, second[0]?.id, third, fourth[0]?.id];
    expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => Number(one) - Number(other)));
    expect(others.map(({ id }) => id)).toEqual(expect.arrayContaining([ids[1], ids[3]]));
    expect(others.map(({ id }) => id)).not.toContain(first);
    expect(others.map(({ id }) => id)).not.toContain(third);
  },
);

test.each(['in memory', 'from the store'] as const)(
  '5: a queue far behind is brought up to date in steps, without a gap: %s',
  async (where) => {
    const server = await withGeneral();
    const { mel, max } = server.people;
    const polled = await server.register(max, MESSAGES_ONLY);
    const narrow = [['topic', 'the last']];
    const quiet = await server.register(max, { ...MESSAGES_ONLY, narrow });
    const listened = await server.register(max, MESSAGES_ONLY);
    const contents = Array.from({ length: 1_200 }, (_, index) => `message ${index}`);
    const { post } = atOnce(server);
    await Promise.all(contents.map((content) => post(mel, '/messages', { ...MESSAGE, content })));
    await send(server, 'soup!');
    await server.post(mel, '/messages', { ...MESSAGE, topic: 'the last', content: 'the last' });
    if (where === 'from the store') await server.restart();
    const due = [...contents, 'soup!', 'the last'];

    expect(contentsOf((await quiet.poll()).body.events)).toEqual(['the last']);
    const taken: unknown[] = [];
    while (taken.length < due.length) taken.push(...contentsOf(await polled.next()));
    expect(taken).toEqual(due);
    expect(await polled.now()).toEqual([]);
    const query = `?queue_id=${listened.id}&last_event_id=${listened.lastEventId}`;
    const socket = await server.socket(max, { query });
    const heard: unknown[] = [];
    while (heard.length < due.length)
      heard.push(...contentsOf((await socket.frame('events'))['events']));
    expect(heard).toEqual(due);
  },
);

test.each(['attached', 'detached', 'restarted'] as const)(
  '5: a message is for who was in the channel when it was sent, however late it is read: %s',
  async (state) => {
    const server = await withGeneral();
    const { ada, mia } = server.people;
    const queue = await server.register(mia, MESSAGES_ONLY);
    if (state === 'attached') await queue.now();
    const subscriptions = ['general'];
    const leave = () => server.delete(mia, '/users/me/subscriptions', { subscriptions });
    const join = () =>
      server.post(ada, '/users/me/subscriptions', {
        subscriptions: [{ name: 'general' }],
        principals: [mia.id],
        send_new_subscription_messages: false,
      });
    await send(server, 'in');
    await leave();
    await send(server, 'out');
    await join();
    await send(server, 'in again');
    await leave();
    await send(server, 'out again');
    if (state === 'restarted') await server.restart();
    expect(contentsOf(await queue.now())).toEqual(['in', 'in again']);
    await join();
    await send(server, 'back');
    expect(contentsOf(await queue.now())).toEqual(['back']);
  },
);
