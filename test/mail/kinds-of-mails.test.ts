import { expect, test } from 'vitest';
import {
  addressAt,
  FRIEND,
  MAIL_IN,
  mailed,
  messagesOf,
  type Shown,
} from '../support/notifications/incoming-mails.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

interface Kind {
  readonly what: string;
  /** The headers, without `From` and `Subject` if they do not say so. */
  readonly headers?: string;
  readonly body?: string | Buffer;
  readonly topic?: string;
  readonly content: string | RegExp;
}

const part = (headers: string, body: string) => `--b\r\n${headers}\r\n\r\n${body}\r\n`;
const parts = (type: string, ...all: readonly string[]) => ({
  headers: `Content-Type: ${type}; boundary=b`,
  body: `${all.join('')}--b--\r\n`,
});
const TEXT = part('Content-Type: text/plain', 'hello');
const EVENT = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR';
const FORWARDED =
  '---------- Forwarded message ---------\r\nFrom: Bob <bob@x.example>\r\n\r\n> the plan';
const file = (name: string) => new RegExp(`\\n- \\[${name}\\]\\(/user_uploads/[^)\\n]+\\)$`);

const KINDS: readonly Kind[] = [
  {
    what: 'an invitation to a meeting',
    ...parts(
      'multipart/alternative',
      TEXT,
      part('Content-Type: text/calendar; method=REQUEST; charset=utf-8', EVENT),
    ),
    content: file('invitation\\.ics'),
  },
  {
    what: 'an invitation alone',
    headers: 'Content-Type: text/calendar; method=REQUEST',
    body: EVENT,
    content: /^\(no text\)\n\nAttached files:\n\n- \[invitation\.ics\]\(\S+\)$/,
  },
  {
    what: 'a signature of OpenPGP',
    ...parts(
      'multipart/signed; protocol="application/pgp-signature"',
      TEXT,
      part('Content-Type: application/pgp-signature; name=signature.asc', 'x'),
    ),
    content: 'hello',
  },
  {
    what: 'a signature of S/MIME',
    ...parts(
      'multipart/signed; protocol="application/pkcs7-signature"',
      TEXT,
      part('Content-Type: application/pkcs7-signature; name=smime.p7s', 'x'),
    ),
    content: 'hello',
  },
  {
    what: 'a mail that is encrypted by OpenPGP',
    ...parts(
      'multipart/encrypted; protocol="application/pgp-encrypted"',
      part('Content-Type: application/pgp-encrypted', 'Version: 1'),
      part('Content-Type: application/octet-stream; name=encrypted.asc', 'x'),
    ),
    content: /^\(This mail is encrypted.*\)\n\nAttached files:\n\n- \[encrypted\.asc\][^\n]*$/,
  },
  {
    what: 'a mail that is encrypted by S/MIME',
    headers:
      'Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\nContent-Transfer-Encoding: base64',
    body: 'MIIB',
    content: /^\(This mail is encrypted.*\)\n\nAttached files:\n\n- \[smime\.p7m\]/,
  },
  {
    what: 'a file of Outlook',
    ...parts(
      'multipart/mixed',
      TEXT,
      part('Content-Type: application/ms-tnef; name=winmail.dat', 'x'),
    ),
    content: file('winmail\\.dat'),
  },
  {
    what: 'UTF-8 that is said to be ASCII',
    headers: 'Content-Type: text/plain; charset=us-ascii',
    body: 'café 東京 “so”',
    content: 'café 東京 “so”',
  },
  {
    what: 'UTF-8 in a charset that nobody knows',
    headers: 'Content-Type: text/plain; charset=x-unknown',
    body: 'café',
    content: 'café',
  },
  {
    what: 'Latin 1 with letters that look like UTF-8',
    headers: 'Content-Type: text/plain; charset=iso-8859-1',
    body: Buffer.from('Ã, é', 'latin1'),
    content: 'Ã, é',
  },
  {
    what: 'a mail in a part of its own without a name',
    ...parts('multipart/mixed', TEXT, part('Content-Type: message/rfc822', 'Subject: in\r\n\r\nx')),
    content: /hello/,
  },
  {
    what: 'no author and no date',
    headers: 'Subject: bare\r\nX-Nothing: 1',
    body: 'x',
    topic: 'bare',
    content: 'x',
  },
  {
    what: 'authors twice',
    headers: 'From: a@x.example\r\nFrom: b@x.example\r\nSubject: twice',
    topic: 'twice',
    content: /^$|\(no text\)/,
  },
  {
    what: 'a header within a subject',
    headers: 'Subject: =?utf-8?q?a=0D=0ABcc:_x@y=0D=0A=0D=0Abody?=\r\nFrom: a@x.example',
    body: 'x',
    topic: 'a Bcc: x@y body',
    content: 'x',
  },
  {
    what: 'a subject that is cut within a character',
    headers: `Subject: =?utf-8?b?${Buffer.from(`a${'😀'.repeat(300)}`).toString('base64')}?=`,
    body: 'x',
    topic: `a${'😀'.repeat(56)}...`,
    content: /^\*\*Subject:\*\* a(?:😀){200,}.*\n\nx$/u,
  },
  {
    what: 'an answer by mail',
    headers: 'Subject: Re: AW: [2] Tea',
    body: 'x',
    topic: '[2] Tea',
    content: 'x',
  },
  {
    what: 'a mail that is passed on',
    headers: 'Subject: Fwd: Plan',
    body: `FYI\r\n\r\n${FORWARDED}`,
    topic: 'Plan',
    content: /^FYI\n\n-+ Forwarded message -+\nFrom: Bob <bob@x\.example>\n\n> the plan$/,
  },
  {
    what: 'a mail that is passed on under another subject',
    headers: 'Subject: Look',
    body: `FYI\r\n\r\n${FORWARDED}`,
    topic: 'Look',
    content: /> the plan$/,
  },
  {
    what: 'a mail that Gmail passes on',
    headers: 'Subject: Fwd: Plan\r\nContent-Type: text/html',
    body: '<div>FYI<div class="gmail_quote">---------- Forwarded message<br>the plan</div></div>',
    topic: 'Plan',
    content: /^FYI[\s\S]*the plan$/,
  },
  {
    what: 'an answer to a mail that was passed on',
    headers: 'Subject: Re: Fwd: Plan',
    body: `Yes.\r\n\r\nOn 1/1/26 10:00, Ann wrote:\r\n> ${FORWARDED.replaceAll('\r\n', '\r\n> ')}`,
    topic: 'Plan',
    content: 'Yes.',
  },
  {
    what: 'five thousand recipients',
    headers: `To: ${Array.from({ length: 5_000 }, (_, id) => `p${id}@x.example`).join(',\r\n ')}`,
    body: 'x',
    content: 'x',
  },
  {
    what: 'a line of a megabyte',
    body: 'x'.repeat(1_000_000),
    content: /^x+\n\n\(The mail was longer\.\)$/,
  },
];

