import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { run } from '../support/processes/run.ts';
import { temporaryFolder } from '../support/scratch.ts';
import type { ClientProcess, Line } from './client-process.ts';
import { heard, heardContent, listen, pythonProgram, startLibrary } from './python-client.ts';
import { sendTo, serveClients } from './served.ts';

const hasPython = inject('pythonClients') !== null;

describe.runIf(hasPython)('the Python library', () => {
  test('reads the organization', async () => {
    const server = await serveClients();
    const client = startLibrary(server, 'mel');

    expect(await client.call('get_profile')).toMatchObject({
      result: 'success',
      email: server.person('mel').email,
      full_name: 'Mel Member',
      user_id: server.person('mel').id,
    });
    const { members } = await client.call('get_users');
    expect(members.map((member: Line) => member['full_name'])).toContain('Ada Administrator');
    const { streams } = await client.call('get_streams');
    expect(streams.map((channel: Line) => channel['name'])).toEqual(['general', 'random']);
    expect(await client.call('get_stream_id', 'random')).toMatchObject({ stream_id: 2 });
    expect(await client.call('get_realm_linkifiers')).toMatchObject({ linkifiers: [] });
    expect(await client.call('get_realm_profile_fields')).toMatchObject({ custom_fields: [] });
    const { user_groups } = await client.call('get_user_groups');
    expect(user_groups.map((group: Line) => group['name'])).toContain('role:members');
  });

  test('subscribes, sends, edits, reacts and marks as read, and hears all of it', async () => {
    const server = await serveClients();
    const mel = startLibrary(server, 'mel');
    const ada = startLibrary(server, 'ada');
    expect(await mel.call('add_subscriptions', [{ name: 'snakes' }])).toMatchObject({
      result: 'success',
      subscribed: { [server.person('mel').id]: ['snakes'] },
    });
    expect(await ada.call('add_subscriptions', [{ name: 'snakes' }])).toMatchObject({
      result: 'success',
    });
    await listen(mel, ['message', 'update_message', 'reaction', 'update_message_flags']);

    const { id } = await ada.call('send_message', {
      type: 'stream',
      to: 'snakes',
      topic: 'food',
      content: 'They eat *mice*',
    });
    expect(await heard(mel, 'message')).toMatchObject({
      flags: [],
      message: {
        id,
        subject: 'food',
        content: 'They eat *mice*',
        sender_full_name: expect.any(String),
      },
    });
    await ada.call('update_message', { message_id: id, content: 'They eat rats' });
    expect(await heard(mel, 'update_message')).toMatchObject({
      message_id: id,
      content: 'They eat rats',
    });
    await ada.call('add_reaction', { message_id: id, emoji_name: 'snake' });
    expect(await heard(mel, 'reaction')).toMatchObject({
      message_id: id,
      op: 'add',
      emoji_name: 'snake',
      emoji_code: '1f40d',
      user_id: server.person('ada').id,
    });
    const read = { messages: [id], op: 'add', flag: 'read' };
    expect(await mel.call('update_message_flags', read)).toMatchObject({ messages: [id] });
    expect(await heard(mel, 'update_message_flags')).toMatchObject({
      flag: 'read',
      messages: [id],
    });

    const found = await mel.call('get_messages', {
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
      narrow: [
        { operator: 'channel', operand: 'snakes' },
        { operator: 'topic', operand: 'food' },
      ],
      apply_markdown: false,
    });
    expect(found['messages']).toMatchObject([
      { id, content: 'They eat rats', flags: ['read'], reactions: [{ emoji_name: 'snake' }] },
    ]);
  });

  test('writes to people, and tells them that it does', async () => {
    const server = await serveClients();
    const mel = startLibrary(server, 'mel');
    const ada = startLibrary(server, 'ada');
    await listen(mel, ['message', 'typing']);
    await ada.call('set_typing_status', { op: 'start', to: [server.person('mel').id] });
    expect(await heard(mel, 'typing')).toMatchObject({
      op: 'start',
      sender: { user_id: server.person('ada').id },
    });
    const { id } = await ada.call('send_message', {
      type: 'private',
      to: [server.person('mel').email],
      content: 'psst',
    });
    expect(await heard(mel, 'message')).toMatchObject({
      message: { id, type: 'private', content: 'psst', sender_email: server.person('ada').email },
    });
  });

  test('uploads a file, and somebody else fetches it', async () => {
    const server = await serveClients();
    const mel = startLibrary(server, 'mel');
    const file = join(temporaryFolder(), 'plän.txt');
    writeFileSync(file, 'First the eggs');
    const uploaded = await mel.call('upload_file', file);
    expect(uploaded).toMatchObject({ result: 'success', filename: 'plän.txt' });
    await mel.call('send_message', {
      type: 'stream',
      to: 'general',
      topic: 'plans',
      content: `[The plan](${uploaded['url']})`,
    });
    const { attachments } = await mel.call('get_attachments');
    expect(attachments).toMatchObject([{ name: 'plän.txt', size: 14, messages: [{}] }]);

    const max = startLibrary(server, 'max');
    const link = await max.call('get', uploaded['url'].slice(1));
    const fetched = await fetch(new URL(link['url'], server.url));
    expect(fetched.status).toBe(200);
    expect(await fetched.text()).toBe('First the eggs');
  });

  test('goes on listening when the server was killed, and when it was stopped', async () => {
    const server = await serveClients();
    const mel = startLibrary(server, 'mel');
    await listen(mel, ['message']);
    await sendTo(server, 'ada', { topic: 'restarts', content: 'before' });
    await heardContent(mel, 'before');

    await server.kill();

    await sendTo(server, 'ada', { topic: 'restarts', content: 'after' });
    await heardContent(mel, 'after');
    await server.restart();
    await sendTo(server, 'ada', { topic: 'restarts', content: 'last' });
    await heardContent(mel, 'last');
    expect(contents(mel)).toEqual(['before', 'after', 'last']);
  });

  test('registers again when its queue is gone', async () => {
    const server = await serveClients();
    const backup = await server.backUp();
    const mel = startLibrary(server, 'mel');
    await listen(mel, ['message']);
    const registered = mel.heard.length;

    await server.restore(backup);

    await mel.hear(({ event }) => event?.type === 'registered', registered);
    await sendTo(server, 'ada', { topic: 'restarts', content: 'A new day' });
    await heardContent(mel, 'A new day');
  });
});

