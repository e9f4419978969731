import { expect, test } from 'vitest';
import {
  SCHEDULED_LATE_MS_MAX,
  SCHEDULED_MESSAGES_PER_USER_MAX,
  TIMESTAMP_MAX,
} from '../../../src/domain/limits.ts';
import type { Params, TestQueue, WireEvent } from '../../support/client.ts';
import { expectExactAfter } from '../../support/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PATH = '/scheduled_messages';
const GENERAL = 1;
const SUCCESS = { result: 'success', msg: '' };

const inSeconds = ({ clock }: TestServer, seconds: number) =>
  Math.floor(clock.now() / 1000) + seconds;

const schedule = (server: TestServer, as: Person, params: Params = {}) =>
  server.post(as, PATH, {
    type: 'channel',
    to: GENERAL,
    topic: 'lunch',
    content: '**soup**',
    scheduled_delivery_timestamp: inSeconds(server, 60),
    ...params,
  });

async function scheduled(server: TestServer, as: Person, params: Params = {}): Promise<number> {
  const { body } = await schedule(server, as, params);
  expect(body).toEqual({ ...SUCCESS, scheduled_message_id: expect.any(Number) });
  return body.scheduled_message_id;
}

/** Lets time pass, and waits each time for a message that then comes. */
async function passTime(server: TestServer, reader: Person, steps: readonly number[]) {
  const queue = await server.register(reader, { event_types: ['message'] });
  for (const ms of steps) {
    server.clock.advance(ms);
    await queue.next();
  }
}

const listOf = async (server: TestServer, as: Person) =>
  (await server.get(as, PATH)).body.scheduled_messages;

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
  expect(events[1]?.['message'].content).toContain('Not authorized to send to this channel');
  expect(events[1]?.['message'].display_recipient).toHaveLength(2);
  server.clock.advance(300_000);
  expect(await queue.now()).toEqual([]);
  expect(await listOf(server, mel)).toMatchObject([{ scheduled_message_id: id, failed: true }]);

  const edit = (params: Params) => server.patch(mel, `${PATH}/${id}`, params);
  expect(await edit({ content: 'again' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'A failed message needs a new time of delivery' },
  });
  const later = { scheduled_delivery_timestamp: inSeconds(server, 5) };
  expect((await edit(later)).body).toEqual(SUCCESS);
  expect(await queue.now()).toMatchObject([{ op: 'update', scheduled_message: { failed: false } }]);
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

const REFUSED = [
  { why: 'no type', params: { type: undefined }, body: missing('type') },
  { why: 'an unknown type', params: { type: 'letter' }, body: bad(/^type is invalid/) },
  { why: 'no recipient', params: { to: undefined }, body: missing('to') },
  { why: 'a channel by name', params: { to: '"general"' }, body: bad(/^to is neither/) },
  { why: 'no JSON', params: { to: 'general' }, body: bad(/^to is not valid JSON/) },
  { why: 'a list for a channel', params: { to: [1] }, body: bad(/Invalid data type for channel/) },
  {
    why: 'an integer for people',
    params: { type: 'direct', to: 1 },
    body: bad(/Invalid data type for recipients/),
  },
  { why: 'nobody', params: { type: 'direct', to: [] }, body: bad(/must have recipients/) },
  {
    why: 'an unknown user',
    params: { type: 'direct', to: [99] },
    body: bad(/Invalid user ID: 99/),
  },
  {
    why: 'an unknown channel',
    params: { to: 99 },
    body: { code: 'STREAM_DOES_NOT_EXIST', stream_id: 99 },
  },
  { why: 'no topic', params: { topic: undefined }, body: bad(/Missing topic/) },
  { why: 'a NUL in the topic', params: { topic: 'a\0' }, body: bad(/Invalid character in topic/) },
  { why: 'no content', params: { content: undefined }, body: missing('content') },
  { why: 'an empty message', params: { content: ' ' }, body: bad(/must not be empty/) },
  { why: 'a message too long', params: { content: 'x'.repeat(10_001) }, body: bad(/too long/) },
  {
    why: 'no time',
    params: { scheduled_delivery_timestamp: undefined },
    body: missing('scheduled_delivery_timestamp'),
  },
  {
    why: 'a time that is no integer',
    params: { scheduled_delivery_timestamp: '1.5' },
    body: bad(/^scheduled_delivery_timestamp is not an integer/),
  },
  {
    why: 'a negative time',
    params: { scheduled_delivery_timestamp: -1 },
    body: bad(/must be in the future/),
  },
  {
    why: 'a time after all times',
    params: { scheduled_delivery_timestamp: TIMESTAMP_MAX + 1 },
    body: bad(/too far away/),
  },
  {
    why: 'a read_by_sender that is no boolean',
    params: { read_by_sender: 'yes' },
    body: bad(/^read_by_sender is not a boolean/),
  },
];

