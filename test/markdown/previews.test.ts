import { describe, expect, test } from 'vitest';
import {
  PREVIEW_URL_LENGTH_MAX,
  PREVIEWS_PER_MESSAGE_MAX,
} from '../../src/domain/limits/external-content.ts';
import type { LinkPreviews } from '../../src/markdown/directory.ts';
import { renderMarkdown } from '../../src/markdown/markdown.ts';
import { directory, previewing } from '../support/markdown/directory.ts';

const html = (content: string) => renderMarkdown(content, previewing).html;
const only = (changes: Partial<LinkPreviews>) => {
  const { previews } = previewing;
  if (previews === null) throw new Error('it shows previews');
  return { ...previewing, previews: { ...previews, ...changes } };
};

const at = (url: string) =>
  `/external_content/0a/${Buffer.from(url.replaceAll('&amp;', '&'), 'utf8').toString('hex')}`;
const link = (url: string, label = url) => `<a href="${url}">${label}</a>`;
const titled = (url: string, title?: string) =>
  `href="${url}"${title === undefined ? '' : ` title="${title}"`}`;
const image = (url: string, title?: string) =>
  `<div class="message_inline_image"><a ${titled(url, title)}><img src="${at(url)}"></a></div>`;
const video = (url: string, title?: string) =>
  `<div class="message_inline_image message_inline_video"><a ${titled(url, title)}>` +
  `<video preload="metadata" src="${at(url)}"></video></a></div>`;
const site = (url: string, id = 'dQw4w9WgXcQ') =>
  `<div class="youtube-video message_inline_image"><a data-id="${id}" href="${url}">` +
  `<img src="${at(`https://i.ytimg.com/vi/${id}/mqdefault.jpg`)}"></a></div>`;

const PNG = 'https://x.org/a.png';
const JPG = 'https://y.org/b.jpg';
const MP4 = 'https://x.org/a.mp4';

describe('5.7 an external image', () => {
  test.each([
    ['in place of a paragraph that is only the link', PNG, image(PNG)],
    ['as an address in angles', `<${PNG}>`, image(PNG)],
    ['below a paragraph that says more', `see ${PNG}`, `<p>see ${link(PNG)}</p>\n${image(PNG)}`],
    [
      'titled by the name of its link, which stays',
      `[a "cat"](${PNG})`,
      `<p>${link(PNG, 'a &quot;cat&quot;')}</p>\n${image(PNG, 'a &quot;cat&quot;')}`,
    ],
    ['with what follows', `${PNG}\n\nafter`, `${image(PNG)}\n<p>after</p>`],
    [
      'in the order of the links of a paragraph',
      `${PNG} ${JPG}\n\n> q`,
      `<p>${link(PNG)} ${link(JPG)}</p>\n${image(PNG)}\n${image(JPG)}\n<blockquote>\n<p>q</p>\n</blockquote>`,
    ],
    ['once for a link that is repeated', `${PNG}\n\n${PNG}`, `${image(PNG)}\n<p>${link(PNG)}</p>`],
    [
      'in an item of a list',
      `- ${PNG}\n- b`,
      `<ul>\n<li>\n${image(PNG)}\n</li>\n<li>b</li>\n</ul>`,
    ],
    [
      'below the text of an item',
      `- see ${PNG}\n  - b`,
      `<ul>\n<li>see ${link(PNG)}\n${image(PNG)}\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>`,
    ],
    ['below a heading', `# ${PNG}`, `<h1>${link(PNG)}</h1>\n${image(PNG)}`],
    [
      'below a table',
      `|a|\n|-|\n|${PNG}|`,
      `<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>${link(PNG)}</td>\n</tr>\n</tbody>\n</table>\n${image(PNG)}`,
    ],
    [
      'where a spoiler hides it',
      `\`\`\`spoiler ${JPG}\n${PNG}\n\`\`\``,
      `<div class="spoiler-block"><div class="spoiler-header">\n<p>${link(JPG)}</p>\n</div><div class="spoiler-content" aria-hidden="true">\n${image(PNG)}\n</div></div>`,
    ],
    [
      'whatever follows its path',
      'https://x.org/a.PNG?a=1&b=2#c',
      image('https://x.org/a.PNG?a=1&amp;b=2#c'),
    ],
  ])('is shown %s', (_where, content, expected) => {
    expect(html(content)).toBe(expected);
  });

  test.each(['apng', 'avif', 'bmp', 'gif', 'jpe', 'jpeg', 'jpg', 'png', 'webp'])(
    'may be a .%s',
    (extension) => {
      const url = `http://x.org/a.${extension}`;
      expect(html(url)).toBe(image(url));
    },
  );

  test.each([
    ['in a quote', `> ${PNG}`, `<blockquote>\n<p>${link(PNG)}</p>\n</blockquote>`],
    [
      'in a quote by fences',
      `\`\`\`quote\n${PNG}\n\`\`\``,
      `<blockquote>\n<p>${link(PNG)}</p>\n</blockquote>`,
    ],
    ['in code', `\`${PNG}\``, `<p><code>${PNG}</code></p>`],
    ['of an image that runs scripts', 'https://x.org/a.svg', undefined],
    ['of something else', 'https://x.org/png', undefined],
    ['whose query alone ends so', 'https://x.org/?a.png', undefined],
    [
      'with a password',
      '<https://me:secret@x.org/a.png>',
      `<p>${link('https://me:secret@x.org/a.png')}</p>`,
    ],
    [
      'with a name of an account',
      '<https://me@x.org/a.png>',
      `<p>${link('https://me@x.org/a.png')}</p>`,
    ],
    ['of the realm itself', 'https://chat.example.com/a.png', undefined],
    ['to a mailbox', '<mailto:a@x.png>', '<p><a href="mailto:a@x.png">mailto:a@x.png</a></p>'],
  ])('is not shown %s', (_where, content, expected) => {
    const found = renderMarkdown(content, only({ showsPages: false })).html;
    expect(found).toBe(expected ?? `<p>${link(content)}</p>`);
  });

  test('is not shown of a URL past its bound', () => {
    const start = 'https://x.org/';
    const of = (length: number) => `${start}${'a'.repeat(length - start.length - 4)}.png`;
    const longest = of(PREVIEW_URL_LENGTH_MAX);
    expect(html(longest)).toBe(image(longest));
    const longer = of(PREVIEW_URL_LENGTH_MAX + 1);
    expect(html(longer)).toBe(`<p>${link(longer)}</p>`);
  });
});

