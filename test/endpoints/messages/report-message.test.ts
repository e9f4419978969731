import { expect, test } from 'vitest';
import { REPORT_DESCRIPTION_LENGTH_MAX } from '../../../src/domain/limits/messages.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

async function moderated() {
  const server = await startServer({ channels: ['general', 'moderation'] });
  const { body } = await server.get(server.people.ona, '/users/me/subscriptions');
  const channels = body.subscriptions as { name: string; stream_id: number }[];
  const channel = channels.find(({ name }) => name === 'moderation');
  await server.set('moderation_request_channel_id', channel?.stream_id);
  const message = { type: 'channel', to: 'general', topic: 'lunch', content: '@**all** buy this' };
  const sent = await server.post(server.people.max, '/messages', message);
  return { server, id: sent.body.id as number };
}

const newest = async (server: TestServer) => {
  const { body } = await server.get(server.people.mia, '/messages', {
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
    narrow: [['channel', 'moderation']],
    apply_markdown: false,
  });
  return body.messages[0];
};

test('a report tells the moderators who reported whom, why, and what was said', async () => {
  const { server, id } = await moderated();
  const { mel, max } = server.people;
  const reply = await server.post(mel, `/messages/${id}/report`, {
    report_type: 'spam',
    description: 'Third time today',
  });
  expect(reply).toMatchObject({ status: 200, body: { result: 'success' } });
  const told = await newest(server);
  expect(told).toMatchObject({
    subject: 'Max Member moderation',
    sender_full_name: 'Notification Bot',
    flags: [],
  });
  const lines = told.content.split('\n');
  expect(lines[0]).toMatch(
    `@_**Mel Member|${mel.id}** reported a message sent by @_**Max Member|${max.id}** in #**general>lunch@${id}** at <time:2026-01-05T09:00:00.000Z>.`,
  );
  expect(told.content).toContain('```quote\nSpam: Third time today\n```');
  expect(told.content).toContain('```quote\n@**all** buy this\n```');
  expect(told.content).toMatch(/^`{4}spoiler \[Original message\]\(.*\/near\/\d+\)$/m);
});

test('a direct message is reported like any other', async () => {
  const { server } = await moderated();
  const { mel, max } = server.people;
  const to = JSON.stringify([mel.id]);
  const { body } = await server.post(max, '/messages', { type: 'direct', to, content: 'grr' });
  await server.post(mel, `/messages/${body.id}/report`, { report_type: 'harassment' });
  expect((await newest(server)).content).toMatch(/in a direct message.*\n```quote\nHarassment\n/);
});

test.each([
  { report_type: 'spam', said: 'Spam' },
  { report_type: 'harassment', said: 'Harassment' },
  { report_type: 'inappropriate', said: 'Inappropriate content' },
  { report_type: 'norms', said: 'Violates community norms' },
  { report_type: 'other', said: 'Other reason' },
])('a report gives the reason $report_type in words', async ({ report_type, said }) => {
  const { server, id } = await moderated();
  const params = { report_type, description: 'see there' };
  expect((await server.post(server.people.mel, `/messages/${id}/report`, params)).status).toBe(200);
  expect((await newest(server)).content).toContain(`\`\`\`quote\n${said}: see there\n\`\`\``);
});

test('a report that quotes the beginning of a message cuts no character in two', async () => {
  const { server } = await moderated();
  for (const content of ['😀'.repeat(9_000), `a${'😀'.repeat(9_000)}`]) {
    const message = { type: 'channel', to: 'general', topic: 'x', content };
    const { body } = await server.post(server.people.max, '/messages', message);
    const queue = await server.register(server.people.mia, { event_types: ['message'] });
    const spam = { report_type: 'spam' };
    expect((await server.post(server.people.mel, `/messages/${body.id}/report`, spam)).status).toBe(
      200,
    );
    const [event] = await queue.now();
    expect(event?.['message'].content).toContain('😀');
    expect(event?.['message'].content).not.toMatch(/\p{Cs}|\uFFFD/u);
    expect((await newest(server)).content).toBe(event?.['message'].content);
  }
});

test('a report of the longest message fits into one', async () => {
  const { server } = await moderated();
  const message = { type: 'channel', to: 'general', topic: 'x', content: '`'.repeat(10_000) };
  const { body } = await server.post(server.people.max, '/messages', message);
  await server.post(server.people.mel, `/messages/${body.id}/report`, { report_type: 'norms' });
  expect(server.bugs).toEqual([]);
  expect((await newest(server)).content).toMatch(/Violates community norms/);
});

test.each([
  { why: 'no type', params: {}, code: 'REQUEST_VARIABLE_MISSING', msg: /report_type/ },
  { why: 'a type that is none', params: { report_type: 'dull' }, msg: /Invalid report_type/ },
  {
    why: 'a description one character too long',
    params: { report_type: 'spam', description: 'x'.repeat(REPORT_DESCRIPTION_LENGTH_MAX + 1) },
    msg: /description is too long/,
  },
  {
    why: 'nothing said of another reason',
    params: { report_type: 'other', description: '  ' },
    msg: /explanation/,
  },
  {
    why: 'another reason without a word',
    params: { report_type: 'other' },
    msg: /explanation/,
  },
])('a report is refused: $why', async ({ params, msg, code = 'BAD_REQUEST' }) => {
  const { server, id } = await moderated();
  const reply = await server.post(server.people.mel, `/messages/${id}/report`, params);
  expect(reply).toMatchObject({
    status: 400,
    body: { result: 'error', code, msg: expect.stringMatching(msg) },
  });
  expect(await newest(server)).toBeUndefined();
});

test('the longest description is taken', async () => {
  const { server, id } = await moderated();
  const reply = await server.post(server.people.mel, `/messages/${id}/report`, {
    report_type: 'other',
    description: '😀'.repeat(REPORT_DESCRIPTION_LENGTH_MAX),
  });
  expect(reply.status).toBe(200);
});

test('reporting needs a channel to report to, and a message that one may read', async () => {
  const { server, id } = await moderated();
  const { ona, mel } = server.people;
  const to = JSON.stringify([ona.id]);
  const { body } = await server.post(ona, '/messages', { type: 'direct', to, content: 'mine' });
  const reported = (message: number) =>
    server.post(mel, `/messages/${message}/report`, { report_type: 'spam' });
  const invalid = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Invalid message(s)' } };
  expect(await reported(body.id)).toMatchObject(invalid);
  expect(await reported(999)).toMatchObject(invalid);
  await server.set('moderation_request_channel_id', -1);
  expect(await reported(id)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/Moderation request channel/) },
  });
});

test('4: a report is a message like any other', async () => {
  const { server, id } = await moderated();
  await expectExactAfter(server, () =>
    server.post(server.people.mel, `/messages/${id}/report`, { report_type: 'spam' }),
  );
});
