import { expect, test } from 'vitest';
import {
  PAGE_BYTES_MAX,
  PAGES_KEPT_MS,
  PREVIEWS_PER_MESSAGE_MAX,
} from '../../src/domain/limits/external-content.ts';
import { expectExactAfter } from '../support/applying/follow.ts';
import type { WireEvent } from '../support/client.ts';
import { type Serve, startSite, type TestSite } from '../support/pages/site.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

interface Shown {
  readonly server: TestServer;
  readonly site: TestSite;
}

async function showing(serve: Serve, env: Record<string, string> = {}): Promise<Shown> {
  const site = await startSite(serve);
  const server = await startServer({
    channels: ['general'],
    env: { CONFAB_PREVIEW_PRIVATE_ADDRESSES: '1', ...env },
  });
  await server.set('inline_url_embed_preview', true);
  return { server, site };
}

const PAGE = `<!doctype html><html><head><title>Not this</title>
<meta property="og:title" content="Tea &amp; &quot;biscuits&quot;">
<meta property="og:description" content="All <b>about</b> it">
<meta property="og:image" content="/tea.png">
</head><body>Hello</body></html>`;

const serve =
  (html: string, type = 'text/html; charset=utf-8'): Serve =>
  (_path, response) => {
    response.writeHead(200, { 'content-type': type }).end(html);
  };

const say = async ({ people, post }: TestServer, content: string): Promise<number> => {
  const sent = { type: 'channel', to: 'general', topic: 'tea', content };
  return (await post(people.mel, '/messages', sent)).body.id;
};

const contentOf = async ({ people, get }: TestServer, id: number): Promise<string> =>
  (await get(people.mel, `/messages/${id}`)).body.message.content;

/** Returns the next update of a message, skipping other events. */
async function nextUpdate(queue: { next(): Promise<WireEvent[]> }): Promise<WireEvent> {
  for (;;) {
    const update = (await queue.next()).find(({ type }) => type === 'update_message');
    if (update !== undefined) return update;
  }
}

interface Parts {
  readonly image: string;
  readonly title?: string;
  readonly description?: string;
}

const cardOf = (url: string, { image, title, description }: Parts) =>
  [
    `<div class="message_embed"><a class="message_embed_image" href="${url}"`,
    ` style="background-image: url(/external_content/signed/${Buffer.from(image).toString('hex')})"></a>`,
    '<div class="data-container">',
    title &&
      `<div class="message_embed_title"><a href="${url}" title="${title}">${title}</a></div>`,
    description && `<div class="message_embed_description">${description}</div>`,
    '</div></div>',
  ].join('');

