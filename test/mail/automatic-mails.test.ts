import type { SendMailOptions } from 'nodemailer';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { replyAddress } from '../../src/operations/notifications/reply-addresses.ts';
import {
  addressAt,
  contentsAt,
  FRIEND,
  MAIL_IN,
  mailed,
  messagesOf,
} from '../support/notifications/incoming-mails.ts';
import { mailsAfter } from '../support/notifications/mail-server.ts';
import { PERIOD, say, whisper } from '../support/notifications/missed-mails.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

const start = () =>
  startServer({ channels: ['general'], env: { ...MAIL_IN, CONFAB_OPERATOR: '127.0.0.1:0' } });

/** Returns the address by which somebody answers a message. */
const replyTo = (server: TestServer, { id: userId }: Person, messageId: number) =>
  server.perform((tx) => {
    const { site } = server.app.realms.at('test.localhost');
    return replyAddress(tx, site, { userId, messageId, now: server.clock.now() });
  });

type Fate = 'taken' | 'dropped' | 'refused';

const report = (type: string) =>
  `From: ${FRIEND}\r\nContent-Type: multipart/report; report-type=${type}; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n`;

const MAILS: readonly (readonly [
  what: string,
  mail: SendMailOptions,
  channel: Fate,
  reply: Fate,
])[] = [
  ['of a person', {}, 'taken', 'taken'],
  ['of a person, in so many words', { headers: { 'Auto-Submitted': 'No' } }, 'taken', 'taken'],
  ['of a program', { headers: { 'Auto-Submitted': 'auto-generated' } }, 'taken', 'refused'],
  ['of a future program', { headers: { 'Auto-Submitted': 'auto-x; a=b' } }, 'taken', 'refused'],
  ['in bulk', { headers: { Precedence: 'bulk' } }, 'taken', 'refused'],
  ['of a list', { headers: { 'List-Id': '<l.example>' } }, 'taken', 'refused'],
  ['of an older list', { headers: { Precedence: 'list' } }, 'taken', 'refused'],
  ['that Exchange marks', { headers: { 'X-Auto-Response-Suppress': 'All' } }, 'taken', 'taken'],
  [
    'about a vacation',
    { headers: { 'Auto-Submitted': 'auto-replied (vacation)' } },
    'dropped',
    'dropped',
  ],
  [
    'about a vacation, by an old program',
    { headers: { 'X-Autoreply': 'yes' } },
    'dropped',
    'dropped',
  ],
  ['that was read', { raw: report('disposition-notification') }, 'dropped', 'dropped'],
  ['that is a bounce with a sender', { raw: report('delivery-status') }, 'refused', 'refused'],
  ['of a confab server', { headers: { 'X-Confab-Mail': '1' } }, 'refused', 'refused'],
  [
    'that has passed a hundred relays',
    { raw: `${'Received: by a relay\r\n'.repeat(100)}From: ${FRIEND}\r\n\r\nx` },
    'refused',
    'refused',
  ],
];

test('mails of programs, lists, answerers and other servers are taken, dropped or refused', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const channel = await addressAt(server, mel, mel.id);
  const reply = await replyTo(server, mel, await say(server, max, { content: 'start' }));
  for (const [what, mail, ...fates] of MAILS) {
    // Each address may have some mails a minute.
    await server.leap(60_000);
    for (const [index, to] of [channel, reply].entries()) {
      const before = (await messagesOf(server, max)).at(-1)?.id;
      const text = `${what} to ${index}`;
      const envelope = { from: FRIEND, to };
      const { code } = await mailed(server, { to, envelope, subject: 'x', text, ...mail });
      const isPosted = (await messagesOf(server, max)).at(-1)?.id !== before;
      const fate = isPosted ? 'taken' : code === 250 ? 'dropped' : 'refused';
      expect([what, index, fate, code]).toEqual([
        what,
        index,
        fates[index],
        fates[index] === 'refused' ? 554 : 250,
      ]);
    }
  }
  expect(await loopsAt(server)).toBe(4);
  expect(server.bugs).toEqual([]);
});

