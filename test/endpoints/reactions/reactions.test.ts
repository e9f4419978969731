import { expect, test } from 'vitest';
import { EMOJI_PER_MESSAGE_MAX } from '../../../src/domain/limits/messages.ts';
import { codeToNames } from '../../../src/domain/rules/texts/emoji.ts';
import * as customEmoji from '../../../src/operations/files/custom-emoji.ts';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

async function said(server: TestServer, content = 'hello') {
  const message = { type: 'channel', to: 'general', topic: 'lunch', content };
  const { body } = await server.post(server.people.ona, '/messages', message);
  return body.id as number;
}

const reactionsOf = async (server: TestServer, id: number) =>
  (await server.get(server.people.ona, `/messages/${id}`)).body.message.reactions;

const octopus = { emoji_name: 'octopus', emoji_code: '1f419', reaction_type: 'unicode_emoji' };

const addCustom = (server: TestServer, id: number, isDeactivated = false) =>
  server.perform((tx) =>
    customEmoji.store(tx, {
      id,
      name: 'parrot',
      authorId: 1,
      isDeactivated,
      fileName: 'parrot.png',
      stillFileName: null,
    }),
  );

test('a reaction is in the message, and everyone who sees it hears of it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, gus } = server.people;
  const id = await said(server);
  const queue = await server.register(gus);

  const reply = await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'octopus' });
  expect(reply).toMatchObject({ status: 200, body: { result: 'success', msg: '' } });
  const user = { user_id: mel.id, email: mel.email, full_name: mel.fullName };
  const event = { type: 'reaction', message_id: id, user_id: mel.id, ...octopus, user };
  expect(await queue.now()).toEqual([{ id: expect.any(Number), op: 'add', ...event }]);
  expect(await reactionsOf(server, id)).toEqual([{ ...octopus, user_id: mel.id }]);

  await server.delete(mel, `/messages/${id}/reactions`, { emoji_name: 'octopus' });
  expect(await queue.now()).toEqual([{ id: expect.any(Number), op: 'remove', ...event }]);
  expect(await reactionsOf(server, id)).toEqual([]);
});

test('reactions are listed in the order they came, and each is its own', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, ada } = server.people;
  const id = await said(server);
  await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'tada' });
  await server.post(max, `/messages/${id}/reactions`, { emoji_name: 'octopus' });
  await server.post(ada, `/messages/${id}/reactions`, { emoji_name: 'tada' });
  const order = async () =>
    (await reactionsOf(server, id)).map((one: { user_id: number }) => one.user_id);
  expect(await order()).toEqual([mel.id, max.id, ada.id]);
  await server.delete(mel, `/messages/${id}/reactions`, { emoji_code: '1f389' });
  expect(await order()).toEqual([max.id, ada.id]);
});

test('a custom emoji comes before one of Unicode of the same name', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await addCustom(server, 7);
  const id = await said(server);
  await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'parrot' });
  const custom = { emoji_name: 'parrot', emoji_code: '7', reaction_type: 'realm_emoji' };
  expect(await reactionsOf(server, id)).toEqual([{ ...custom, user_id: mel.id }]);
  await server.post(max, `/messages/${id}/reactions`, {
    emoji_name: 'parrot',
    reaction_type: 'unicode_emoji',
  });
  expect((await reactionsOf(server, id))[1]).toMatchObject({ reaction_type: 'unicode_emoji' });
});

test('the extra emoji is known by its name, and by that of existing clients where there is a prefix', async () => {
  const server = await startServer({
    channels: ['general'],
    env: { CONFAB_ALIAS_PREFIX: 'acme' },
  });
  const { ada, mel, max } = server.people;
  const id = await said(server);
  const reaction_type = 'service_extra_emoji';
  const queue = await server.register(ada, { event_types: ['reaction'] });
  await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'service', reaction_type });
  const extra = { emoji_name: 'acme', emoji_code: 'acme', reaction_type: 'acme_extra_emoji' };
  const reply = await server.post(max, `/messages/${id}/reactions`, extra);
  expect(reply.status).toBe(200);
  // Clients that look for the prefix know no other type.
  expect(await reactionsOf(server, id)).toEqual(
    [mel, max].map(({ id: user_id, email, fullName: full_name }) => ({
      ...extra,
      user_id,
      user: { user_id, email, full_name },
    })),
  );
  expect(await queue.now()).toMatchObject([
    { op: 'add', ...extra, user_id: mel.id },
    { op: 'add', ...extra, user_id: max.id },
  ]);
  for (const person of [mel, max]) {
    const path = `/messages/${id}/reactions`;
    expect((await server.delete(person, path, extra)).status).toBe(200);
  }
  expect(await queue.now()).toMatchObject([
    { op: 'remove', ...extra, user_id: mel.id },
    { op: 'remove', ...extra, user_id: max.id },
  ]);
});

test('whoever joins a reaction takes its name, also when the emoji is called otherwise today', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, ada } = server.people;
  const id = await said(server);
  await addCustom(server, 3);
  await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'parrot' });
  await addCustom(server, 3, true);

  const joining = { emoji_name: 'old_parrot', emoji_code: '3', reaction_type: 'realm_emoji' };
  expect((await server.post(max, `/messages/${id}/reactions`, joining)).status).toBe(200);
  expect((await reactionsOf(server, id))[1]).toEqual({
    ...joining,
    emoji_name: 'parrot',
    user_id: max.id,
  });
  const other = await said(server);
  const fresh = { ...joining, emoji_name: 'parrot' };
  expect(await server.post(ada, `/messages/${other}/reactions`, fresh)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'This custom emoji has been deactivated.' },
  });
});

