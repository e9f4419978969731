import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import * as topicParticipants from '../../../src/operations/indexes/topic-participants.ts';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import { GENERAL, say } from '../../support/messages/moving.ts';
import { refused } from '../../support/refusals.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const seen = async (server: TestServer, as: Person, id: number) =>
  (await server.get(as, `/messages/${id}`, { apply_markdown: false })).body.message;

test('an edit changes the content, keeps what was before, and tells everyone with their own flags', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await say(server, mel, { content: 'helo' });
  const queues = await Promise.all([mel, max].map((person) => server.register(person, MODERN)));
  await server.advance(5_000);
  const reply = await server.patch(mel, `/messages/${id}`, { content: '*hello*\n\n' });
  expect(reply).toMatchObject({ status: 200, body: { result: 'success', detached_uploads: [] } });

  const event = {
    id: expect.any(Number),
    type: 'update_message',
    user_id: mel.id,
    edit_timestamp: Date.UTC(2026, 0, 5, 9, 0, 5) / 1000,
    message_id: id,
    message_ids: [id],
    rendering_only: false,
    stream_id: GENERAL,
    stream_name: 'general',
    orig_content: 'helo',
    orig_rendered_content: '<p>helo</p>',
    content: '*hello*',
    rendered_content: '<p><em>hello</em></p>',
    is_me_message: false,
  };
  expect(await queues[0]?.now()).toEqual([{ ...event, flags: [] }]);
  expect(await queues[1]?.now()).toEqual([{ ...event, flags: [] }]);
  expect(await seen(server, max, id)).toMatchObject({
    content: '*hello*',
    last_edit_timestamp: event.edit_timestamp,
    edit_history: [
      {
        user_id: mel.id,
        timestamp: event.edit_timestamp,
        prev_content: 'helo',
        prev_rendered_content: '<p>helo</p>',
      },
    ],
  });
  expect(await seen(server, max, id)).not.toHaveProperty('last_moved_timestamp');
});

test('what an edit leaves empty is said to be deleted', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await say(server, mel);
  await server.patch(mel, `/messages/${id}`, { content: ' \n' });
  expect(await seen(server, mel, id)).toMatchObject({ content: '(deleted)' });
});

test('mentions follow the content: whoever is no longer mentioned loses the flag', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, max, gus } = server.people;
  const id = await say(server, ona, { content: '@**Mel Member** hi' });
  await expectExactAfter(server, () =>
    server.patch(ona, `/messages/${id}`, { content: '@**Max Member** hi' }),
  );
  expect((await seen(server, mel, id)).flags).toEqual([]);
  expect((await seen(server, max, id)).flags).toEqual(['mentioned']);
  await expectExactAfter(server, () =>
    server.patch(ona, `/messages/${id}`, { content: '@**all** hi' }),
  );
  expect((await seen(server, max, id)).flags).toEqual([
    'stream_wildcard_mentioned',
    'wildcard_mentioned',
  ]);
  const queue = await server.register(gus, MODERN);
  await server.patch(ona, `/messages/${id}`, { content: '@**all** @**Gus Guest**' });
  expect((await queue.now())[0]).toMatchObject({
    flags: ['mentioned', 'stream_wildcard_mentioned'],
  });
});

test('a message that was edited with the right hash of its content is; with a wrong one it stays', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await say(server, mel, { content: 'héllo' });
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const path = `/messages/${id}`;
  for (const change of [{ content: 'new' }, { topic: 'tea' }]) {
    expect(
      await server.patch(mel, path, { ...change, prev_content_sha256: hash('hello') }),
    ).toMatchObject(refused(/expected value/, 'EXPECTATION_MISMATCH'));
  }
  const upper = hash('héllo').toUpperCase();
  expect(await server.patch(mel, path, { content: 'x', prev_content_sha256: upper })).toMatchObject(
    refused(/expected value/, 'EXPECTATION_MISMATCH'),
  );
  expect(
    await server.patch(mel, path, { content: 'new', prev_content_sha256: hash('héllo') }),
  ).toMatchObject({ status: 200 });
});

