import { expect, test } from 'vitest';
import { SCHEDULED_LATE_MS_MAX } from '../../../src/domain/limits/personal.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params, TestQueue, WireEvent } from '../../support/client.ts';
import {
  GENERAL,
  inSeconds,
  listOf,
  PATH,
  passTime,
  SUCCESS,
  scheduled,
} from '../../support/messages/scheduling.ts';
import { startServer } from '../../support/start-server.ts';

test('a message is scheduled, listed soonest first, told to its author alone, and in the snapshot', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia } = server.people;
  const own = await server.register(mel);
  const other = await server.register(max);
  await scheduled(server, mel);
  const direct = { type: 'private', to: [mia.id, max.id, mel.id], topic: 'x', content: 'psst' };
  const sooner = { scheduled_delivery_timestamp: inSeconds(server, 30) };
  await scheduled(server, mel, { ...direct, ...sooner });
  const first = {
    scheduled_message_id: 2,
    type: 'private',
    to: [mia.id, max.id].sort(),
    content: 'psst',
    rendered_content: '<p>psst</p>',
    ...sooner,
    failed: false,
  };
  const second = {
    scheduled_message_id: 1,
    type: 'stream',
    to: GENERAL,
    topic: 'lunch',
    content: '**soup**',
    rendered_content: '<p><strong>soup</strong></p>',
    scheduled_delivery_timestamp: inSeconds(server, 60),
    failed: false,
  };
  expect((await server.get(mel, PATH)).body).toEqual({
    ...SUCCESS,
    scheduled_messages: [first, second],
  });
  expect(await listOf(server, max)).toEqual([]);
  expect((await server.register(mel)).state.scheduled_messages).toEqual([first, second]);
  const event = { id: expect.any(Number), type: 'scheduled_messages', op: 'add' };
  expect(await own.now()).toEqual([
    { ...event, scheduled_messages: [second] },
    { ...event, scheduled_messages: [first] },
  ]);
  expect(await other.now()).toEqual([]);
});

test('it is sent at its time and not before, rendered as of then, and forgotten', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await scheduled(server, mel, { content: '@**Max Member**', client: 'PyTerm' });
  const own = await server.register(mel, { event_types: ['scheduled_messages', 'message'] });
  const other = await server.register(max, { event_types: ['message'], apply_markdown: true });
  await server.perform((tx) => {
    const row = tx.users.get([max.id]) ?? expect.fail();
    tx.users.put([max.id], { ...row, fullName: 'Max Renamed' });
    tx.userNames.put(['max member', max.id], {});
  });
  server.clock.advance(59_000);
  expect(await own.now()).toEqual([]);
  server.clock.advance(1_000);
  const [event] = await other.next();
  expect(event).toMatchObject({
    flags: ['mentioned'],
    message: {
      sender_id: mel.id,
      client: 'PyTerm',
      timestamp: inSeconds(server, 0),
      subject: 'lunch',
      content: `<p><span class="user-mention" data-user-id="${max.id}">@Max Renamed</span></p>`,
    },
  });
  const heard = await own.now();
  expect(heard.map(({ type, op }) => [type, op])).toEqual([
    ['message', undefined],
    ['scheduled_messages', 'remove'],
  ]);
  expect(heard[1]?.['scheduled_message_id']).toBe(id);
  expect(await listOf(server, mel)).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('one whose time passed while the server was down is sent when it starts, up to ten minutes late', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await scheduled(server, mel, { content: 'in time' });
  await scheduled(server, mel, {
    content: 'too late',
    scheduled_delivery_timestamp: inSeconds(server, 59),
  });
  const queue = await server.register(mel, {
    event_types: ['scheduled_messages', 'message'],
    queue_lifespan_secs: 3_600,
  });
  await server.restart(60_000 + SCHEDULED_LATE_MS_MAX - 1);
  server.clock.advance(1);
  const events = [];
  while (events.length < 4) events.push(...(await queue.next()));
  const messages = events.filter(({ type }) => type === 'message').map(({ message }) => message);
  expect(messages.map(({ content }) => content)).toEqual([
    'in time',
    expect.stringContaining('The server was not running when it was to be sent.'),
  ]);
  expect(await listOf(server, mel)).toMatchObject([{ content: 'too late', failed: true }]);
});