describe.runIf(hasPython)('the command line of the Python library', () => {
  test('sends to a channel and to people, reads, edits, deletes, reacts and marks as read', async () => {
    const server = await serveClients();
    const queue = await server.register(server.person('ada'), { event_types: ['message'] });
    const file = server.credentialsFile('mel');
    const send = (...words: string[]) =>
      run(pythonProgram('zulip-send'), ['--config-file', file, ...words]);

    const toChannel = ['--stream', 'general', '--subject', 'from a shell', '-m', 'Hello'];
    expect(await send(...toChannel)).toMatchObject({ code: 0 });
    expect(await queue.next()).toMatchObject([
      { message: { type: 'stream', subject: 'from a shell', content: 'Hello' } },
    ]);
    expect(await send(server.person('ada').email, '-m', 'Hello you')).toMatchObject({ code: 0 });
    expect(await queue.next()).toMatchObject([
      { message: { type: 'private', content: 'Hello you' } },
    ]);

    const home = temporaryFolder();
    copyFileSync(file, join(home, 'zuliprc'));
    const api = (...words: string[]) => run(pythonProgram('zulip-api'), words, { HOME: home });
    const { id } = await server
      .post(server.person('ada'), '/messages', { ...GREETING, to: [server.person('mel').id] })
      .then(({ body }) => body);
    expect(await api('add-reaction', String(id), 'wave')).toMatchObject({ code: 0 });
    expect(await api('mark-all-as-read')).toMatchObject({ code: 0 });
    expect(await api('get-subscriptions')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("'name': 'random'"),
    });
    const { body } = await server.get(server.person('mel'), `/messages/${id}`);
    expect(body.message).toMatchObject({
      flags: ['read'],
      reactions: [{ emoji_name: 'wave', user_id: server.person('mel').id }],
    });

    const own = await sendTo(server, 'mel', { topic: 'drafts', content: 'First' });
    expect(await queue.next()).toMatchObject([{ message: { id } }, { message: { id: own } }]);
    expect(await api('update-message', String(own), '-m', 'Second')).toMatchObject({ code: 0 });
    expect(await api('get-message-history', String(own))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/First[\s\S]*Second/),
    });
    expect(await api('delete-message', String(own))).toMatchObject({ code: 0 });
    expect(await server.get(server.person('mel'), `/messages/${own}`)).toMatchObject({
      status: 400,
    });

    expect(await send('--stream', 'nowhere', '--subject', 'x', '-m', 'Hello')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Channel 'nowhere' does not exist"),
    });
  });
});

const GREETING = { type: 'direct', content: 'Hello to you' };

const contents = (client: ClientProcess) =>
  client.heard.flatMap(({ event }) => (event?.type === 'message' ? [event.message.content] : []));
