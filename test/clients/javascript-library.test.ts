import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { temporaryFolder } from '../support/scratch.ts';
import { type ClientProcess, type Line, startClient } from './client-process.ts';
import { untilHeard } from './listening.ts';
import { type Served, sendTo, serveClients } from './served.ts';

test('the JavaScript library logs in with a password and reads the organization', async () => {
  const server = await serveClients();
  const { email } = server.person('mel');
  const client = startLibrary({
    username: email,
    password: server.password('mel'),
    realm: server.url,
  });

  expect(await client.call('users.me.getProfile')).toMatchObject({
    result: 'success',
    email,
    user_id: server.person('mel').id,
  });
  const { members } = await client.call('users.retrieve');
  expect(members.map((member: Line) => member['full_name'])).toContain('Ada Administrator');
  const { streams } = await client.call('streams.retrieve');
  expect(streams.map((channel: Line) => channel['name'])).toEqual(['general', 'random']);
  expect(await client.call('streams.getStreamId', 'random')).toMatchObject({ stream_id: 2 });
  const { subscriptions } = await client.call('streams.subscriptions.retrieve');
  expect(subscriptions.map((channel: Line) => channel['name'])).toEqual(['general', 'random']);
  expect(await client.call('users.me.alertWords.retrieve')).toMatchObject({ alert_words: [] });
  expect(await client.call('server.settings')).toMatchObject({ realm_name: 'Demo' });
});

test('the JavaScript library subscribes, sends, edits, reacts and marks as read, and hears all of it', async () => {
  const server = await serveClients();
  const mel = startLibrary(credentials(server, 'mel'));
  const ada = startLibrary(credentials(server, 'ada'));
  for (const client of [mel, ada]) {
    const added = await client.call('users.me.subscriptions.add', {
      subscriptions: JSON.stringify([{ name: 'beans' }]),
    });
    expect(added).toMatchObject({ result: 'success' });
  }
  await listen(server, mel, ['message', 'update_message', 'reaction', 'update_message_flags']);

  const { id } = await ada.call('messages.send', {
    type: 'stream',
    to: 'beans',
    topic: 'coffee',
    content: 'Freshly *ground*',
  });
  expect(await heard(mel, 'message', (event) => event['message'].id === id)).toMatchObject({
    flags: [],
    message: { subject: 'coffee', content: 'Freshly *ground*', display_recipient: 'beans' },
  });
  const edited = { message_id: id, content: 'Freshly roasted' };
  expect(await ada.call('messages.update', edited)).toMatchObject({ result: 'success' });
  expect(await heard(mel, 'update_message')).toMatchObject({ content: 'Freshly roasted' });
  await ada.call('reactions.add', { message_id: id, emoji_name: 'coffee' });
  expect(await heard(mel, 'reaction')).toMatchObject({ op: 'add', emoji_name: 'coffee' });
  await ada.call('reactions.remove', { message_id: id, emoji_name: 'coffee' });
  expect(await heard(mel, 'reaction', ({ op }) => op === 'remove')).toMatchObject({
    emoji_name: 'coffee',
  });
  await mel.call('messages.flags.add', { messages: [id], flag: 'read' });
  expect(await heard(mel, 'update_message_flags')).toMatchObject({ flag: 'read', messages: [id] });

  const found = await mel.call('messages.retrieve', {
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
    narrow: [{ operator: 'stream', operand: 'beans' }],
  });
  expect(found['messages']).toMatchObject([
    { id, content: '<p>Freshly roasted</p>', flags: ['read'] },
  ]);
  const history = await mel.call('messages.getHistoryById', { message_id: id });
  expect(history['message_history']).toHaveLength(2);
  expect(await ada.call('messages.deleteById', { message_id: id })).toMatchObject({
    result: 'success',
  });
});

test('the JavaScript library writes to people, and tells them that it does', async () => {
  const server = await serveClients();
  const mel = startLibrary(credentials(server, 'mel'));
  const ada = startLibrary(credentials(server, 'ada'));
  await listen(server, mel, ['message', 'typing']);
  const to = [server.person('mel').id];
  expect(await ada.call('typing.send', { to, op: 'start' })).toMatchObject({ result: 'success' });
  expect(await heard(mel, 'typing')).toMatchObject({ op: 'start' });
  const { id } = await ada.call('messages.send', { type: 'direct', to, content: 'psst' });
  expect(await heard(mel, 'message', (event) => event['message'].id === id)).toMatchObject({
    message: { type: 'private', content: 'psst' },
  });
});

test('the JavaScript library uploads a file, and somebody else fetches it', async () => {
  const server = await serveClients();
  const mel = startLibrary(credentials(server, 'mel'));
  const file = join(temporaryFolder(), 'notes.txt');
  writeFileSync(file, 'Beans, milk, sugar');
  const uploaded = await mel.call('uploadFile', file);
  expect(uploaded).toMatchObject({ result: 'success', filename: 'notes.txt' });
  await mel.call('messages.send', {
    type: 'stream',
    to: 'general',
    topic: 'shopping',
    content: `[notes.txt](${uploaded['url']})`,
  });

  const max = startLibrary(credentials(server, 'max'));
  const link = await max.call('callEndpoint', uploaded['url'], 'GET');
  const fetched = await fetch(new URL(link['url'], server.url));
  expect(fetched.status).toBe(200);
  expect(await fetched.text()).toBe('Beans, milk, sugar');
});

test('the JavaScript library goes on listening when the server was killed, and when it was stopped', async () => {
  const server = await serveClients();
  const mel = startLibrary(credentials(server, 'mel'));
  await listen(server, mel, ['message']);

  await server.kill();

  for (const content of ['after', 'last']) {
    if (content === 'last') await server.restart();
    const id = await sendTo(server, 'ada', { topic: 'restarts', content });
    await heard(mel, 'message', (event) => event['message'].id === id);
  }
  const contents = mel.heard.map(({ event }) => event.message?.content);
  expect(contents.slice(contents.indexOf('after'))).toEqual(['after', 'last']);
});

test('the JavaScript library throws what the server refuses as an answer, not as text', async () => {
  const server = await serveClients();
  const mel = startLibrary(credentials(server, 'mel'));
  const message = { type: 'stream', to: 'nowhere', topic: 'x', content: 'Hello' };
  expect(await mel.call('messages.send', message)).toMatchObject({
    result: 'error',
    code: 'STREAM_DOES_NOT_EXIST',
  });
  expect(await mel.call('callEndpoint', '/nothing/here')).toMatchObject({ result: 'error' });
});

function startLibrary(config: Line): ClientProcess {
  const script = join(import.meta.dirname, 'javascript-library.mjs');
  const folder = inject('javascriptClients');
  return startClient(process.execPath, [script, folder, JSON.stringify(config)]);
}

const credentials = (server: Served, name: string) => ({
  username: server.person(name).email,
  apiKey: server.person(name).apiKey,
  realm: server.url,
});

async function listen(server: Served, client: ClientProcess, eventTypes: readonly string[]) {
  await client.call('listen', eventTypes);
  await untilHeard(
    (attempt) =>
      sendTo(server, 'ada', { topic: 'listening', content: `Do you hear? (${attempt})` }),
    heard(client, 'message'),
  );
}

async function heard(
  client: ClientProcess,
  type: string,
  isWanted: (event: Line) => boolean = () => true,
): Promise<Line> {
  const line = await client.hear(({ event }) => event?.type === type && isWanted(event));
  return line['event'];
}