test('one that may not be sent any more is kept as failed, and its author is told why', async () => {
  const server = await startServer();
  const { ona, mel } = server.people;
  const closed = { subscriptions: [{ name: 'closed' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', { ...closed, principals: [ona.id, mel.id] });
  const id = await scheduled(server, mel);
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['closed'] });
  const queue = await server.register(mel, { event_types: ['scheduled_messages', 'message'] });
  server.clock.advance(60_000);
  const events = await queue.next();
  expect(events).toMatchObject([
    {
      type: 'scheduled_messages',
      op: 'update',
      scheduled_message: { scheduled_message_id: id, to: GENERAL, topic: 'lunch', failed: true },
    },
    {
      type: 'message',
      message: { type: 'private', sender_full_name: 'Notification Bot' },
    },
  ]);
  expect(events[1]?.['message'].content).toMatch(
    /You do not have permission to post in this channel\.|Not authorized to send to channel '/,
  );
  expect(events[1]?.['message'].display_recipient).toHaveLength(2);
  server.clock.advance(300_000);
  expect(await queue.now()).toEqual([]);
  const reason = expect.stringMatching(/^You do not have permission|^Not authorized to send/);
  expect(events[0]?.['scheduled_message'].failure_reason).toEqual(reason);
  expect(await listOf(server, mel)).toMatchObject([
    { scheduled_message_id: id, failed: true, failure_reason: reason },
  ]);

  const edit = (params: Params) => server.patch(mel, `${PATH}/${id}`, params);
  expect(await edit({ content: 'again' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Scheduled delivery time must be in the future.' },
  });
  const later = { scheduled_delivery_timestamp: inSeconds(server, 5) };
  expect((await edit(later)).body).toEqual(SUCCESS);
  expect(await queue.now()).toMatchObject([{ op: 'update', scheduled_message: { failed: false } }]);
  expect((await listOf(server, mel))[0]).not.toHaveProperty('failure_reason');
  const again = await server.post(ona, '/users/me/subscriptions', {
    ...closed,
    principals: [mel.id],
  });
  expect(again.body).toMatchObject({ subscribed: { [mel.id]: ['closed'] } });
  await queue.next(); // that she was subscribed
  server.clock.advance(5_000);
  expect((await queue.next())[0]).toMatchObject({ message: { content: '**soup**' } });
  expect(server.bugs).toEqual([]);
});

test('nobody is told of what a deactivated account had scheduled; it is kept as failed', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await scheduled(server, mel);
  const setActive = (isActive: boolean) =>
    server.perform((tx) => {
      const row = tx.users.get([mel.id]) ?? expect.fail();
      tx.users.put([mel.id], { ...row, isActive });
    });
  await setActive(false);
  const queue = await server.register(max, { event_types: ['message', 'scheduled_messages'] });
  server.clock.advance(60_000);
  await setActive(true);
  expect(await queue.now()).toEqual([]);
  expect(await listOf(server, mel)).toMatchObject([{ failed: true }]);
  expect((await server.register(mel)).state.unread_msgs.count).toBe(0);
});

test('it starts out read for its author as asked, else as its client and recipients say', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const oneself = { type: 'direct', to: [mel.id] };
  const cases = [
    { params: {}, isRead: false },
    { params: { client: 'website' }, isRead: true },
    { params: { client: 'website', read_by_sender: false }, isRead: false },
    { params: { client: 'website', ...oneself }, isRead: false },
    { params: { ...oneself, read_by_sender: true }, isRead: true },
  ];
  for (const [index, { params }] of cases.entries()) {
    await scheduled(server, mel, { ...params, content: String(index) });
  }
  const queue = await server.register(mel, { event_types: ['message'] });
  server.clock.advance(60_000);
  const events = [];
  while (events.length < cases.length) events.push(...(await queue.next()));
  const read = events
    .sort((one, other) => one['message'].content - other['message'].content)
    .map((event) => event['flags'].includes('read'));
  expect(read).toEqual(cases.map(({ isRead }) => isRead));
});

