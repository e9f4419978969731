import sharp from 'sharp';
import { expect, test } from 'vitest';
import { THUMBNAIL_MESSAGES_PER_STEP } from '../../../src/domain/limits/files.ts';
import { IMAGE_FRAMES_MAX, IMAGE_PIXELS_MAX } from '../../../src/domain/limits/images.ts';
import { shownNow } from '../../../src/operations/messages/thumbnails.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { download, storedFiles, uploaded } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const start = () => startServer({ channels: ['general'] });

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#2a6' } });

/** Frames that all differ, of 30 by 20. */
const moving = (frames = 3) => {
  const frameBytes = 30 * 20 * 3;
  const bytes = Array.from({ length: frames * frameBytes }, (_, at) => {
    const frame = Math.floor(at / frameBytes);
    return at % 3 === 0 ? (frame * 40) % 256 : (frame * 7) % 256;
  });
  const raw = { width: 30, height: frames * 20, channels: 3, pageHeight: 20 } as const;
  return sharp(Buffer.from(bytes), { raw })
    .gif({ delay: Array.from({ length: frames }, () => 100) })
    .toBuffer();
};

const say = async ({ people, post }: TestServer, content: string): Promise<number> => {
  const sent = { type: 'channel', to: 'general', topic: 'tea', content };
  const { body } = await post(people.mel, '/messages', sent);
  expect(body).toMatchObject({ result: 'success' });
  return body.id;
};

const contentOf = async ({ people, get }: TestServer, id: number): Promise<string> =>
  (await get(people.mel, `/messages/${id}`)).body.message.content;

/** Waits until every thumbnail was made, or given up. */
async function untilMade(server: TestServer) {
  await server.advance(1);
  const countEntries = () => server.perform((tx) => [...tx.outbox.keys({})].length);
  while ((await countEntries()) > 0) await new Promise((resolve) => setImmediate(resolve));
}

const upload = (server: TestServer, content: Buffer, filename: string, contentType: string) =>
  uploaded(server, server.people.mel, { content, filename, contentType });

const linkTo = (url: string, label: string) => `<p><a href="${url}">${label}</a></p>`;
const shown = (url: string, label: string, image: string) =>
  `${linkTo(url, label)}\n<div class="message_inline_image"><a href="${url}" title="${label}">${image}</a></div>`;
const waitingFor = (size: string) =>
  `<img class="image-loading-placeholder" data-original-dimensions="${size}" src="/static/images/loading/loader-black.svg">`;
const thumbnailOf = (url: string, format = '840x560.webp') =>
  url.replace('/user_uploads/', '/user_uploads/thumbnail/').concat(`/${format}`);

test('5.7 an image is shown as on its way, and then by a rendering-only update', async () => {
  const server = await start();
  const { max } = server.people;
  const url = await upload(
    server,
    await image(1920, 1080).png().toBuffer(),
    'img.png',
    'image/png',
  );
  const content = `[img.png](${url})`;
  const id = await say(server, content);
  const queue = await server.register(max, { event_types: ['update_message'] });
  expect(await contentOf(server, id)).toBe(shown(url, 'img.png', waitingFor('1920x1080')));
  await untilMade(server);
  const ready = shown(
    url,
    'img.png',
    `<img data-original-content-type="image/png" data-original-dimensions="1920x1080" src="${thumbnailOf(url)}">`,
  );
  // A message that was rendered before is shown as it would be now.
  const before = shown(url, 'img.png', waitingFor('1920x1080'));
  expect(await server.perform((tx) => shownNow(tx, before))).toBe(ready);
  const [event, ...others] = await queue.next();
  expect(others).toEqual([]);
  expect(event).toEqual({
    id: expect.any(Number),
    type: 'update_message',
    user_id: null,
    edit_timestamp: expect.any(Number),
    message_id: id,
    message_ids: [id],
    flags: [],
    rendering_only: true,
    content,
    rendered_content: ready,
  });
  expect(await contentOf(server, id)).toBe(ready);
  // A message that is sent later waits for nothing.
  expect(await contentOf(server, await say(server, content))).toBe(ready);
  expect(server.bugs).toEqual([]);
});

test('everyone who has the message is told, and whoever registers after it knows no less', async () => {
  const server = await start();
  const url = await upload(server, await image(9, 9).png().toBuffer(), 'a.png', 'image/png');
  await expectExactAfter(server, async () => {
    await say(server, `[a](${url})`);
    await untilMade(server);
  });
});

test('however many messages wait for an image, all of them get it, some in each step', async () => {
  const server = await start();
  const url = await upload(server, await image(9, 9).png().toBuffer(), 'a.png', 'image/png');
  const ids: number[] = [];
  for (let count = 0; count <= THUMBNAIL_MESSAGES_PER_STEP; count++) {
    ids.push(await say(server, `[a](${url})`));
  }
  const isRestWaiting = () =>
    server.perform((tx) =>
      [...tx.outbox.range({})].some(([, { content }]) => 'file' in (content as object)),
    );
  await server.advance(1);
  while (!(await isRestWaiting())) await new Promise((resolve) => setImmediate(resolve));
  await untilMade(server);
  const contents = new Set(await Promise.all(ids.map((id) => contentOf(server, id))));
  expect([...contents]).toEqual([
    shown(
      url,
      'a',
      `<img data-original-content-type="image/png" data-original-dimensions="9x9" src="${thumbnailOf(url)}">`,
    ),
  ]);
});

