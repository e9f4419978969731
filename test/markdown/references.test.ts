import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../src/markdown/markdown.ts';
import { directory } from '../support/markdown/directory.ts';
import { emojiSpan, html, rich, spanOf } from '../support/markdown/html.ts';

const silentSpanOf = (userId: number, name: string) =>
  `<span class="user-mention silent" data-user-id="${userId}">${name}</span>`;

describe('5.2 mentions', () => {
  test.each([
    ['@**Ada Lovelace**', [12], `<p>${spanOf(12, 'Ada Lovelace')}</p>`],
    ['@**ada lovelace** hi', [12], `<p>${spanOf(12, 'Ada Lovelace')} hi</p>`],
    ['@**Ada Lovelace|12**', [12], `<p>${spanOf(12, 'Ada Lovelace')}</p>`],
    ['@**|12**', [12], `<p>${spanOf(12, 'Ada Lovelace')}</p>`],
    ['@_**Ada Lovelace|12**', [], `<p>${silentSpanOf(12, 'Ada Lovelace')}</p>`],
    ['@**Gone**', [], `<p>${silentSpanOf(4, 'Gone')}</p>`],
    ['@**Twin|21**', [21], `<p>${spanOf(21, 'Twin')}</p>`],
    ['@**Heir**', [31], `<p>${spanOf(31, 'Heir')}</p>`],
    ['@**Twin**', [], '<p>@**Twin**</p>'],
    ['@**Mel|12**', [], '<p>@**Mel|12**</p>'],
    ['@**Nobody** @**|99**', [], '<p>@**Nobody** @**|99**</p>'],
    ['@*nobody*', [], '<p>@*nobody*</p>'],
    ['a@**Mel**', [], '<p>a@<strong>Mel</strong></p>'],
    ['\\@**Mel**', [], '<p>@<strong>Mel</strong></p>'],
    ['`@**Mel**`', [], '<p><code>@**Mel**</code></p>'],
    ['(@**Mel**', [3], `<p>(${spanOf(3, 'Mel')}</p>`],
    ['@**<b>"x"&**', [40], `<p>${spanOf(40, '&lt;b&gt;&quot;x&quot;&amp;')}</p>`],
    ['[@**Mel**](tel:1)', [3], `<p><a href="tel:1">${spanOf(3, 'Mel')}</a></p>`],
    ['> @**Mel**', [3], `<blockquote>\n<p>${spanOf(3, 'Mel')}</p>\n</blockquote>`],
  ])('%j mentions %j and becomes %j', (content, mentionedUserIds, expected) => {
    expect(renderMarkdown(content, directory)).toEqual({
      html: expected,
      mentionedUserIds,
      mentionedGroupIds: [],
      wildcard: null,
      hasChannelWildcard: false,
      hasTopicWildcard: false,
      pagesToUnfurl: [],
    });
  });

  test('each person is listed once, in ascending order', () => {
    const content = '@**Ada Lovelace** @**Mel** @**mel** @**Heir** @_**Twin|20**';
    expect(renderMarkdown(content, directory).mentionedUserIds).toEqual([3, 12, 31]);
  });

  test.each([
    ['@**all**', 'channel', channelWildcard('@all')],
    ['@**everyone**', 'channel', channelWildcard('@everyone')],
    ['@**channel**', 'channel', channelWildcard('@channel')],
    ['@**stream**', 'channel', channelWildcard('@stream')],
    ['@_**all**', null, channelWildcard('all', ' silent')],
    ['@**topic**', 'topic', '<span class="topic-mention">@topic</span>'],
    ['@_**topic**', null, '<span class="topic-mention silent">topic</span>'],
  ])('the wildcard %j notifies the %j', (content, wildcard, expected) => {
    expect(renderMarkdown(content, directory)).toEqual({
      html: `<p>${expected}</p>`,
      mentionedUserIds: [],
      mentionedGroupIds: [],
      wildcard,
      hasChannelWildcard: wildcard === 'channel',
      hasTopicWildcard: wildcard === 'topic',
      pagesToUnfurl: [],
    });
  });

  test('of both wildcards the channel is the wider one', () => {
    expect(renderMarkdown('@**topic** @**all**', directory)).toMatchObject({
      wildcard: 'channel',
      hasChannelWildcard: true,
      hasTopicWildcard: true,
    });
  });
});

function channelWildcard(text: string, silent = ''): string {
  return `<span class="user-mention channel-wildcard-mention${silent}" data-user-id="*">${text}</span>`;
}

