import { beforeEach, expect, test } from 'vitest';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

let server: TestServer;
let bee: Person;

/** A bot of Mel's, in a realm with a public channel and a private one of hers. */
beforeEach(async () => {
  server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await server.post(mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'secret' }],
    invite_only: true,
  });
  const { body } = await server.post(mel, '/bots', { full_name: 'Bee', short_name: 'bee' });
  bee = {
    ...server.people.bot,
    id: body.user_id,
    email: 'bee-bot@test.localhost',
    fullName: 'Bee',
    apiKey: body.api_key,
  };
});

const update = (person: Person, params: Record<string, unknown>) =>
  server.patch(person, `/bots/${bee.id}`, params);

const NOTHING = {
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
};

test('a bot is made with defaults, which its owner sees', async () => {
  const { mel } = server.people;
  const defaults = {
    default_sending_stream: 'general',
    default_events_register_stream: 'secret',
    default_all_public_streams: true,
  };
  const given = { full_name: 'Cow', short_name: 'cow', ...defaults };
  const { body } = await server.post(mel, '/bots', given);
  expect(body).toMatchObject(defaults);
  const { bots } = (await server.get(mel, '/bots')).body;
  expect(bots).toMatchObject([NOTHING, defaults]);
});

test('the owner changes a bot and is told what it is then', async () => {
  const { mel } = server.people;
  const hook = { bot_type: 3, payload_url: '"https://a.example"', short_name: 'hook' };
  const { body: made } = await server.post(mel, '/bots', { full_name: 'Hook', ...hook });
  const { body } = await server.patch(mel, `/bots/${made.user_id}`, {
    full_name: ' Hooked ',
    service_payload_url: '"https://b.example"',
    service_interface: 2,
    default_sending_stream: 'GENERAL',
  });
  expect(body).toEqual({
    result: 'success',
    msg: '',
    full_name: 'Hooked',
    avatar_url: '/avatar/9?v=1',
    service_interface: 2,
    service_payload_url: 'https://b.example',
    bot_owner: 'mel@example.com',
    ...NOTHING,
    default_sending_stream: 'general',
  });
  const { state } = await server.register(mel, { fetch_event_types: ['realm_bot'] });
  expect(state['realm_bots']).toContainEqual(
    expect.objectContaining({
      user_id: made.user_id,
      full_name: 'Hooked',
      services: [expect.objectContaining({ base_url: 'https://b.example', interface: 2 })],
    }),
  );
});

test('only the owner and administrators hear of a change, and of a private channel the owner alone', async () => {
  const { mel, ada, max } = server.people;
  const types = { event_types: ['realm_bot', 'realm_user'] };
  const queues = await Promise.all([mel, ada, max].map((one) => server.register(one, types)));
  await update(mel, { default_sending_stream: 'general', default_all_public_streams: true });
  await update(mel, { default_sending_stream: 'secret' });
  await update(mel, { full_name: 'Wasp', default_sending_stream: '' });
  await update(mel, { full_name: 'Wasp' });
  const told = await Promise.all(queues.map((queue) => queue.now()));
  const [own, administrators, others] = told.map((events) => events.map(({ id, ...rest }) => rest));
  const bot = (change: object) => ({
    type: 'realm_bot',
    op: 'update',
    bot: { user_id: bee.id, ...change },
  });
  const renamed = {
    type: 'realm_user',
    op: 'update',
    person: { user_id: bee.id, full_name: 'Wasp' },
  };
  const first = [
    bot({ default_sending_stream: 'general' }),
    bot({ default_all_public_streams: true }),
  ];
  const last = [renamed, bot({ full_name: 'Wasp' })];
  expect(own).toEqual([
    ...first,
    bot({ default_sending_stream: 'secret' }),
    ...last,
    bot({ default_sending_stream: null }),
  ]);
  expect(administrators).toEqual([...first, bot({ default_sending_stream: null }), ...last]);
  expect(others).toEqual([renamed]);
});

test('a bot is handed over, and each hears what it is for them from then on', async () => {
  const { mel, max, ada, gus } = server.people;
  await update(mel, { default_sending_stream: 'secret' });
  const types = { event_types: ['realm_bot', 'realm_user'] };
  const people = [mel, max, ada, gus];
  const queues = await Promise.all(people.map((one) => server.register(one, types)));
  const { body } = await update(mel, { bot_owner_id: max.id });
  expect(body.bot_owner).toBe('max@example.com');
  const told = await Promise.all(queues.map((queue) => queue.now()));
  const [former, owner, administrators, others] = told.map((events) =>
    events.map(({ id, ...rest }) => rest),
  );
  const person = { user_id: bee.id, bot_owner_id: max.id };
  const handed = { type: 'realm_user', op: 'update', person };
  expect(former).toEqual([handed, { type: 'realm_bot', op: 'delete', bot: { user_id: bee.id } }]);
  const whole = { user_id: bee.id, owner_id: max.id, default_sending_stream: 'secret' };
  expect(owner).toEqual([
    handed,
    { type: 'realm_bot', op: 'add', bot: expect.objectContaining(whole) },
  ]);
  const changed = { user_id: bee.id, owner_id: max.id };
  expect(administrators).toEqual([handed, { type: 'realm_bot', op: 'update', bot: changed }]);
  expect(others).toEqual([handed]);
  expect((await update(mel, {})).body.msg).toBe('Insufficient permission');
  expect((await update(max, {})).status).toBe(200);
});

test.each([{ new_name: 'known', is_private: false }, { new_name: 'hidden' }])(
  '4: so they do when a default channel becomes %j',
  async (change) => {
    const { mel } = server.people;
    const secretId = (await server.get(mel, '/get_stream_id', { stream: 'secret' })).body.stream_id;
    await update(mel, { default_sending_stream: 'secret' });
    await expectExactAfter(server, () => server.patch(mel, `/streams/${secretId}`, change));
  },
);