test('an image that moves says so', async () => {
  const server = await start();
  const url = await upload(server, await moving(), 'a.gif', 'image/gif');
  await untilMade(server);
  const id = await say(server, `[a](${url})`);
  expect(await contentOf(server, id)).toBe(
    shown(
      url,
      'a',
      `<img data-animated="true" data-original-content-type="image/gif" data-original-dimensions="30x20" src="${thumbnailOf(url, '840x560-anim.webp')}">`,
    ),
  );
});

test.each([
  ['image/jpeg', 'jpeg'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
  ['image/avif', 'avif'],
] as const)('an image may be an %s', async (type, format) => {
  const server = await start();
  const url = await upload(server, await image(4, 3).toFormat(format).toBuffer(), 'a', type);
  await untilMade(server);
  const html = await contentOf(server, await say(server, `[a](${url})`));
  expect(html).toContain(`data-original-content-type="${type}" data-original-dimensions="4x3"`);
});

test('an image that is to be turned has the size that it is shown in', async () => {
  const server = await start();
  const bytes = await image(40, 30).jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const url = await upload(server, bytes, 'a.jpg', 'image/jpeg');
  const html = await contentOf(server, await say(server, `[a](${url})`));
  expect(html).toContain('data-original-dimensions="30x40"');
});

test.each([
  ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ['text', Buffer.from('no image')],
  ['nothing', Buffer.from('')],
])('%s that is called an image is a link', async (_what, bytes) => {
  const server = await start();
  const url = await upload(server, bytes, 'a.png', 'image/png');
  expect(await contentOf(server, await say(server, `[a](${url})`))).toBe(linkTo(url, 'a'));
  expect(server.bugs).toEqual([]);
});

test('an image of more pixels than are decoded is a link, one of as many is shown', async () => {
  const server = await start();
  const height = IMAGE_PIXELS_MAX / 10_000;
  const most = await image(10_000, height).png().toBuffer();
  const more = await image(10_000, height + 1)
    .png()
    .toBuffer();
  expect(more.length).toBeLessThan(1024 * 1024);
  const url = await upload(server, more, 'more.png', 'image/png');
  expect(await contentOf(server, await say(server, `[a](${url})`))).toBe(linkTo(url, 'a'));
  const shownUrl = await upload(server, most, 'most.png', 'image/png');
  const id = await say(server, `[a](${shownUrl})`);
  expect(await contentOf(server, id)).toContain(`data-original-dimensions="10000x${height}"`);
});

test('an image that cannot be decoded after all is a link again', async () => {
  const server = await start();
  const whole = await image(300, 300).png({ compressionLevel: 0 }).toBuffer();
  const url = await upload(server, whole.subarray(0, 200), 'a.png', 'image/png');
  const id = await say(server, `[a](${url}) and more`);
  const before = await contentOf(server, id);
  expect(before).toContain('image-loading-placeholder');
  await untilMade(server);
  expect(await contentOf(server, id)).toBe(`<p><a href="${url}">a</a> and more</p>`);
  expect(storedFiles(server.data)).toHaveLength(1);
  expect(server.bugs).toEqual([]);
});

test('the thumbnails of a file go with it', async () => {
  const server = await start();
  const { mel } = server.people;
  await upload(server, await moving(), 'a.gif', 'image/gif');
  await untilMade(server);
  expect(storedFiles(server.data)).toHaveLength(3);
  await server.delete(mel, '/attachments/1');
  await untilMade(server);
  expect(storedFiles(server.data)).toEqual([]);
});

test('a file that was deleted before leaves no thumbnail', async () => {
  const server = await start();
  const { mel } = server.people;
  const url = await upload(server, await image(9, 9).png().toBuffer(), 'a.png', 'image/png');
  const id = await say(server, `[a](${url})`);
  await expectExactAfter(server, async () => {
    await server.delete(mel, '/attachments/1');
    await untilMade(server);
  });
  // The message does not wait for it any more.
  expect(await contentOf(server, id)).toBe(linkTo(url, 'a'));
  expect(storedFiles(server.data)).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('thumbnails are made after a restart, if not before', async () => {
  const server = await start();
  const url = await upload(server, await image(9, 9).png().toBuffer(), 'a.png', 'image/png');
  const id = await say(server, `[a](${url})`);
  await server.restart(200_000);
  await untilMade(server);
  expect(await contentOf(server, id)).toContain(thumbnailOf(url));
});

test('a message shows no file that its author may not read, and none in a quote', async () => {
  const server = await start();
  const { max } = server.people;
  const url = await upload(server, await image(9, 9).png().toBuffer(), 'a.png', 'image/png');
  const sent = { type: 'channel', to: 'general', topic: 'tea', content: `[a](${url})` };
  const { body } = await server.post(max, '/messages', sent);
  expect(await contentOf(server, body.id)).toBe(linkTo(url, 'a'));
  const id = await say(server, `> [a](${url})`);
  expect(await contentOf(server, id)).toBe(`<blockquote>\n${linkTo(url, 'a')}\n</blockquote>`);
});

test('a realm without previews shows links', async () => {
  const server = await start();
  await server.set('inline_image_preview', false);
  const url = await upload(server, await image(9, 9).png().toBuffer(), 'a.png', 'image/png');
  expect(await contentOf(server, await say(server, `[a](${url})`))).toBe(linkTo(url, 'a'));
});

test.each([
  [
    'video/mp4',
    (url: string) =>
      `\n<div class="message_inline_image message_inline_video"><a href="${url}" title="a &quot;b&quot;"><video preload="metadata" src="${url}"></video></a></div>`,
  ],
  [
    'audio/mpeg',
    (url: string) =>
      `\n<audio controls preload="metadata" src="${url}" title="a &quot;b&quot;"></audio>`,
  ],
  ['application/pdf', () => ''],
  ['image/svg+xml', () => ''],
] as const)('5.7 a file of type %s is shown as what it is', async (type, markup) => {
  const server = await start();
  const url = await upload(server, Buffer.from('bytes'), 'a', type);
  const html = await contentOf(server, await say(server, `[a "b"](${url})`));
  expect(html).toBe(linkTo(url, 'a &quot;b&quot;') + markup(url));
});

test('the host of the realm may be named in a link', async () => {
  const server = await start();
  const url = await upload(server, await image(9, 9).png().toBuffer(), 'a.png', 'image/png');
  await untilMade(server);
  const absolute = `http://test.localhost:${server.app.port}${url}`;
  const html = await contentOf(server, await say(server, `[a](${absolute})`));
  expect(html).toContain(`<a href="${absolute}" title="a"><img data-original-content-type`);
  expect(html).toContain(`src="${thumbnailOf(url)}"`);
});

test('a thumbnail is handed out to those who may read the file, and to nobody else', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const bytes = await image(1920, 1080).png().toBuffer();
  const url = await upload(server, bytes, 'a ü.png', 'image/png');
  await untilMade(server);
  const path = thumbnailOf(encodeURI(url));
  const mine = await download(server, path, { as: mel });
  expect(mine).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'image/webp',
      'cache-control': 'private, immutable',
      'x-content-type-options': 'nosniff',
    },
  });
  expect(await sharp(mine.bytes).metadata()).toMatchObject({
    format: 'webp',
    width: 840,
    height: 473,
  });
  const file = await download(server, encodeURI(url), { as: max });
  const thumbnail = await download(server, path, { as: max });
  expect([thumbnail.status, thumbnail.bytes]).toEqual([file.status, file.bytes]);
  expect(thumbnail.status).toBe(403);
  await say(server, `[a](${url})`);
  expect((await download(server, path, { as: max })).status).toBe(200);
});