test('content is edited by its sender alone, in the time for it and 20 seconds of grace', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const id = await say(server, mel);
  const edit = (as: Person) => server.patch(as, `/messages/${id}`, { content: 'other' });
  expect(await edit(ona)).toMatchObject(refused(/don't have permission to edit/));
  await server.advance(620_000);
  expect(await edit(mel)).toMatchObject({ status: 200 });
  await server.advance(1_000);
  expect(await edit(mel)).toMatchObject(refused(/time limit for editing this message/));
  await server.set('message_content_edit_limit_seconds', null);
  expect(await edit(mel)).toMatchObject({ status: 200 });
  await server.set('allow_message_editing', false);
  expect(await edit(mel)).toMatchObject(refused(/turned off message editing/));
});

test.each([
  { why: 'nothing to change', params: {}, msg: /Nothing to change/ },
  { why: 'the topic it has', params: { topic: 'lunch' }, msg: /Nothing to change/ },
  { why: 'the channel it has', params: { stream_id: GENERAL }, msg: /Nothing to change/ },
  {
    why: 'a mode without a move',
    params: { content: 'x', propagate_mode: 'change_all' },
    msg: /Invalid propagate_mode/,
  },
  {
    why: 'a mode that is none',
    params: { topic: 'tea', propagate_mode: 'change_some' },
    msg: /Invalid propagate_mode/,
  },
  { why: 'a resolved nothing', params: { topic: '✔' }, msg: /General chat cannot be/ },
  {
    why: 'the empty topic resolved',
    params: { topic: '✔ general chat' },
    msg: /General chat cannot be/,
  },
  { why: 'an unprintable topic', params: { topic: 'a\u0007b' }, msg: /Invalid character/ },
  {
    why: 'content with another channel',
    params: { content: 'x', stream_id: 2 },
    msg: /while changing channel/,
  },
  { why: 'a channel that is not there', params: { stream_id: 99 }, msg: /Invalid channel ID/ },
  { why: 'a NUL', params: { content: 'a\0b' }, msg: /null bytes/ },
  {
    why: 'content one character too long',
    params: { content: 'x'.repeat(10_001) },
    msg: /too long/,
  },
  {
    why: 'both names of the topic',
    params: { topic: 'a', subject: 'b' },
    code: 'REQUEST_CONFUSING_VAR',
    msg: /decide/,
  },
])('an edit is refused: $why', async ({ params, msg, code }) => {
  const server = await startServer({ channels: ['general', 'other'] });
  const { mel } = server.people;
  const id = await say(server, mel);
  const before = await seen(server, mel, id);
  expect(await server.patch(mel, `/messages/${id}`, params)).toMatchObject(refused(msg, code));
  expect(await seen(server, mel, id)).toEqual(before);
});

test('a direct message has no topic and no channel, and is edited like any other', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const to = JSON.stringify([max.id]);
  const { body } = await server.post(mel, '/messages', { type: 'direct', to, content: 'psst' });
  const path = `/messages/${body.id}`;
  expect(await server.patch(mel, path, { topic: 'tea' })).toMatchObject(refused(/cannot have/));
  expect(await server.patch(mel, path, { stream_id: GENERAL })).toMatchObject(
    refused(/cannot be moved/),
  );
  expect(await server.patch(max, path, { content: 'x' })).toMatchObject(refused(/permission/));
  const queue = await server.register(max, MODERN);
  await expectExactAfter(server, () => server.patch(mel, path, { content: '@**Max Member**' }));
  const [event] = await queue.now();
  expect(event).toMatchObject({ type: 'update_message', flags: ['mentioned'] });
  expect(event).not.toHaveProperty('stream_id');
});

test('a message that is not there or not for the user is refused alike', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const to = JSON.stringify([ona.id]);
  const { body } = await server.post(ona, '/messages', { type: 'direct', to, content: 'mine' });
  for (const id of [body.id, 99, -5]) {
    expect(await server.patch(mel, `/messages/${id}`, { content: 'x' })).toMatchObject(
      refused('Invalid message'),
    );
  }
});

test('polls and task lists are not edited', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await say(server, mel, { content: '/poll tea?\nyes' });
  expect(await server.patch(mel, `/messages/${id}`, { content: '/poll coffee?' })).toMatchObject(
    refused(/Widgets cannot be edited/),
  );
});

test('wildcards and groups in new content need the permission that sending them needs', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await say(server, mel);
  await server.perform((tx) => {
    const channel = tx.channels.get([GENERAL]);
    if (channel === undefined) throw new Error('no channel');
    tx.channels.put([GENERAL], { ...channel, subscriberCount: 16 });
  });
  expect(await server.patch(mel, `/messages/${id}`, { content: '@**all**' })).toMatchObject(
    refused(/channel wildcard/, 'STREAM_WILDCARD_MENTION_NOT_ALLOWED'),
  );
  await server.set('can_mention_many_users_group', systemGroupId('role:members'));
  expect(await server.patch(mel, `/messages/${id}`, { content: '@**all**' })).toMatchObject({
    status: 200,
  });
  expect(
    await server.patch(mel, `/messages/${id}`, { content: '@*role:administrators*' }),
  ).toMatchObject(refused(/not allowed to mention/));
});