test('4: a snapshot and the events of changed bots give what a fresh register gives', async () => {
  const { mel, max, ada, ona } = server.people;
  const secretId = (await server.get(mel, '/get_stream_id', { stream: 'secret' })).body.stream_id;
  const rename = (new_name: string) =>
    server.patch(mel, `/streams/${secretId}`, { new_name, is_private: new_name === 'hidden' });
  await expectExactAfter(server, async () => {
    const replies = [
      await update(mel, { default_sending_stream: 'secret', full_name: 'Wasp' }),
      await update(mel, { default_events_register_stream: 'secret' }),
      await rename('known'),
      await rename('hidden'),
      await update(ada, { bot_owner_id: ona.id }),
      await update(ona, { bot_owner_id: ada.id }),
      await update(ada, { default_all_public_streams: true, bot_owner_id: max.id }),
      await server.post(mel, '/bots', {
        full_name: 'Cow',
        short_name: 'cow',
        default_sending_stream: 'hidden',
      }),
    ];

    expect(replies.map(({ body }) => body.msg)).toEqual(replies.map(() => ''));
  });
});

test.each([
  { change: { full_name: 'B' }, msg: 'Name too short!' },
  { change: { full_name: 'Test Bot' }, msg: 'Name is already in use.' },
  { change: { default_sending_stream: 'x' }, msg: "Invalid channel name 'x'" },
  { change: { default_events_register_stream: 'hers' }, msg: "Invalid channel name 'hers'" },
  {
    change: { default_all_public_streams: 'x' },
    msg: 'default_all_public_streams is not a boolean',
  },
  { change: { bot_owner_id: 'x' }, msg: 'bot_owner_id is not an integer' },
  { change: { bot_owner_id: 999 }, msg: 'Failed to change owner, no such user' },
  { change: { bot_owner_id: 7 }, msg: "Failed to change owner, bots can't own other bots" },
  { change: { bot_owner_id: 6 }, msg: "Failed to change owner, guests can't own bots" },
  { change: { service_payload_url: '"ftp://a"' }, msg: 'service_payload_url is not a URL' },
  { change: { service_interface: 3 }, msg: 'Invalid service_interface' },
  { change: { service_interface: 2 }, msg: 'This bot calls no service.' },
])('a change of a bot is refused and nothing of it is made: $msg', async ({ change, msg }) => {
  const { mel, max, gus, bot } = server.people;
  expect([gus.id, bot.id]).toEqual([6, 7]);
  const subscriptions = [{ name: 'hers' }];
  await server.post(max, '/users/me/subscriptions', { subscriptions, invite_only: true });
  const queue = await server.register(mel, { event_types: ['realm_bot'] });
  const { status, body } = await update(mel, { default_sending_stream: 'general', ...change });
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect(await queue.now()).toEqual([]);
  expect((await server.get(mel, '/bots')).body.bots).toMatchObject([
    { full_name: 'Bee', ...NOTHING },
  ]);
});

test('nobody changes what is no bot, nor the bot of somebody else', async () => {
  const { mel, ada, max } = server.people;
  const refused = { status: 400, body: { result: 'error', code: 'BAD_REQUEST' } };
  for (const id of [mel.id, 999, 'x']) {
    const reply = await server.patch(ada, `/bots/${id}`, { full_name: 'Wasp' });
    const msg = id === 'x' ? 'bot_id is not an integer' : 'No such bot';
    expect(reply).toMatchObject({ ...refused, body: { ...refused.body, msg } });
  }
  expect((await update(max, { full_name: 'Wasp' })).body).toMatchObject({
    ...refused.body,
    msg: 'Insufficient permission',
  });
  expect((await update(bee, { full_name: 'Wasp' })).body.msg).toBe(
    'This endpoint does not accept bot requests.',
  );
});

test('a bot sends to its default channel when it names none, and nobody else does', async () => {
  const { mel } = server.people;
  await update(mel, { default_sending_stream: 'general' });
  const message = { type: 'channel', topic: 'tea', content: 'hi' };
  const { body } = await server.post(bee, '/messages', message);
  const found = (await server.get(mel, `/messages/${body.id}`)).body.message;
  expect(found).toMatchObject({ display_recipient: 'general', subject: 'tea', sender_id: bee.id });
  expect((await server.post(mel, '/messages', message)).body.msg).toBe('Missing channel');
  expect((await server.post(bee, '/messages', { ...message, to: '' })).body.msg).toBe(
    'Missing channel',
  );
  await update(mel, { default_sending_stream: '' });
  expect((await server.post(bee, '/messages', message)).body.msg).toBe('Missing channel');
});

test('the queue of a bot hears what its defaults say, unless it says otherwise', async () => {
  const { mel } = server.people;
  await server.post(mel, '/users/me/subscriptions', { subscriptions: [{ name: 'random' }] });
  await update(mel, { default_all_public_streams: true });
  const types = { event_types: ['message'] };
  const [all, none] = [
    await server.register(bee, types),
    await server.register(bee, { ...types, all_public_streams: false }),
  ];
  await update(mel, { default_events_register_stream: 'general' });
  const [one, other] = [
    await server.register(bee, types),
    await server.register(bee, { ...types, narrow: [['stream', 'random']] }),
  ];
  for (const to of ['general', 'random']) {
    await server.post(mel, '/messages', { type: 'channel', to, topic: 'tea', content: to });
  }
  const heard = await Promise.all(
    [all, none, one, other].map(async (queue) =>
      (await queue.now()).map((event) => (event['message'] as { content: string }).content),
    ),
  );
  expect(heard).toEqual([['general', 'random'], [], ['general'], ['random']]);
});