test('the thumbnails of an image that moves are one that does and one that does not', async () => {
  const server = await start();
  const { mel } = server.people;
  const url = await upload(server, await moving(), 'a.gif', 'image/gif');
  await untilMade(server);
  const anim = await download(server, thumbnailOf(url, '840x560-anim.webp'), { as: mel });
  expect(await sharp(anim.bytes).metadata()).toMatchObject({ width: 30, height: 20, pages: 3 });
  const still = await download(server, thumbnailOf(url), { as: mel });
  expect((await sharp(still.bytes).metadata()).pages ?? 1).toBe(1);
});

test('of an image that moves for long the thumbnail shows its beginning', async () => {
  const server = await start();
  const { mel } = server.people;
  for (const frames of [IMAGE_FRAMES_MAX, IMAGE_FRAMES_MAX + 1]) {
    const url = await upload(server, await moving(frames), 'a.gif', 'image/gif');
    await untilMade(server);
    const anim = await download(server, thumbnailOf(url, '840x560-anim.webp'), { as: mel });
    expect((await sharp(anim.bytes).metadata()).pages).toBe(IMAGE_FRAMES_MAX);
  }
});

test.each(['840x560-anim.webp', '100x100.webp', '840x560.png', '840x560.webp/..'])(
  'there is no thumbnail of a still image at %s',
  async (format) => {
    const server = await start();
    const { mel } = server.people;
    const url = await upload(server, await image(9, 9).png().toBuffer(), 'a.png', 'image/png');
    await untilMade(server);
    expect((await download(server, thumbnailOf(url, format), { as: mel })).status).toBe(404);
    expect(server.bugs).toEqual([]);
  },
);

test('a thumbnail that is not there yet is not found, as what is on its way is shown by anybody', async () => {
  const server = await start();
  const { mel } = server.people;
  const url = await upload(server, await image(9, 9).png().toBuffer(), 'a.png', 'image/png');
  expect((await download(server, thumbnailOf(url), { as: mel })).status).toBe(404);
  const loader = await download(server, '/static/images/loading/loader-black.svg');
  expect([loader.status, loader.headers['content-type']]).toEqual([200, 'image/svg+xml']);
  expect(loader.bytes.toString()).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
});