test('a wildcard for a crowded topic in new content needs the permission that sending it needs', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await say(server, mel);
  await server.perform((tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    const message = tx.messages.get([id]) ?? expect.fail('the message is there');
    for (let count = 0; count < 15; count++) {
      const userId = tx.nextId('user');
      tx.users.put([userId], { ...row, id: userId });
      topicParticipants.addReaction(tx, message, userId);
    }
  });
  const edit = () => server.patch(mel, `/messages/${id}`, { content: '@**topic**' });
  expect(await edit()).toMatchObject(
    refused(/topic wildcard/, 'TOPIC_WILDCARD_MENTION_NOT_ALLOWED'),
  );
  expect(await seen(server, mel, id)).toMatchObject({ content: 'hello' });
  await server.set('can_mention_many_users_group', systemGroupId('role:members'));
  expect(await edit()).toMatchObject({ status: 200 });
});

test('the history tells each state, oldest first, as far as the organization shows it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await say(server, mel, { content: 'one two', topic: '' });
  await server.patch(mel, `/messages/${id}`, { content: 'one three' });
  await server.patch(mel, `/messages/${id}`, { topic: 'tea' });
  const history = async () =>
    (await server.get(max, `/messages/${id}/history`)).body.message_history;
  const at = Date.UTC(2026, 0, 5, 9) / 1000;
  const state = { timestamp: at, user_id: mel.id };
  const now = { content: 'one three', rendered_content: '<p>one three</p>' };
  expect(await history()).toEqual([
    { ...state, content: 'one two', rendered_content: '<p>one two</p>', topic: 'general chat' },
    {
      ...state,
      ...now,
      topic: 'general chat',
      prev_content: 'one two',
      prev_rendered_content: '<p>one two</p>',
      content_html_diff:
        '<p>one <span class="highlight_text_deleted">two</span><span class="highlight_text_inserted">three</span></p>',
    },
    { ...state, ...now, topic: 'tea', prev_topic: 'general chat' },
  ]);
  const entries = async () =>
    ((await seen(server, max, id)).edit_history ?? []).map((entry: object) => Object.keys(entry));
  expect(await entries()).toEqual([
    ['user_id', 'timestamp', 'prev_topic', 'topic'],
    ['user_id', 'timestamp', 'prev_content', 'prev_rendered_content'],
  ]);
  await server.set('message_edit_history_visibility_policy', 'moves');
  expect(await entries()).toEqual([['user_id', 'timestamp', 'prev_topic', 'topic']]);
  expect((await history()).map(({ content }: { content: string }) => content)).toEqual([
    'one three',
    'one three',
  ]);
  await server.set('message_edit_history_visibility_policy', 'none');
  expect(await entries()).toEqual([]);
  expect(await server.get(max, `/messages/${id}/history`)).toMatchObject(refused(/disabled/));
});

test('content and topic that one request changes are one entry of the history', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await say(server, mel, { content: 'one', topic: 'tea' });
  await server.patch(mel, `/messages/${id}`, { content: 'two', topic: 'dinner' });
  const at = Date.UTC(2026, 0, 5, 9) / 1000;
  const entry = {
    ...{ user_id: mel.id, timestamp: at },
    ...{ prev_content: 'one', prev_rendered_content: '<p>one</p>' },
    ...{ prev_topic: 'tea', topic: 'dinner' },
  };
  const entries = async () => (await seen(server, max, id)).edit_history;
  const history = async () =>
    (await server.get(max, `/messages/${id}/history`)).body.message_history;
  expect(await entries()).toEqual([entry]);
  expect(await history()).toMatchObject([
    { content: 'one', topic: 'tea' },
    { ...entry, content: 'two' },
  ]);
  await server.set('message_edit_history_visibility_policy', 'moves');
  const { prev_content: _, prev_rendered_content: __, ...move } = entry;
  expect(await entries()).toEqual([move]);
  expect(await history()).toMatchObject([
    { content: 'two', topic: 'tea' },
    { content: 'two', topic: 'dinner', prev_topic: 'tea' },
  ]);
});