const CRLF = '\r\n';

test('each kind of mail becomes a message that its readers understand', async () => {
  const server = await startServer({ channels: ['general'], env: MAIL_IN });
  const { mel } = server.people;
  const to = await addressAt(server, mel, mel.id);
  const wrong: unknown[] = [];
  for (const [index, { what, headers = '', body = '', topic, content }] of KINDS.entries()) {
    const subject = /^Subject:/m.test(headers) ? '' : `Subject: kind ${index}${CRLF}`;
    const from = /^From:/m.test(headers) || /^X-Nothing:/m.test(headers) ? '' : `From: ${FRIEND}`;
    const head = `${subject}${from === '' ? '' : `${from}${CRLF}`}${headers}`.trimEnd();
    const raw = Buffer.concat([Buffer.from(`${head}${CRLF}${CRLF}`), Buffer.from(body)]);
    const { code, text } = await mailed(server, { raw, envelope: { from: FRIEND, to } });
    const shown = await newest(server);
    const isRight =
      code === 250 &&
      shown?.subject === (topic ?? `kind ${index}`) &&
      (typeof content === 'string' ? shown.content === content : content.test(shown.content));
    if (!isRight) {
      wrong.push({
        what,
        code,
        text,
        topic: shown?.subject,
        content: shown?.content.slice(0, 300),
      });
    }
  }
  expect(wrong).toEqual([]);
  expect(server.bugs).toEqual([]);
});