test('a scheduled message is changed, which its author is told, and goes where and when it then says', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await scheduled(server, mel);
  const queue = await server.register(mel, { event_types: ['scheduled_messages', 'message'] });
  const edit = async (params: Params) =>
    expect((await server.patch(mel, `${PATH}/${id}`, params)).body).toEqual(SUCCESS);
  await edit({ topic: 'tea', content: 'x' });
  await edit({ scheduled_delivery_timestamp: inSeconds(server, 120) });
  await edit({ type: 'direct', to: [max.id] });
  const before = { scheduled_message_id: id, failed: false };
  const soon = inSeconds(server, 60);
  const tea = { ...before, type: 'stream', to: GENERAL, topic: 'tea' };
  const said = { content: 'x', rendered_content: '<p>x</p>' };
  const updates = (await queue.now()).map((event) => event['scheduled_message']);
  expect(updates).toEqual([
    { ...tea, ...said, scheduled_delivery_timestamp: soon },
    { ...tea, ...said, scheduled_delivery_timestamp: soon + 60 },
    {
      ...before,
      type: 'private',
      to: [max.id],
      ...said,
      scheduled_delivery_timestamp: soon + 60,
    },
  ]);
  server.clock.advance(60_000);
  expect(await queue.now()).toEqual([]);
  server.clock.advance(60_000);
  expect((await queue.next())[0]).toMatchObject({ message: { type: 'private', content: 'x' } });
});

test('a scheduled message is deleted, and never sent', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await scheduled(server, mel);
  const queue = await server.register(mel, { event_types: ['scheduled_messages', 'message'] });
  expect((await server.delete(mel, `${PATH}/${id}`)).body).toEqual(SUCCESS);
  server.clock.advance(120_000);
  expect(await queue.now()).toEqual([
    { id: expect.any(Number), type: 'scheduled_messages', op: 'remove', scheduled_message_id: id },
  ]);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, gus } = server.people;
  const gone = await scheduled(server, mel);
  await expectExactAfter(server, async () => {
    await scheduled(server, gus, { content: '@**Mel Member**' });
    const id = await scheduled(server, mel, { type: 'direct', to: [gus.id] });
    await server.patch(mel, `${PATH}/${id}`, {
      scheduled_delivery_timestamp: inSeconds(server, 30),
    });
    await server.delete(mel, `${PATH}/${gone}`);
    await scheduled(server, mel, { scheduled_delivery_timestamp: inSeconds(server, 600) });
    await passTime(server, gus, [30_000, 30_000]);
  });
});

test('a bug while one is sent is logged and costs that message alone; a refusal is no bug', async () => {
  const server = await startServer({ channels: ['general', 'random'] });
  const { mel, max, mia } = server.people;
  const broken = await scheduled(server, mia, { to: 2 });
  const refused = await scheduled(server, max, { to: [mel.id], type: 'direct' });
  await scheduled(server, max, { content: 'fine' });
  const types = { event_types: ['restart', 'scheduled_messages'] };
  const queues = await Promise.all([mia, max].map((one) => server.register(one, types)));
  await server.perform((tx) => {
    const channel = tx.channels.get([2]) ?? expect.fail();
    // No operation writes this: it stands for a fault nobody thought of.
    tx.channels.put([2], { ...channel, groups: null as never });
    const direct = tx.scheduledMessages.get([max.id, refused]) ?? expect.fail();
    tx.scheduledMessages.put([max.id, refused], { ...direct, content: '' });
  });
  await passTime(server, mel, [60_000]);
  const failures = [broken, refused].map((scheduled_message_id) => ({
    type: 'scheduled_messages',
    op: 'update',
    scheduled_message: { scheduled_message_id, failed: true },
  }));
  for (const [index, queue] of queues.entries()) {
    const events = await eventsUntil(queue, 'update');
    expect(events.filter(({ op }) => op !== 'remove')).toMatchObject([failures[index]]);
  }
  expect(server.bugs).toHaveLength(1);
  expect(JSON.parse(server.bugs[0] ?? '')).toMatchObject({
    where: 'scheduler',
    err: { type: 'TypeError' },
  });
});

async function eventsUntil(queue: TestQueue, op: string): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  while (!events.some((event) => event['op'] === op)) events.push(...(await queue.next()));
  return events;
}
