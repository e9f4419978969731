import { expect, test } from 'vitest';
import {
  addressAt,
  contentsAt,
  FRIEND,
  MAIL_IN,
  mailed,
} from '../support/notifications/incoming-mails.ts';
import { startServer } from '../support/start-server.ts';

const part = (headers: string, body: string) => `--b\r\n${headers}\r\n\r\n${body}\r\n`;
const mixed = (...parts: readonly string[]) =>
  `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join('')}--b--\r\n`;
const BASE64 = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64';
const alternative = (plain: string, html: string) =>
  `Content-Type: multipart/alternative; boundary=b\r\n\r\n${part(BASE64, plain)}${part(BASE64.replace('plain', 'html'), html)}--b--`;
const TEXT = part('Content-Type: text/plain', 'hello');
const named = (disposition: string) =>
  part(`Content-Type: text/plain\r\nContent-Disposition: attachment; ${disposition}`, 'x');

/** Returns a mail within a mail, and so on. */
function passedOn(depth: number): string {
  return `${'Content-Type: message/rfc822\r\n\r\n'.repeat(depth)}Content-Type: text/plain\r\n\r\nhello`;
}

const MAILS: readonly (readonly [what: string, raw: string | Buffer, content: RegExp | number])[] =
  [
    [
      'only HTML',
      'Content-Type: text/html\r\n\r\n<p>a <b>b</b></p><p>c d</p>',
      /^a \*\*b\*\*\n\nc d$/,
    ],
    [
      'HTML alone of two',
      `Content-Type: multipart/alternative; boundary=b\r\n\r\n${part('Content-Type: text/plain', ' ')}${part('Content-Type: text/html', '<i>a</i>')}--b--`,
      /^\*a\*$/,
    ],
    [
      'Latin 1',
      Buffer.from('Content-Type: text/plain; charset=iso-8859-1\r\n\r\ncaf\xe9', 'latin1'),
      /^café$/,
    ],
    [
      'a charset that is wrong',
      Buffer.from('Content-Type: text/plain; charset=utf-8\r\n\r\ncaf\xe9!', 'latin1'),
      /^caf.!$/,
    ],
    [
      'Japanese in an old charset',
      Buffer.from('Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$B$"\x1b(B', 'latin1'),
      /^あ$/,
    ],
    [
      'bytes in headers',
      Buffer.from('From: M\xfcller <m@x.example>\r\n\r\nhello', 'latin1'),
      /hello/,
    ],
    [
      'words in headers',
      'Subject: =?utf-8?q?caf=C3=A9?= =?utf-8?q?_ol=C3=A9?=\r\n\r\nhello',
      /^hello$/,
    ],
    ['many mails within each other', passedOn(1_000), /\[mail\.eml\]/],
    [
      'a mail within a mail',
      `${mixed(TEXT, part('Content-Type: message/rfc822', 'Subject: in\r\n\r\nwithin'))}`,
      /hello/,
    ],
    [
      'ten thousand parts',
      mixed(TEXT, ...Array.from({ length: 10_000 }, () => named('filename=x.txt'))),
      554,
    ],
    [
      'base64 that is cut off',
      'Content-Transfer-Encoding: base64\r\n\r\naGVsbG8gdG8gYWxsIG9m',
      /^hello to all of/,
    ],
    [
      'lines that flow',
      'Content-Type: text/plain; format=flowed\r\n\r\na long \r\nline\r\n-- \r\nMel',
      /^a long line$/,
    ],
    [
      'a path as a name',
      mixed(TEXT, named('filename="../../etc/passwd"')),
      /\[.*etc passwd\]\(\/user_uploads\/[^)]*\/passwd\)/,
    ],
    ['a boundary that never comes', 'Content-Type: multipart/mixed; boundary=b\r\n\r\nhello', 554],
    [
      'more multiparts than are looked for',
      `Content-Type: multipart/mixed; boundary=c\r\n\r\n${'Content-Type: multipart/mixed; boundary=c\r\n'.repeat(51)}--c--\r\n`,
      554,
    ],
    ['another boundary', `Content-Type: multipart/mixed; boundary=c\r\n\r\n${TEXT}--b--\r\n`, 554],
    ['no boundary', `Content-Type: multipart/mixed\r\n\r\n${TEXT}--b--\r\n`, 554],
    ['an empty boundary', `Content-Type: multipart/mixed; boundary=""\r\n\r\n${TEXT}--b--`, 554],
    [
      'a part without a boundary',
      mixed(part('Content-Type: multipart/alternative', '--c\r\n\r\nhello\r\n--c--')),
      554,
    ],
    ['no headers at all', 'hello to all of you\r\nand more', 554],
    ['no headers, and lines that look like an end of them', 'hello to all\r\n\r\n', 554],
    ['nothing but headers', 'Subject: a\r\n b', /^\(no text\)$/],
    ['a body of white space', 'Subject: a\r\n\r\n \r\n\t\r\n', /^\(no text\)$/],
    ['only a signature', 'Subject: a\r\n\r\n-- \r\nMel', /^\(no text\)$/],
    ['a part without text', mixed(part('Content-Type: text/plain', '')), /^\(no text\)$/],
    [
      'a boundary on a line of its own and a part without text',
      'Content-Type: multipart/mixed;\r\n boundary="b c"\r\n\r\nMIME\r\n--b c\r\n\r\n\r\n--b c--',
      /^\(no text\)$/,
    ],
    ['plain text that is said to be base64', `${BASE64}\r\n\r\nhello, you all`, 554],
    ['a part that is said to be base64', mixed(part(BASE64, 'hello, you all')), 554],
    [
      'a part of base64 with lines that are none',
      mixed(TEXT, part(BASE64, `${Buffer.from('soup is on').toString('base64')}\r\n-- \r\nan ad`)),
      554,
    ],
    [
      'a part within a part that is said to be base64',
      mixed(
        part(
          'Content-Type: multipart/related;\r\n boundary="c d"',
          `--c d \r\n${BASE64}\r\n\r\nhello, you all\r\n--c d--`,
        ),
      ),
      554,
    ],
    ['plain text of two that is said to be base64', alternative('hello, you all', 'aGVsbG8='), 554],
    ['HTML of two that is said to be base64', alternative('aGVsbG8=', 'hello, you all'), /^hello$/],
    ['HTML alone of two that is said to be base64', alternative(' ', 'hello, you all'), 554],
    [
      'a file that is said to be base64',
      mixed(TEXT, part(`${BASE64}\r\nContent-Disposition: attachment`, 'hello, you all')),
      /^hello/,
    ],
    [
      'a text about base64',
      mixed(part('Content-Type: text/plain', `--c\r\n${BASE64}\r\n\r\nhello, you all\r\n--c--`)),
      /hello, you all/,
    ],
    [
      'parts of base64 that is cut off, and with lines around them',
      mixed(part(BASE64, 'aGVsbG8gdG8gYWxsIG9m\r\n\r\n')).replace('\r\n\r\n', '\r\n\r\nMIME!\r\n'),
      /^hello to all of$/,
    ],
    [
      'control characters',
      `${BASE64}\r\n\r\n${Buffer.from('a\u0001\u001bb\tc\nd').toString('base64')}`,
      /^ab\tc\nd$/,
    ],
    [
      'only control characters',
      `${BASE64}\r\n\r\n${Buffer.from('\u0001\u0002').toString('base64')}`,
      554,
    ],
    ['parts that do not end', `Content-Type: multipart/mixed; boundary=b\r\n\r\n${TEXT}`, /hello/],
    [
      'a picture within the text',
      `Content-Type: multipart/related; boundary=b\r\n\r\n${part('Content-Type: text/html', '<p>hello<img src="cid:p" alt="a dot"></p>')}${part('Content-Type: image/png; name=dot.png\r\nContent-ID: <p>', 'x')}--b--`,
      /^helloa dot[\s\S]*\[dot\.png\]/,
    ],
  ];

