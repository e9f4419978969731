import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { mailsAfter, withMailServer } from '../../support/notifications/mail-server.ts';
import { openPage } from '../../support/pages/page.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const ZOE = { full_name: 'Zoe New', email: 'zoe@example.com', password: 'correct horse' };

const makeAccount = (server: TestServer) => server.post(server.people.ona, '/users', ZOE);

async function acceptInvitation(server: TestServer, invite_as = 400) {
  const { body } = await server.post(server.people.ona, '/invites/multiuse', { invite_as });
  return openPage(body.invite_link, { method: 'POST', form: ZOE });
}

const contentsIn = (server: TestServer) =>
  server.perform((tx) =>
    Array.from(tx.messages.range({}), ([, { channelId, topic, content }]) => [
      channelId,
      topic,
      content,
    ]),
  );

test.each([
  { way: 'an administrator made', join: makeAccount, as: '' },
  { way: 'somebody invited', join: acceptInvitation, as: '' },
  {
    way: 'somebody invited as a guest',
    join: (server: TestServer) => acceptInvitation(server, 600),
    as: ' as a guest',
  },
])('that somebody joined is said in the channel for it, of whom $way', async ({ join, as }) => {
  const server = await startServer({ channels: ['general', 'doors'] });
  await server.set('signup_announcements_stream_id', 2);
  const queue = await server.register(server.people.mel, {
    event_types: ['message'],
    apply_markdown: true,
  });
  expect((await join(server)).status).toBe(200);
  const [event] = await queue.next();
  expect(event).toMatchObject({
    flags: [],
    message: {
      type: 'stream',
      stream_id: 2,
      subject: 'signups',
      sender_full_name: 'Notification Bot',
      content: `<p><span class="user-mention silent" data-user-id="8">Zoe New</span> joined this organization${as}.</p>`,
    },
  });
  expect(await contentsIn(server)).toEqual([
    [2, 'signups', `@_**Zoe New|8** joined this organization${as}.`],
  ]);
});

test('4: a snapshot and the events of somebody who is announced give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  await server.set('signup_announcements_stream_id', 1);
  await expectExactAfter(server, async () => {
    expect((await acceptInvitation(server, 600)).status).toBe(200);
  });
});

test('a channel without topics has it where everything is said', async () => {
  const server = await startServer({ channels: ['general'] });
  await server.set('signup_announcements_stream_id', 1);
  await server.set('send_channel_events_messages', false);
  await server.patch(server.people.ona, '/streams/1', { topics_policy: 'empty_topic_only' });
  await makeAccount(server);
  expect(await contentsIn(server)).toEqual([[1, '', '@_**Zoe New|8** joined this organization.']]);
});

test('nothing is said of bots and imports, of who could not join, nor in no channel and an archived one', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona } = server.people;
  await makeAccount(server);
  await server.set('signup_announcements_stream_id', 1);
  expect((await makeAccount(server)).status).toBe(400);
  expect((await server.post(ona, '/bots', { full_name: 'Pot', short_name: 'pot' })).status).toBe(
    200,
  );
  await runCommand(server.app.realms, 'users import', {
    realm: 'test',
    users: [{ full_name: 'Ivy Import', email: 'ivy@example.com' }],
  });
  await server.set('send_channel_events_messages', false);
  await server.delete(ona, '/streams/1');
  await server.post(ona, '/users', { ...ZOE, email: 'late@example.com' });
  expect(await contentsIn(server)).toEqual([]);
});

test('whoever joins is mailed where the organization is and which address is theirs', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  await acceptInvitation(server);
  const [mail, ...others] = await mailsAfter(mailing);
  expect(others).toEqual([]);
  expect(mail).toMatchObject({
    to: ZOE.email,
    headers: {
      subject: 'Welcome to test',
      from: expect.stringContaining('noreply@test.localhost'),
    },
  });
  expect(mail?.text).toContain('http://test.localhost');
  expect(mail?.text).toContain('Hi Zoe New,');
  expect(mail?.text).toContain('the address zoe@example.com.');
  expect(mail?.text).not.toContain(ZOE.password);
});

test('no such mail is sent where the organization wants none', async () => {
  const mailing = await withMailServer();
  await mailing.server.set('send_welcome_emails', false);
  await acceptInvitation(mailing.server);
  await makeAccount(mailing.server);
  expect(await mailsAfter(mailing)).toEqual([]);
});