test('what cannot be scheduled is refused with its reason, and nothing happens', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const queue = await server.register(mel);
  for (const { why, params, body } of REFUSED) {
    const reply = await schedule(server, mel, params);
    expect(reply, why).toMatchObject({ status: 400, body: { result: 'error', ...body } });
  }
  const now = { scheduled_delivery_timestamp: inSeconds(server, 0) };
  expect(await schedule(server, mel, now)).toMatchObject({
    status: 400,
    body: { msg: 'Scheduled delivery time must be in the future.' },
  });
  expect(await queue.now()).toEqual([]);
  expect(await listOf(server, mel)).toEqual([]);
  const longest = { type: 'stream', content: 'x'.repeat(10_000) };
  const soon = { ...longest, scheduled_delivery_timestamp: inSeconds(server, 1) };
  expect((await schedule(server, mel, soon)).status).toBe(200);
  const last = { scheduled_delivery_timestamp: TIMESTAMP_MAX };
  expect((await schedule(server, mel, last)).status).toBe(200);
  expect(server.bugs).toEqual([]);
});

test('what may not be sent now is not scheduled either', async () => {
  const server = await startServer();
  const { ona, gus } = server.people;
  await server.post(ona, '/users/me/subscriptions', { subscriptions: [{ name: 'open' }] });
  expect(await schedule(server, gus)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Not authorized to send to this channel' },
  });
});

const UNCHANGED = [
  { why: 'nothing', params: {}, body: bad(/No change requested/) },
  { why: 'a type without recipients', params: { type: 'direct' }, body: bad(/new recipients/) },
  {
    why: 'a channel without a topic',
    params: { type: 'channel', to: 1 },
    body: bad(/needs a topic/),
  },
  {
    why: 'a list for a channel message',
    params: { to: [1] },
    body: bad(/Invalid data type for channel/),
  },
  { why: 'an unknown channel', params: { to: 9 }, body: { code: 'STREAM_DOES_NOT_EXIST' } },
  { why: 'an empty message', params: { content: '' }, body: bad(/must not be empty/) },
  {
    why: 'a time that is past',
    params: { scheduled_delivery_timestamp: 1 },
    body: bad(/must be in the future/),
  },
  { why: 'a type that is none', params: { type: 'x', to: 1 }, body: bad(/^type is invalid/) },
];

test('a change that cannot be is refused with its reason, and nothing happens', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await scheduled(server, mel);
  const before = await listOf(server, mel);
  const queue = await server.register(mel);
  for (const { why, params, body } of UNCHANGED) {
    const reply = await server.patch(mel, `${PATH}/${id}`, params);
    expect(reply, why).toMatchObject({ status: 400, body: { result: 'error', ...body } });
  }
  expect(await queue.now()).toEqual([]);
  expect(await listOf(server, mel)).toEqual(before);
});

test('a message of somebody else, one that was sent and one that never was look alike', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const own = await scheduled(server, mel);
  const others = await scheduled(server, max, {
    scheduled_delivery_timestamp: inSeconds(server, 9),
  });
  await passTime(server, mel, [9_000, 51_000]);
  const later = await scheduled(server, max, {
    scheduled_delivery_timestamp: inSeconds(server, 60),
  });
  const missingOne = {
    status: 404,
    body: { result: 'error', code: 'BAD_REQUEST', msg: 'Scheduled message does not exist' },
  };
  for (const id of [own, others, later, 99, -1]) {
    expect(await server.patch(mel, `${PATH}/${id}`, { content: 'x' })).toMatchObject(missingOne);
    expect(await server.delete(mel, `${PATH}/${id}`)).toMatchObject(missingOne);
  }
  expect(await server.delete(mel, `${PATH}/x`)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'scheduled_message_id is not an integer' },
  });
  expect(await listOf(server, max)).toHaveLength(1);
});

test('so many messages can be scheduled and no more', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await scheduled(server, mel);
  await server.perform((tx) => {
    const row = tx.scheduledMessages.get([mel.id, 1]) ?? expect.fail();
    for (let id = 2; id < SCHEDULED_MESSAGES_PER_USER_MAX; id++) {
      tx.scheduledMessages.put([mel.id, tx.nextId('scheduledMessage')], row);
    }
  });
  expect((await schedule(server, mel)).status).toBe(200);
  expect(await schedule(server, mel)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'You can have at most 1000 scheduled messages.' },
  });
});

function missing(name: string) {
  return { code: 'REQUEST_VARIABLE_MISSING', var_name: name };
}

function bad(msg: RegExp) {
  return { code: 'BAD_REQUEST', msg: expect.stringMatching(msg) };
}

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
    where: 'agenda',
    err: { type: 'TypeError' },
  });
});

async function eventsUntil(queue: TestQueue, op: string): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  while (!events.some((event) => event['op'] === op)) events.push(...(await queue.next()));
  return events;
}