describe('5.2 mentions of groups', () => {
  const group = (groupId: number, name: string) =>
    `<span class="user-group-mention" data-user-group-id="${groupId}">@${name}</span>`;
  const silent = (groupId: number, name: string) =>
    `<span class="user-group-mention silent" data-user-group-id="${groupId}">${name}</span>`;

  test.each([
    ['@*Support*', [7], group(7, 'Support')],
    ['@*support* @*SUPPORT*', [7], `${group(7, 'Support')} ${group(7, 'Support')}`],
    ['@_*support*', [], silent(7, 'Support')],
    ['@*old hands*', [], silent(8, 'Old hands')],
    ['@_*Old hands*', [], silent(8, 'Old hands')],
    ['@*role:members* @*Support*', [2, 7], `${group(2, 'role:members')} ${group(7, 'Support')}`],
    ['@*<i>\'y"&*', [9], group(9, "&lt;i&gt;'y&quot;&amp;")],
    ['(@*Support*)', [7], `(${group(7, 'Support')})`],
    ['@*nobody* @_*nobody*', [], '@*nobody* @_*nobody*'],
    ['a@*Support*', [], 'a@<em>Support</em>'],
    ['`@*Support*`', [], '<code>@*Support*</code>'],
    ['@*Support', [], '@*Support'],
    ['@**Support**', [], '@**Support**'],
  ])('%j mentions %j', (content, mentionedGroupIds, expected) => {
    expect(renderMarkdown(content, directory)).toMatchObject({
      html: `<p>${expected}</p>`,
      mentionedGroupIds,
      mentionedUserIds: [],
      wildcard: null,
    });
  });
});

describe('5.3 channel links', () => {
  const design = (kind: string, path: string, text: string) =>
    `<p><a class="${kind}" data-stream-id="5" href="/#narrow/channel/5-design${path}">${text}</a></p>`;

  test.each([
    ['#**design**', design('stream', '', '#design')],
    ['#**Design**', design('stream', '', '#design')],
    ['#**design>new**', design('stream-topic', '/topic/new', '#design &gt; new')],
    ['#**design>logo**', design('stream-topic', '/topic/logo/with/214', '#design &gt; logo')],
    ['#**design>Logo**', design('stream-topic', '/topic/Logo/with/214', '#design &gt; Logo')],
    [
      '#**design>(no topic)**',
      design('stream-topic', '/topic/', '#design &gt; <em>general chat</em>'),
    ],
    [
      '#**design>@7**',
      '<p><a class="message-link" href="/#narrow/channel/5-design/topic//near/7">' +
        '#design &gt; <em>general chat</em> @ 💬</a></p>',
    ],
    [
      '#**"q\' &<**',
      '<p><a class="stream" data-stream-id="8" href="/#narrow/channel/8-.22q.27-.26.3C">' +
        "#&quot;q' &amp;&lt;</a></p>",
    ],
    [
      '#**design>v1.2 (a/b) > "c" 50%**',
      design(
        'stream-topic',
        '/topic/v1.2E2.20.28a.2Fb.29.20.3E.20.22c.22.2050.25',
        '#design &gt; v1.2 (a/b) &gt; &quot;c&quot; 50%',
      ),
    ],
    ['#**design>**', design('stream-topic', '/topic/', '#design &gt; <em>general chat</em>')],
    [
      '#**design>logo@214**',
      '<p><a class="message-link" href="/#narrow/channel/5-design/topic/logo/near/214">' +
        '#design &gt; logo @ 💬</a></p>',
    ],
    [
      '#**r.o.i. (100%) ü & <b>**',
      '<p>#**r.o.i. (100%) ü &amp; &lt;b&gt;**</p>', // `>` begins a topic
    ],
    ['#**nowhere**', '<p>#**nowhere**</p>'],
    ['`#**design**`', '<p><code>#**design**</code></p>'],
    ['[#**design**](tel:1)', '<p><a href="tel:1">#<strong>design</strong></a></p>'],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(expected);
  });

  test('a lone surrogate in a topic does not throw', () => {
    expect(html('#**design>\ud800**')).toContain('/topic/.EF.BF.BD"');
  });
});

describe('5.6 linkifiers', () => {
  const link = (url: string, text: string) => `<a href="${url}">${text}</a>`;
  const twelve = link('https://x.org/12', '#12');

  test.each([
    ['see #12.', `see ${twelve}.`],
    ['(#12) "#12" #12,#12', `(${twelve}) &quot;${twelve}&quot; ${twelve},${twelve}`],
    ['**#12** *#12*', `<strong>${twelve}</strong> <em>${twelve}</em>`],
    ['a\n#12\nb', `a<br>\n${twelve}<br>\nb`],
    ['x#12 #12a #12é /#12', 'x#12 #12a #12é /#12'],
    ['`#12` `x`#12 **x**#12', '<code>#12</code> <code>x</code>#12 <strong>x</strong>#12'],
    [
      '[#12](tel:1) https://x.org/#12',
      '<a href="tel:1">#12</a> <a href="https://x.org/#12">https://x.org/#12</a>',
    ],
    ['😀#12 @**Mel**#12', `${emojiSpan('grinning_face', '1f600')}#12 ${spanOf(3, 'Mel')}#12`],
    ['AB-7', link('https://y.org/?project=AB&amp;n=7', 'AB-7')],
    ['go/x"y', link('/x%22y', 'go/x&quot;y')],
    ['go//evil.org', 'go//evil.org'],
    [`x "><`, `x ${link('https://z.org/%22%3E%3C#%22%3E%3C', '&quot;&gt;&lt;')}`],
  ])('%j becomes %j', (content, expected) => {
    expect(rich(content)).toBe(`<p>${expected}</p>`);
  });
});