describe('5.7 a video', () => {
  test.each<readonly [string, string, string]>([
    ['file', MP4, video(MP4)],
    ['file of the other kind', 'https://x.org/a.webm', video('https://x.org/a.webm')],
    ['file with a name', `[cats](${MP4})`, `<p>${link(MP4, 'cats')}</p>\n${video(MP4, 'cats')}`],
    ...[
      'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
      'http://m.youtube.com/watch?t=5&amp;v=dQw4w9WgXcQ',
      'https://youtu.be/dQw4w9WgXcQ?t=5',
      'https://youtube.com/shorts/dQw4w9WgXcQ',
      'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ',
    ].map((url) => ['of a video site', url, `<p>${link(url)}</p>\n${site(url)}`] as const),
  ])('%s is shown: %s', (_kind, content, expected) => {
    expect(html(content.replaceAll('&amp;', '&'))).toBe(expected);
  });

  test.each([
    'https://www.youtube.com/watch?v=short',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ%22x',
    'https://www.youtube.com/@someone',
    'https://youtube.com.x.org/watch?v=dQw4w9WgXcQ',
    'https://x.org/watch?v=dQw4w9WgXcQ',
  ])('of no video is nothing but a link: %s', (url) => {
    expect(renderMarkdown(url, only({ showsPages: false })).html).toBe(`<p>${link(url)}</p>`);
  });
});

describe('5.7 a website', () => {
  const PAGE = 'https://page.org/x';
  const card = (parts: string) =>
    `<div class="message_embed"><a class="message_embed_image" href="${PAGE}" style="background-image: url(${at('https://page.org/a.png')})"></a><div class="data-container">${parts}</div></div>`;
  const titleOf = (title: string) =>
    `<div class="message_embed_title"><a href="${PAGE}" title="${title}">${title}</a></div>`;
  const descriptionOf = (text: string) => `<div class="message_embed_description">${text}</div>`;

  test.each([
    [
      'title and description',
      'A <T>',
      '"D"',
      titleOf('A &lt;T&gt;') + descriptionOf('&quot;D&quot;'),
    ],
    ['no title', '', 'D', descriptionOf('D')],
    ['no description', 'T', '', titleOf('T')],
  ])('that was fetched is shown, with %s', (_with, title, description, parts) => {
    const known = { title, description, imageUrl: 'https://page.org/a.png' };
    const rendered = renderMarkdown(`see ${PAGE}`, only({ page: () => known }));
    expect(rendered.html).toBe(`<p>see ${link(PAGE)}</p>\n${card(parts)}`);
    expect(rendered.pagesToUnfurl).toEqual([]);
  });

  test('that was not fetched is to be, once; neither images nor what is quoted', () => {
    const content = `https://a.org ${PNG} https://b.org/ [a](https://a.org)\n\n> https://c.org`;
    const rendered = renderMarkdown(content, only({ page: () => undefined }));
    expect(rendered.pagesToUnfurl).toEqual(['https://a.org', 'https://b.org/']);
    expect(rendered.html).not.toContain('message_embed');
  });

  test('stays a link in a realm that shows media alone', () => {
    const rendered = renderMarkdown(`see ${PAGE}`, only({ showsPages: false }));
    expect(rendered).toMatchObject({ html: `<p>see ${link(PAGE)}</p>`, pagesToUnfurl: [] });
  });
});

test('5.7 without the setting, media are links, and pages are fetched all the same', () => {
  const content = `${PNG}\n\nhttps://youtu.be/dQw4w9WgXcQ`;
  const links = `<p>${link(PNG)}</p>\n<p>${link('https://youtu.be/dQw4w9WgXcQ')}</p>`;
  expect(renderMarkdown(content, directory)).toMatchObject({ html: links, pagesToUnfurl: [] });
  expect(renderMarkdown(content, only({ showsMedia: false, page: () => undefined }))).toMatchObject(
    {
      html: links,
      pagesToUnfurl: [PNG, 'https://youtu.be/dQw4w9WgXcQ'],
    },
  );
});

describe('5.7 "More than 24 distinct previewable links: none is previewed"', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => `https://x.org/${index}.png`);
  const shownIn = (content: string) => html(content).split('message_inline_image').length - 1;

  test('24 are shown, however often each is there, and whatever else is', () => {
    const urls = many(PREVIEWS_PER_MESSAGE_MAX);
    const others = `> https://x.org/quoted.png\n\n\`${PNG}\` <mailto:a@b.org>`;
    expect(shownIn(`${urls.join(' ')}\n${urls.join(' ')}\n\n${others}`)).toBe(24);
  });

  test('of 25 none is, and no page is fetched', () => {
    expect(shownIn(many(PREVIEWS_PER_MESSAGE_MAX + 1).join(' '))).toBe(0);
    const pages = Array.from({ length: 25 }, (_, index) => `https://x.org/${index}`).join(' ');
    expect(renderMarkdown(pages, only({ page: () => undefined })).pagesToUnfurl).toEqual([]);
  });
});
