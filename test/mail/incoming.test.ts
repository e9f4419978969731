import { connect } from 'node:net';
import type { SendMailOptions } from 'nodemailer';
import { expect, test } from 'vitest';
import {
  channelAddress,
  FRIEND,
  MAIL_IN,
  mailed,
  messagesOf,
} from '../support/notifications/incoming-mails.ts';
import { mailsAfter, startMailServer } from '../support/notifications/mail-server.ts';
import { PERIOD, whisper } from '../support/notifications/missed-mails.ts';
import { startServer } from '../support/start-server.ts';

const start = (env = {}) => startServer({ channels: ['general'], env: { ...MAIL_IN, ...env } });

test('a mail to the address of a channel becomes a message with its subject as the topic', async () => {
  const server = await start();
  const { mel } = server.people;
  const to = await channelAddress(server, mel);
  const text = 'Tea is ready, @**all**.\n\n-- \nA. Friend\n';
  const outcome = await mailed(server, {
    from: `"A. Friend" <${FRIEND}>`,
    to,
    subject: 'Tea',
    text,
  });
  expect(outcome).toMatchObject({ code: 250 });
  const [message, ...others] = (await messagesOf(server, mel)).slice(-1);
  expect(others).toEqual([]);
  expect(message).toMatchObject({
    subject: 'Tea',
    content: `**From:** A. Friend (${FRIEND})\n\nTea is ready, @**all**.`,
  });
  expect(server.bugs).toEqual([]);
});

test('a mail from one of the own address is of the user, and HTML becomes Markdown', async () => {
  const server = await start();
  const { mel } = server.people;
  const to = await channelAddress(server, mel, mel.id);
  const html =
    '<style>p{}</style><p>See <b>this</b> <a href="https://a.example/x">page</a></p><blockquote>old</blockquote>';
  const attachments = [{ filename: 'plan*.txt', content: 'a plan' }];
  expect(await mailed(server, { to, subject: 'Plan', html, attachments })).toMatchObject({
    code: 250,
  });
  const [, path] =
    /^See \*\*this\*\* \[page\]\(https:\/\/a\.example\/x\)\n\nAttached files:\n\n- \[plan \.txt\]\((\/user_uploads\/\S+)\)$/.exec(
      (await messagesOf(server, mel)).at(-1)?.content ?? '',
    ) ?? [];
  expect(path).toMatch(/\/plan\.txt$/);
  expect((await messagesOf(server, mel)).at(-1)).toMatchObject({ sender_id: mel.id });
});

test('a mail without an author is of the sender by its envelope', async () => {
  const server = await start();
  const { mel } = server.people;
  const to = await channelAddress(server, mel);
  const raw = (type: string, body: string) =>
    `Subject: Door\r\nContent-Type: ${type}\r\n\r\n${body}`;
  const envelope = { from: 'Door@Elsewhere.example', to };
  const shown = async (mail: string) => {
    expect(await mailed(server, { raw: mail, envelope })).toMatchObject({ code: 250 });
    return (await messagesOf(server, mel)).at(-1)?.content;
  };
  const by = '**From:** door@elsewhere.example\n\n';
  expect(await shown(raw('text/plain', 'open'))).toBe(`${by}open`);
  expect(await shown(raw('text/calendar', 'BEGIN:VCALENDAR'))).toMatch(
    `${by}(no text)\n\nAttached files:`,
  );
});

test('a mail that comes again is one message, also after a restart', async () => {
  const server = await start();
  const { mel } = server.people;
  const to = await channelAddress(server, mel);
  const mail = { to, subject: 'Once', text: 'once', messageId: '<1@elsewhere.example>' };
  const first = await mailed(server, mail);
  expect(first.code).toBe(250);
  await server.restart();
  expect(await mailed(server, mail)).toEqual(first);
  expect(
    (await messagesOf(server, mel)).filter(({ content }) => content.includes('once')),
  ).toHaveLength(1);
});

