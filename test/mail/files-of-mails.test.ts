import type { SendMailOptions } from 'nodemailer';
import { expect, test } from 'vitest';
import { download, storedFiles } from '../support/files/uploads.ts';
import {
  channelAddress,
  MAIL_IN,
  mailed,
  messagesOf,
} from '../support/notifications/incoming-mails.ts';
import { startServer } from '../support/start-server.ts';

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const start = (env = {}) => startServer({ channels: ['general'], env: { ...MAIL_IN, ...env } });

const withPlan = (to: string): SendMailOptions => ({
  to,
  subject: 'Plan',
  html: '<p>See this: <img src="cid:pixel" alt="a dot"></p>',
  attachments: [
    { filename: 'plan*.txt', content: 'a plan' },
    { filename: 'dot.png', content: PIXEL, cid: 'pixel' },
  ],
});

test('files and pictures of a mail are files of its message, and its readers may read them', async () => {
  const server = await start();
  const { mel, max } = server.people;
  await mailed(server, withPlan(await channelAddress(server, mel)));
  const { content = '' } = (await messagesOf(server, mel)).at(-1) ?? {};
  const paths = Array.from(content.matchAll(/\]\((\/user_uploads\/\S+)\)/g), ([, path]) => path);
  expect(paths).toEqual([
    expect.stringMatching(/\/dot\.png$/),
    expect.stringMatching(/\/plan\.txt$/),
  ]);
  const [, plan = ''] = paths;
  const read = await download(server, plan, { as: max });
  expect([read.status, read.bytes.toString()]).toEqual([200, 'a plan']);
  expect((await download(server, plan)).status).not.toBe(200);
  const { body } = await server.get(mel, '/attachments');
  expect(body.attachments).toHaveLength(2);
  expect(server.bugs).toEqual([]);
});

test('a mail that comes again adds no files, and one that is refused leaves none', async () => {
  const server = await start();
  const { mel } = server.people;
  const to = await channelAddress(server, mel, mel.id);
  const mail = { ...withPlan(to), messageId: '<1@elsewhere.example>' };
  const first = await mailed(server, mail);
  const files = storedFiles(server.data).length;
  expect(files).toBeGreaterThan(1);
  expect(await mailed(server, mail)).toEqual(first);
  expect(storedFiles(server.data)).toHaveLength(files);
  await server.set('topics_policy', 'disable_empty_topic');
  expect(await mailed(server, { ...withPlan(to), subject: '' })).toMatchObject({ code: 554 });
  expect(storedFiles(server.data)).toHaveLength(files);
});

test('files beyond the quota, the size of uploads and the bound for a mail are named', async () => {
  const server = await start({ CONFAB_MAX_UPLOAD_MIB: '1' });
  const { mel } = server.people;
  const to = await channelAddress(server, mel, mel.id);
  const sent = async (attachments: SendMailOptions['attachments']) => {
    await mailed(server, { to, subject: 'x', text: 'hi', attachments });
    return (await messagesOf(server, mel)).at(-1)?.content;
  };
  const large = { filename: 'large.bin', content: Buffer.alloc(1_100_000) };
  expect(await sent([large])).toBe('hi\n\nAttached files that were not stored:\n\n- large.bin');
  const many = Array.from({ length: 12 }, (_, index) => ({
    filename: `${index}.txt`,
    content: String(index),
  }));
  expect(await sent(many)).toMatch(/9\.txt\)\n\nAttached .* not stored:\n\n- 10\.txt\n- 11\.txt$/);
  await server.set('upload_quota_mib', 0);
  const files = storedFiles(server.data).length;
  expect(await sent([{ filename: 'a.txt', content: 'a' }])).toBe(
    'hi\n\nAttached files that were not stored:\n\n- a.txt',
  );
  expect(storedFiles(server.data)).toHaveLength(files);
});