const loopsAt = async ({ app }: TestServer) => {
  const scraped = await (await fetch(`${app.operatorUrl}/metrics`)).text();
  return Number(/^confab_mails_in_total{result="loop"} (\d+)$/m.exec(scraped)?.[1]);
};

test('a mail of one confab server becomes no message of another one', async () => {
  const server = await start();
  const to = await addressAt(server, server.people.mel);
  const env = { CONFAB_SMTP_URL: `smtp://127.0.0.1:${server.app.mailInPort}` };
  const sending = await startServer({ channels: ['general'], env });
  const account = { realm: 'test', email: to, name: 'A Channel' };
  const [line] = await runCommand(sending.app.realms, 'user create', account);
  const { user_id: id } = line as { user_id: number };
  const { max } = sending.people;
  await whisper(sending, max, [{ ...max, id }], 'are you there?');
  await mailsAfter({ server: sending, url: '', received: [] }, PERIOD);
  expect(await loopsAt(server)).toBe(1);
  expect(await contentsAt(server, server.people.mel)).toEqual([]);
});

test('an answer goes where the conversation is now, or its sender is told why not', async () => {
  const server = await start();
  const { mel, max, ona } = server.people;
  const said = (content: string, topic: string) => say(server, max, { content, topic });
  const messageId = await said('start', 'tea');
  const to = await replyTo(server, mel, messageId);
  const answer = (mail: SendMailOptions) =>
    mailed(server, { from: mel.email, to, subject: 'Re: x', ...mail });

  // Somebody else has the address, as a mail that was passed on.
  await answer({ from: `"A. Friend" <${FRIEND}>`, text: 'of a friend' });
  expect((await messagesOf(server, max)).at(-1)).toMatchObject({
    sender_id: mel.id,
    content: `**From:** A. Friend (${FRIEND})\n\nof a friend`,
  });

  await server.patch(ona, `/messages/${messageId}`, {
    topic: 'coffee',
    propagate_mode: 'change_all',
  });
  expect(await answer({ text: 'moved' })).toMatchObject({ code: 250 });
  expect((await messagesOf(server, max)).at(-1)).toMatchObject({
    subject: 'coffee',
    content: 'moved',
  });

  const other = await replyTo(server, mel, await said('start', 'milk'));
  const { body } = await server.get(mel, '/get_stream_id', { stream: 'general' });
  const path = `/streams/${String(body.stream_id)}`;
  await server.post(ona, `${path}/delete_topic`, { topic_name: 'milk' });
  expect(await answer({ to: other, text: 'no topic' })).toMatchObject({
    code: 550,
    text: expect.stringContaining('was deleted'),
  });

  await server.delete(ona, path);
  expect(await answer({ text: 'too late' })).toMatchObject({ code: 554 });

  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'secret' }],
    principals: [ona.id, mel.id],
    invite_only: true,
  });
  const secret = await replyTo(server, mel, await say(server, ona, { to: 'secret', content: 'x' }));
  expect(await answer({ to: secret, text: 'in secret' })).toMatchObject({ code: 250 });
  await server.delete(ona, '/users/me/subscriptions', {
    subscriptions: ['secret'],
    principals: [mel.id],
  });
  expect(await answer({ to: secret, text: 'outside' })).toMatchObject({
    code: 550,
    text: expect.stringContaining('no access'),
  });

  const last = await replyTo(server, mel, await whisper(server, max, [mel]));
  await server.delete(ona, `/users/${mel.id}`);
  expect(await answer({ to: last, text: 'no account' })).toMatchObject({
    code: 550,
    text: expect.stringContaining('deactivated'),
  });
  const contents = (await contentsAt(server, max)).join();
  expect(contents).not.toMatch(/no topic|too late|outside|no account/);
  expect(server.bugs).toEqual([]);
});