test('an answer to a mail about missed messages goes into the conversation, as its reader', async () => {
  const mailServer = await startMailServer();
  const server = await start({ CONFAB_SMTP_URL: mailServer.url });
  const mailing = { ...mailServer, server };
  const { mel, max } = server.people;
  await whisper(server, max, [mel], 'are you there?');
  const [missed] = await mailsAfter(mailing, PERIOD);
  const to = missed?.headers['reply-to'] ?? '';
  expect(to).toMatch(/^reply\.\d+\.\d+\.\d+\.[0-9a-f]{26}@test\.localhost$/);
  const text = 'Yes!\n\nOn Monday Max Member wrote:\n> are you there?\n';
  expect(await mailed(server, { from: mel.email, to, subject: 'Re: it', text })).toMatchObject({
    code: 250,
  });
  expect((await messagesOf(server, max)).at(-1)).toMatchObject({
    sender_id: mel.id,
    content: 'Yes!',
  });

  const forged = to.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'));
  expect(await mailed(server, { to: forged, subject: '', text: 'x' })).toMatchObject({ code: 550 });
  await server.leap(31 * 86_400_000);
  expect(await mailed(server, { to, subject: '', text: 'late' })).toMatchObject({ code: 550 });
  expect((await messagesOf(server, max)).at(-1)).toMatchObject({ content: 'Yes!' });
});

test('an address ends with the account of its user', async () => {
  const server = await start();
  const { mel, ona } = server.people;
  const to = await channelAddress(server, mel);
  await server.delete(ona, `/users/${mel.id}`);
  expect(await mailed(server, { to, subject: 'x', text: 'x' })).toMatchObject({ code: 550 });
});

test('mails to nobody, bounces, and relays that are not known are refused', async () => {
  const server = await start();
  const to = await channelAddress(server, server.people.mel);
  const refused = (mail: SendMailOptions) => mailed(server, { subject: 'x', text: 'x', ...mail });
  expect(await refused({ to: 'mel@test.localhost' })).toMatchObject({ code: 550 });
  expect(await refused({ to: to.replace('test.', 'other.') })).toMatchObject({ code: 550 });
  expect(await refused({ envelope: { from: '', to } })).toMatchObject({ code: 550 });
  const strict = await start({ CONFAB_MAIL_IN_RELAYS: '192.0.2.1' });
  expect(await mailed(strict, { to, subject: 'x', text: 'x' })).toMatchObject({ code: 554 });
  expect([...server.bugs, ...strict.bugs]).toEqual([]);
});

test.each<[string, string, number]>([
  ['nesting', nested(200), 554],
  ['huge headers', `Subject: x\r\n${'X-Long: abcdefghijklmnop\r\n'.repeat(20_000)}\r\nx`, 554],
  ['a charset that does not exist', 'Content-Type: text/plain; charset=nothing-8\r\n\r\nhi', 250],
  ['base64 that is none', 'Content-Transfer-Encoding: base64\r\n\r\n====!!!!', 554],
  ['no headers', '\r\nhello', 250],
])('a mail with %s does no harm', async (_, raw, code) => {
  const server = await start();
  const { mel } = server.people;
  const to = await channelAddress(server, mel);
  const envelope = { from: FRIEND, to };
  expect(await mailed(server, { raw, envelope })).toMatchObject({ code });
  expect(await mailed(server, { to, subject: 'after', text: 'still here' })).toMatchObject({
    code: 250,
  });
  expect(server.bugs).toEqual([]);
});

test('a sender who mails too much is told to wait', async () => {
  const server = await start();
  const to = await channelAddress(server, server.people.mel);
  const codes: number[] = [];
  for (let count = 0; count < 31; count += 1) {
    codes.push((await mailed(server, { to, subject: 'x', text: String(count) })).code);
  }
  expect(codes.filter((code) => code === 250)).toHaveLength(30);
  expect(codes.at(-1)).toBe(451);
});

test('connections have a bound, and the server answers requests meanwhile', async () => {
  const server = await start();
  const port = server.app.mailInPort ?? 0;
  const sockets = Array.from({ length: 150 }, () => connect(port, '127.0.0.1'));
  const greetings = await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data)))),
    ),
  );
  expect(greetings.filter((line) => line.startsWith('220'))).toHaveLength(100);
  expect(greetings.filter((line) => line.startsWith('421'))).toHaveLength(50);
  expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

function nested(depth: number): string {
  let text = '';
  for (let level = 0; level < depth; level += 1) {
    text += `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`;
  }
  return `${text}\r\nhi`;
}