test('odd mails are read as far as they can be, and those of others go on meanwhile', async () => {
  const server = await startServer({ channels: ['general'], env: MAIL_IN });
  const { mel, max } = server.people;
  const to = await addressAt(server, mel, mel.id);
  const other = await addressAt(server, max, max.id);
  const outcomes: unknown[] = [];
  for (const [what, raw, expected] of MAILS) {
    await server.leap(60_000);
    const { code, text } = await mailed(server, { raw, envelope: { from: FRIEND, to } });
    const content = (await contentsAt(server, mel)).at(-1) ?? '';
    const isRight =
      typeof expected === 'number' ? code === expected : code === 250 && expected.test(content);
    if (!isRight) outcomes.push({ what, code, text, content: content.slice(0, 200) });
  }
  expect(outcomes).toEqual([]);
  // A mail that takes the reader's thread long comes first; a small one follows it all the same.
  const [, parts = ''] = MAILS.find(([what]) => what === 'ten thousand parts') ?? [];
  const done: string[] = [];
  const heavy = { raw: parts, envelope: { from: FRIEND, to } };
  await Promise.all([
    mailed(server, heavy).then(({ code }) => done.push(`heavy ${code}`)),
    mailed(server, { to: other, text: 'small' }).then(({ code }) => done.push(`small ${code}`)),
    server.get(max, '/users/me').then(({ status }) => done.push(`request ${status}`)),
  ]);
  expect(done.sort()).toEqual(['heavy 554', 'request 200', 'small 250']);
  expect(server.bugs).toEqual([]);
});