async function newest(server: TestServer): Promise<Shown | undefined> {
  return (await messagesOf(server, server.people.mel)).at(-1);
}

test('two mails without an id are two messages unless they are the same', async () => {
  const server = await startServer({ channels: ['general'], env: MAIL_IN });
  const { mel } = server.people;
  const to = await addressAt(server, mel, mel.id);
  const sent = (relay: string, html: string) =>
    mailed(server, {
      raw: `Received: from door by mx with SMTP id ${relay}${CRLF}Subject: Door${CRLF}Content-Type: text/html${CRLF}${CRLF}${html}`,
      envelope: { from: FRIEND, to },
    });
  const first = await sent('1', '<p>open</p>');
  expect(first.code).toBe(250);
  expect(await sent('1', '<p>open</p>')).toEqual(first);
  expect((await sent('2', '<p>open</p>')).text).not.toBe(first.text);
  expect((await sent('1', '<p>open</p><blockquote>x</blockquote>')).text).not.toBe(first.text);
  // Any other header tells a mail from others as well.
  const other = await mailed(server, {
    raw: `Received: from door by mx with SMTP id 1${CRLF}Subject: Door${CRLF}X-Door: 2${CRLF}Content-Type: text/html${CRLF}${CRLF}<p>open</p>`,
    envelope: { from: FRIEND, to },
  });
  expect(other.text).not.toBe(first.text);
  const doors = (await messagesOf(server, mel)).filter(({ subject }) => subject === 'Door');
  expect(doors).toHaveLength(4);
});

test('an address of a channel says why it takes no mail', async () => {
  const server = await startServer({ channels: ['general'], env: MAIL_IN });
  const { ona, mel, max } = server.people;
  const { body } = await server.get(mel, '/get_stream_id', { stream: 'general' });
  const path = `/streams/${Number(body.stream_id)}`;
  const bot = await server.post(mel, '/bots', { full_name: 'Door', short_name: 'door' });
  const botId = Number(bot.body.user_id);
  const own = await addressAt(server, mel, mel.id);
  const ofBot = await addressAt(server, mel, botId);
  const ofService = await addressAt(server, max);
  const answer = async (to: string) =>
    (await mailed(server, { from: FRIEND, to, subject: 'x', text: 'x' })).text;
  expect(await answer(ofBot)).toMatch(/^250/);
  await server.delete(mel, `/bots/${botId}`);
  expect(await answer(ofBot)).toMatch(/550 the sender of this address is deactivated/);
  const posting = (people: readonly number[]) =>
    server.patch(ona, path, {
      can_send_message_group: { new: { direct_members: people, direct_subgroups: [] } },
    });
  await posting([ona.id]);
  const mayNot = /550 the sender of this address may not write in the channel/;
  expect(await answer(own)).toMatch(mayNot);
  // The bot of the service writes for the user who requested the address, and only for them.
  expect(await answer(ofService)).toMatch(mayNot);
  await posting([ona.id, mel.id]);
  expect(await answer(own)).toMatch(/^250/);
  await server.delete(ona, path);
  expect(await answer(own)).toMatch(/550 the channel is archived/);
  await server.delete(ona, `/users/${mel.id}`);
  expect(await answer(own)).toMatch(/550 the account that requested this address is deactivated/);
});