/** Removes signatures, which differ from realm to realm. */
const withoutSignature = (html: string) =>
  html.replace(/\/external_content\/[0-9a-f]{64}\//g, '/external_content/signed/');

/** Waits until every page was fetched and the messages were updated. */
async function untilUnfurled(server: TestServer) {
  await server.advance(1);
  const countEntries = () => server.perform((tx) => [...tx.outbox.keys({})].length);
  while ((await countEntries()) > 0) await new Promise((resolve) => setImmediate(resolve));
}

test('a page is shown by a rendering-only update, which is not in the edit history', async () => {
  const { server, site } = await showing(serve(PAGE));
  const { mel, max, gus } = server.people;
  const queues = await Promise.all(
    [max, gus].map((as) =>
      server.register(as, { event_types: ['update_message'], apply_markdown: true }),
    ),
  );
  const url = `${site.url}/a?b=1`;
  const content = `Look: ${url} @**${max.fullName}**`;
  const id = await say(server, content);
  const before = await contentOf(server, id);
  expect(before).not.toContain('message_embed');
  await server.advance(1);
  for (const queue of queues) {
    const update = await nextUpdate(queue);
    const { id: eventId, rendered_content, ...event } = update;
    expect(eventId).toBeGreaterThan(0);
    expect(event).toEqual({
      type: 'update_message',
      user_id: null,
      edit_timestamp: expect.any(Number),
      message_id: id,
      message_ids: [id],
      flags: queue.as.id === max.id ? ['mentioned'] : [],
      rendering_only: true,
      content,
    });
    expect(withoutSignature(rendered_content)).toBe(
      `${before}\n${cardOf(url, {
        image: `${site.url}/tea.png`,
        title: 'Tea &amp; &quot;biscuits&quot;',
        description: 'All &lt;b&gt;about&lt;/b&gt; it',
      })}`,
    );
    expect(await contentOf(server, id)).toBe(rendered_content);
  }
  expect(site.requests).toEqual(['/a?b=1']);
  expect(site.headers()['accept']).toBe('text/html, application/xhtml+xml');
  const { message } = (await server.get(mel, `/messages/${id}`)).body;
  expect(message).not.toHaveProperty('last_edit_timestamp');
  const history = await server.get(mel, `/messages/${id}/history`);
  expect(history.body.message_history).toHaveLength(1);
  expect(server.bugs).toEqual([]);
});

test('everyone who has the message gets the update, and a later snapshot has it as well', async () => {
  const { server, site } = await showing(serve(PAGE));
  await expectExactAfter(server, async () => {
    await say(server, `@**all** ${site.url}`);
    await untilUnfurled(server);
  });
});

test('a direct message with a preview is sent to its recipients', async () => {
  const { server, site } = await showing(serve(PAGE));
  const { mel, max } = server.people;
  const queue = await server.register(max, { event_types: ['update_message'] });
  const sent = { type: 'direct', to: [max.id], content: site.url };
  const { body } = await server.post(mel, '/messages', sent);
  await server.advance(1);
  expect(await nextUpdate(queue)).toMatchObject({ message_ids: [body.id], rendering_only: true });
});

test('an edited message shows the pages that it links now', async () => {
  const { server, site } = await showing(serve(PAGE));
  const { mel } = server.people;
  const id = await say(server, `${site.url}/one`);
  // This is before the first page was fetched.
  await server.patch(mel, `/messages/${id}`, { content: `${site.url}/two` });
  await untilUnfurled(server);
  expect(site.requests.toSorted()).toEqual(['/one', '/two']);
  const shown = await contentOf(server, id);
  expect(shown).toContain(`class="message_embed_image" href="${site.url}/two"`);
  expect(shown).not.toContain('/one');

  await server.patch(mel, `/messages/${id}`, { content: 'nothing any more' });
  await untilUnfurled(server);
  expect(await contentOf(server, id)).toBe('<p>nothing any more</p>');
});

test('a message that was deleted meanwhile stays deleted', async () => {
  const { server, site } = await showing(serve(PAGE));
  const { ona } = server.people;
  const id = await say(server, site.url);
  await server.delete(ona, `/messages/${id}`);
  await untilUnfurled(server);
  expect((await server.get(ona, `/messages/${id}`)).status).toBe(400);
  expect(server.bugs).toEqual([]);
});

test('a realm that turned previews off while the page was fetched shows none', async () => {
  const { server, site } = await showing(serve(PAGE));
  const id = await say(server, site.url);
  await server.set('inline_url_embed_preview', false);
  await untilUnfurled(server);
  expect(await contentOf(server, id)).not.toContain('message_embed');
});

test.each([
  { why: 'the realm does not want it', setting: false, env: {} },
  { why: 'the server does not', setting: true, env: { CONFAB_PREVIEWS: '0' } },
])('no page is fetched when $why', async ({ setting, env }) => {
  const { server, site } = await showing(serve(PAGE), env);
  await server.set('inline_url_embed_preview', setting);
  const id = await say(server, site.url);
  expect(await server.perform((tx) => [...tx.outbox.keys({})])).toEqual([]);
  await untilUnfurled(server);
  expect(site.requests).toEqual([]);
  expect(await contentOf(server, id)).not.toContain('message_embed');
});

test('pages in quotes, code, topics and descriptions are not fetched', async () => {
  const { server, site } = await showing(serve(PAGE));
  const { ona } = server.people;
  await say(server, `> ${site.url}\n\n\`${site.url}\``);
  const channel = { subscriptions: [{ name: 'new', description: site.url }] };
  await server.post(ona, '/users/me/subscriptions', channel);
  await untilUnfurled(server);
  expect(site.requests).toEqual([]);
});

test('a page is fetched once in an hour, however many messages link it', async () => {
  const { server, site } = await showing(serve(PAGE));
  const ids = [await say(server, `a ${site.url}`), await say(server, `b ${site.url} ${site.url}`)];
  await untilUnfurled(server);
  ids.push(await say(server, `c ${site.url}`));
  await untilUnfurled(server);
  for (const id of ids) {
    expect((await contentOf(server, id)).split('"message_embed"')).toHaveLength(2);
  }
  expect(site.requests).toHaveLength(1);
  await server.advance(PAGES_KEPT_MS);
  await say(server, site.url);
  await untilUnfurled(server);
  expect(site.requests).toHaveLength(2);
});

test('many pages of one message are one update', async () => {
  const { server, site } = await showing(serve(PAGE));
  const queue = await server.register(server.people.max, { event_types: ['update_message'] });
  const urls = Array.from(
    { length: PREVIEWS_PER_MESSAGE_MAX },
    (_, index) => `${site.url}/${index}`,
  );
  const id = await say(server, urls.join('\n'));
  await untilUnfurled(server);
  expect(await queue.now()).toMatchObject([{ type: 'update_message', message_ids: [id] }]);
  expect((await contentOf(server, id)).split('"message_embed"')).toHaveLength(25);
  expect(site.requests).toHaveLength(24);
});

test('a page that cannot be fetched stays a link, and is no bug', async () => {
  const { server, site } = await showing((path, response) => {
    if (path === '/off') response.destroy();
    else if (path === '/round') response.writeHead(302, { location: '/round' }).end();
    else response.writeHead(Number(path.slice(1)), { 'content-type': 'text/html' }).end(PAGE);
  });
  const paths = ['/off', '/round', '/404', '/500'];
  const content = paths.map((path) => site.url + path).join(' ');
  const id = await say(server, content);
  const before = await contentOf(server, id);
  await untilUnfurled(server);
  expect(await contentOf(server, id)).toBe(before);
  expect(site.requests.filter((path) => path !== '/round').toSorted()).toEqual([
    '/404',
    '/500',
    '/off',
  ]);
  expect(server.bugs).toEqual([]);
});

test('pages at addresses of this machine are not fetched, unless the operator wants it', async () => {
  const { server, site } = await showing(serve(PAGE), { CONFAB_PREVIEW_PRIVATE_ADDRESSES: '0' });
  const id = await say(server, `${site.url} http://localhost:${site.port}/`);
  await untilUnfurled(server);
  expect(site.requests).toEqual([]);
  expect(await contentOf(server, id)).not.toContain('message_embed');
});

const head = (inside: string) => `<html><head>${inside}</head><body></body></html>`;
const IMAGE = '<meta property="og:image" content="https://x.org/a.png">';
const AN_IMAGE = 'https://x.org/a.png';

test.each([
  ['no more than an image', head(IMAGE), { image: AN_IMAGE }],
  [
    'the words of HTML',
    head(`<title>T\n  t</title><meta name="description" content=" D ">${IMAGE}`),
    { image: AN_IMAGE, title: 'T t', description: 'D' },
  ],
  [
    'the words of a network',
    head(
      '<meta name="twitter:title" content="T"><meta name="twitter:image" content="//x.org/a.png">',
    ),
    { image: 'http://x.org/a.png', title: 'T' },
  ],
  [
    'an image named in a link, below another base',
    head('<base href="https://x.org/b/"><link rel="image_src" href="../a.png">'),
    { image: AN_IMAGE },
  ],
  [
    'the first of two',
    head(`${IMAGE}<meta property="og:image" content="/b.png">`),
    { image: AN_IMAGE },
  ],
  ['no body and no end', `${IMAGE}<title>T`, { image: AN_IMAGE, title: 'T' }],
  [
    'what would break out, if it were not text',
    head(`${IMAGE}<meta property="og:title" content="&quot;&gt;&lt;script&gt;\u0000\u202e">`),
    { image: AN_IMAGE, title: '&quot;&gt;&lt;script&gt; \u202e' },
  ],
  [
    'a title past its bound',
    head(`${IMAGE}<meta property="og:title" content="${'😀'.repeat(201)}">`),
    { image: AN_IMAGE, title: `${'😀'.repeat(199)}…` },
  ],
  [
    'a title at its bound',
    head(`${IMAGE}<meta property="og:title" content="${'😀'.repeat(200)}">`),
    { image: AN_IMAGE, title: '😀'.repeat(200) },
  ],
] as const)('of a page is shown %s', async (_what, html, parts) => {
  const { server, site } = await showing(serve(html));
  const id = await say(server, `see ${site.url}`);
  await untilUnfurled(server);
  const [, card] = withoutSignature(await contentOf(server, id)).split('</p>\n');
  expect(card).toBe(cardOf(site.url, parts));
});

test.each([
  ['no image', head('<meta property="og:title" content="T">')],
  [
    'an image that is no URL of the web',
    head('<meta property="og:image" content="data:image/png,x">'),
  ],
  [
    'an image behind a password',
    head('<meta property="og:image" content="https://a:b@x.org/a.png">'),
  ],
  [
    'an image of too long a URL',
    head(`<meta property="og:image" content="https://x.org/${'a'.repeat(2048)}">`),
  ],
  ['an image in its body alone', `<body><div>${IMAGE}</div></body>`],
  ['an image further down than is read', `<head>${' '.repeat(PAGE_BYTES_MAX)}${IMAGE}`],
])('a page with %s stays a link', async (_what, html) => {
  const { server, site } = await showing(serve(html));
  const id = await say(server, site.url);
  await untilUnfurled(server);
  expect(site.requests).toHaveLength(1);
  expect(await contentOf(server, id)).toBe(`<p><a href="${site.url}">${site.url}</a></p>`);
});

test.each(['application/json', 'image/png', 'text/plain', ''])(
  'what is of type "%s" is no page',
  async (type) => {
    const { server, site } = await showing(serve(PAGE, type));
    const id = await say(server, site.url);
    await untilUnfurled(server);
    expect(await contentOf(server, id)).not.toContain('message_embed');
  },
);

test.each([
  ['its headers', 'text/html; charset=windows-1252', ''],
  ['itself', 'text/html', '<meta charset="windows-1252">'],
  [
    'itself, the older way',
    'text/html',
    '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">',
  ],
])('a page is read in the encoding declared in %s', async (_where, type, said) => {
  const html = Buffer.from(head(`${said}${IMAGE}<title>Caf\u00e9</title>`), 'latin1');
  const { server, site } = await showing((_path, response) => {
    response.writeHead(200, { 'content-type': type }).end(html);
  });
  const id = await say(server, site.url);
  await untilUnfurled(server);
  expect(await contentOf(server, id)).toContain('title="Café"');
});

test('an unknown encoding is read as UTF-8', async () => {
  const { server, site } = await showing(
    serve(head(`${IMAGE}<title>Café</title>`), 'text/html; charset=none'),
  );
  const id = await say(server, site.url);
  await untilUnfurled(server);
  expect(await contentOf(server, id)).toContain('title="Café"');
});