test('a reaction is joined by its code alone, whatever it is called in an older list', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await said(server);
  const older = { emoji_name: 'sea_monster', emoji_code: '1f419' };
  expect(await server.post(max, `/messages/${id}/reactions`, older)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: "Emoji 'sea_monster' does not exist" },
  });
  await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'octopus' });
  expect((await server.post(max, `/messages/${id}/reactions`, older)).status).toBe(200);
  expect(await reactionsOf(server, id)).toEqual([
    { ...octopus, user_id: mel.id },
    { ...octopus, user_id: max.id },
  ]);
});

test.each([
  { why: 'a name of nothing', params: { emoji_name: 'nothing_at_all' }, msg: /does not exist/ },
  { why: 'no name', params: {}, code: 'REQUEST_VARIABLE_MISSING', msg: /emoji_name/ },
  {
    why: 'a code of nothing',
    params: { emoji_name: 'octopus', emoji_code: 'zzz' },
    msg: 'Invalid emoji code.',
  },
  {
    why: 'a name of another code',
    params: { emoji_name: 'octopus', emoji_code: '1f389' },
    msg: 'Invalid emoji name.',
  },
  {
    why: 'a type that is none',
    params: { emoji_name: 'octopus', reaction_type: 'hand_drawn' },
    msg: 'Invalid emoji type.',
  },
  {
    why: 'a code of the wrong type',
    params: { ...octopus, reaction_type: 'service_extra_emoji' },
    msg: 'Invalid emoji code.',
  },
  {
    why: 'a custom emoji that is none',
    params: { ...octopus, reaction_type: 'realm_emoji' },
    msg: 'Invalid custom emoji.',
  },
])('a reaction is refused: $why', async ({ params, msg, code = 'BAD_REQUEST' }) => {
  const server = await startServer({ channels: ['general'] });
  const id = await said(server);
  const reply = await server.post(server.people.mel, `/messages/${id}/reactions`, params);
  expect(reply).toMatchObject({
    status: 400,
    body: { result: 'error', code, msg: expect.stringMatching(msg) },
  });
  expect(await reactionsOf(server, id)).toEqual([]);
});

test('a message that is not there or not for the user is refused alike', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const to = JSON.stringify([ona.id]);
  const { body } = await server.post(ona, '/messages', { type: 'direct', to, content: 'mine' });
  for (const id of [body.id, 99, -1]) {
    const reply = await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'octopus' });
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: 'Invalid message(s)' },
    });
  }
});

test('reacting twice, and taking back what is not there, are refused', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await said(server);
  const path = `/messages/${id}/reactions`;
  await server.post(mel, path, { emoji_name: 'octopus' });
  expect(await server.post(mel, path, octopus)).toMatchObject({
    status: 400,
    body: { code: 'REACTION_ALREADY_EXISTS', msg: 'Reaction already exists.' },
  });
  expect(await server.delete(mel, path, { emoji_name: 'tada' })).toMatchObject({
    status: 400,
    body: { code: 'REACTION_DOES_NOT_EXIST', msg: "Reaction doesn't exist." },
  });
  expect(await server.delete(mel, path, {})).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/At least one/) },
  });
});

test(`a message has at most ${EMOJI_PER_MESSAGE_MAX} different reactions, each by as many as like`, async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await said(server);
  const names = Object.values(codeToNames()).map(([name]) => name ?? '');
  const react = (name: string | undefined) =>
    server.post(mel, `/messages/${id}/reactions`, { emoji_name: name });
  for (const name of names.slice(0, EMOJI_PER_MESSAGE_MAX)) {
    expect((await react(name)).status).toBe(200);
  }
  expect(await react(names[EMOJI_PER_MESSAGE_MAX])).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/at most 100/) },
  });
  const joining = await server.post(max, `/messages/${id}/reactions`, { emoji_name: names[0] });
  expect(joining.status).toBe(200);
});

test('who reacts to what they never received keeps a copy, and hears of its reactions from then on', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  const id = await said(server);
  const queue = await server.register(mel, MODERN);
  await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'octopus' });
  await server.post(max, `/messages/${id}/reactions`, { emoji_name: 'octopus' });
  const heard = (await queue.now()).filter(({ type }) => type === 'reaction');
  expect(heard.map(({ user_id }) => user_id)).toEqual([mel.id, max.id]);
  const { body } = await server.get(mel, `/messages/${id}`);
  expect(body.message.flags).toEqual(['read', 'historical']);
});

test('reacting is participating: it may follow the topic', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await said(server);
  await server.perform((tx) => {
    const user = tx.users.get([mel.id]);
    if (user === undefined) throw new Error('no user');
    const settings = { ...user.settings, automatically_follow_topics_policy: 1 as const };
    tx.users.put([mel.id], { ...user, settings });
  });
  const queue = await server.register(mel, MODERN);
  await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'octopus' });
  expect((await queue.now()).find(({ type }) => type === 'user_topic')).toMatchObject({
    topic_name: 'lunch',
    visibility_policy: 3,
  });
});

test('4: reactions change no snapshot but by their events', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, ona } = server.people;
  const id = await said(server);
  const to = JSON.stringify([mel.id]);
  const { body } = await server.post(ona, '/messages', { type: 'direct', to, content: 'psst' });
  await expectExactAfter(server, async () => {
    for (const each of [id, body.id]) {
      await server.post(mel, `/messages/${each}/reactions`, { emoji_name: 'octopus' });
      await server.delete(mel, `/messages/${each}/reactions`, { emoji_name: 'octopus' });
    }
  });
});
