import { expect, test } from 'vitest';
import { basic, type Params } from '../../support/client.ts';
import { MULTIPART, multipart } from '../../support/files/uploads.ts';
import { startServer } from '../../support/start-server.ts';

/**
 * These requests are those of existing clients, in the forms in which they send them
 * (reference/endpoints.md 6). The clients themselves are driven by test/clients, which need
 * packages from registries.
 */

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

test('6: the Python library asks for the settings of the server with credentials, and a bot who it is', async () => {
  const server = await startServer({ env: { CONFAB_ALIAS_PREFIX: 'vendor' } });
  const { bot } = server.people;
  const settings = await server.get(bot, '/server_settings');
  expect(settings.body).toMatchObject({
    result: 'success',
    vendor_version: expect.any(String),
    vendor_feature_level: expect.any(Number),
  });
  const { body } = await server.get(bot, '/users/me');
  expect(body).toMatchObject({ user_id: 7, full_name: 'Test Bot', email: 'bot@example.com' });
});

test('6: the Python library puts parameters of DELETE and PUT into a body, as JSON but for texts', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const send = (method: string, path: string, body: string) =>
    server.request(method, path, { as: mel, headers: FORM, body });
  const kept = await send('PUT', '/bot_storage', 'storage=%7B%22tea%22%3A%22%5C%223%5C%22%22%7D');
  expect(kept.status).toBe(200);
  expect((await server.get(mel, '/bot_storage')).body.storage).toEqual({ tea: '"3"' });
  const left = await send('DELETE', '/users/me/subscriptions', 'subscriptions=%5B%22general%22%5D');
  expect(left.body.removed).toEqual(['general']);
  const again = await send(
    'POST',
    '/users/me/subscriptions',
    'subscriptions=%5B%7B%22name%22%3A%22general%22%7D%5D&announce=false&invite_only=false',
  );
  expect(again.body.subscribed).toEqual({ [mel.id]: ['general'] });
  const sent = await send('POST', '/messages', 'type=stream&to=general&subject=tea&content=hi');
  expect(sent.status).toBe(200);
  const edited = await send(
    'PATCH',
    `/messages/${sent.body.id}`,
    `message_id=${sent.body.id}&content=hello`,
  );
  expect(edited.body.ignored_parameters_unsupported).toEqual(['message_id']);
});

test('6: the JavaScript library posts parts, puts all else into the query, and reads every answer as JSON', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const parts = Object.entries({ type: 'stream', to: 'general', topic: 'tea', content: 'hi' });
  const sent = await server.request('POST', '/messages', {
    as: mel,
    headers: { 'content-type': MULTIPART },
    body: multipart(parts.map(([field, content]) => ({ field, content, filename: null }))),
  });
  expect(sent.status).toBe(200);
  const { id } = sent.body;
  const reaction = `/messages/${id}/reactions?emoji_name=tada`;
  await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'tada' });
  for (const [method, path] of [
    ['PATCH', `/messages/${id}?content=hello`],
    ['DELETE', reaction],
    ['DELETE', '/users/me/subscriptions?subscriptions=%5B%22general%22%5D'],
  ] as const) {
    expect(await server.request(method, path, { as: mel })).toMatchObject({ status: 200 });
  }
  const gone = await server.get(mel, '/realm/filters');
  expect(gone).toMatchObject({ status: 405, body: { result: 'error' } });
  const pointer = await server.get(mel, '/users/me/pointer');
  expect(pointer).toMatchObject({
    status: 404,
    body: { result: 'error', msg: expect.any(String) },
  });
});

test('6: the terminal client registers, fetches from the first unread message and narrows by pairs', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, ona } = server.people;
  const write = (params: Params) => server.post(max, '/messages', params);
  const channel = await write({ type: 'stream', to: 'general', subject: 'tea', content: 'hi' });
  const to = [mel.email, ona.email];
  const group = await write({ type: 'private', to, content: 'psst' });
  const { state } = await server.register(mel, {
    event_types: ['message', 'update_message', 'reaction', 'subscription', 'typing', 'presence'],
    fetch_event_types: ['realm', 'presence', 'subscription', 'message', 'starred_messages', 'realm_user'],
    include_subscribers: 'true',
    client_gravatar: true,
    apply_markdown: true,
  }); // biome-ignore format: as the client has it
  expect(state.subscriptions[0].subscribers).toHaveLength(7);
  const found = async (...narrow: readonly (readonly [string, string])[]) =>
    (
      await server.get(mel, '/messages', {
        narrow,
        num_before: 30,
        num_after: 10,
        apply_markdown: true,
        use_first_unread_anchor: true,
        client_gravatar: true,
        anchor: 0,
      })
    ).body.messages.map(({ id }: { id: number }) => id);
  const both = [channel.body.id, group.body.id];
  expect(await found()).toEqual(both);
  expect(await found(['stream', 'general'])).toEqual([both[0]]);
  expect(await found(['stream', 'general'], ['topic', 'tea'])).toEqual([both[0]]);
  expect(await found(['pm-with', `${max.email}, ${ona.email}`])).toEqual([both[1]]);
  expect(await found(['is', 'private'])).toEqual([both[1]]);
  for (const pair of [['is', 'starred'], ['is', 'mentioned']] as const) {
    expect(await found(pair)).toEqual([]);
  } // biome-ignore format: a table
  const typing = await server.post(mel, '/typing', { to: [max.id], op: 'start' });
  expect(typing.body).toEqual({ result: 'success', msg: '' });
});

test('6: presence without slim_presence is keyed by address', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await server.post(max, '/users/me/presence', { status: 'active', new_user_input: true });
  const ping = { status: 'active', new_user_input: false };
  const { body } = await server.post(mel, '/users/me/presence', ping);
  expect(body.presences[max.email]).toMatchObject({ aggregated: { status: 'active' } });
});

test('6: the mobile client is told of a range with all five flags, and of every refusal as JSON', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const range = {
    anchor: 'first_unread',
    num_before: 0,
    num_after: 5,
    allow_empty_topic_name: true,
  };
  const { body } = await server.get(mel, '/messages', range);
  expect(Object.keys(body).sort()).toEqual([
    'anchor',
    'found_anchor',
    'found_newest',
    'found_oldest',
    'history_limited',
    'messages',
    'msg',
    'result',
  ]);
  const authorization = basic({ ...mel, apiKey: 'x' });
  for (const { path, headers } of [
    { path: '/register', headers: { ...FORM, authorization } },
    { path: '/nowhere', headers: { ...FORM, authorization: basic(mel) } },
    { path: '/fetch_api_key', headers: FORM },
  ]) {
    const reply = await server.request('POST', path, { headers, body: 'x=1' });
    expect(reply.body).toMatchObject({
      result: 'error',
      msg: expect.any(String),
      code: expect.any(String),
    });
  }
});
