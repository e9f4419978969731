import { expect, test } from 'vitest';
import type { Message } from '../../../web/app/store/feed/message.ts';
import { picturesIn } from '../../../web/app/store/messages/pictures.ts';
import { png } from '../../support/files/images.ts';
import { uploaded } from '../../support/files/uploads.ts';
import { startServer } from '../../support/start-server.ts';

const ORIGIN = 'https://chat.example.com';

const message = (id: number, content: string) => ({ id, content }) as Message;

const shown = (href: string, source: string, more = '') =>
  `<div class="message_inline_image"><a href="${href}"${more}><img src="${source}"></a></div>`;

test('own files are shown whole, and pictures of others as this server fetches them', () => {
  const pictures = picturesIn(
    [
      message(1, '<p>none</p>'),
      message(
        2,
        shown('/user_uploads/1/ab/a%20b.png?x=1&amp;y=2', '/user_uploads/thumbnail/1/ab/x.webp') +
          shown(
            `${ORIGIN}/user_uploads/1/cd/c.png`,
            '/user_uploads/thumbnail/1/cd/x.webp',
            ' title="C &lt;3"',
          ),
      ),
      message(3, shown('https://other.example.com/d.png', '/external_content/ab/cd')),
    ],
    ORIGIN,
  );
  expect(pictures).toEqual([
    {
      messageId: 2,
      href: '/user_uploads/1/ab/a%20b.png?x=1&y=2',
      source: '/user_uploads/1/ab/a%20b.png?x=1&y=2',
      name: 'a b.png',
    },
    {
      messageId: 2,
      href: `${ORIGIN}/user_uploads/1/cd/c.png`,
      source: '/user_uploads/1/cd/c.png',
      name: 'C <3',
    },
    {
      messageId: 3,
      href: 'https://other.example.com/d.png',
      source: '/external_content/ab/cd',
      name: 'd.png',
    },
  ]);
});

test('nothing of another server is fetched, and videos are no pictures', () => {
  const contents = [
    shown('https://other.example.com/d.png', 'https://other.example.com/d.png'),
    shown('//other.example.com/d.png', '//other.example.com/d.png'),
    '<div class="message_inline_image message_inline_video"><a href="/user_uploads/1/a.mp4"><video src="/user_uploads/1/a.mp4"></video></a></div>',
    '<p>&lt;div class="message_inline_image"&gt;</p>',
  ];
  expect(
    picturesIn(
      contents.map((content, id) => message(id, content)),
      ORIGIN,
    ),
  ).toEqual([]);
});

test('the pictures of messages that the server renders are found', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const url = await uploaded(server, mel, {
    filename: 'a "b" & c.png',
    contentType: 'image/png',
    content: await png(30, 20),
  });
  const to = { type: 'channel', to: 1, topic: 'lunch', content: `[x](${url})` };
  const { body } = await server.post(mel, '/messages', to);
  const reply = await server.get(mel, `/messages/${body.id}`);
  const pictures = picturesIn([reply.body.message as unknown as Message], ORIGIN);
  expect(pictures).toEqual([
    { messageId: body.id, href: url, source: url, name: expect.stringMatching(/x|png/) },
  ]);
});
