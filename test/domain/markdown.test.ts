import { describe, expect, test, vi } from 'vitest';
import {
  EXPANDED_HTML_LENGTH_MAX,
  FORMULAS_MAX,
  HIGHLIGHTED_LENGTH_MAX,
  HIGHLIGHTED_LINE_LENGTH_MAX,
  MATH_LENGTH_MAX,
} from '../../src/domain/limits.ts';
import { isMeMessage, renderMarkdown } from '../../src/domain/markdown.ts';
import { directory, richDirectory } from '../support/markdown-directory.ts';

const html = (content: string) => renderMarkdown(content, directory).html;
const codeBlock = (code: string, language?: string) =>
  `<div class="codehilite"${language ? ` data-code-language="${language}"` : ''}>` +
  `<pre><span></span><code>${code}</code></pre></div>`;
const spanOf = (userId: number, name: string) =>
  `<span class="user-mention" data-user-id="${userId}">@${name}</span>`;
const silentSpanOf = (userId: number, name: string) =>
  `<span class="user-mention silent" data-user-id="${userId}">${name}</span>`;

describe('5.1 text', () => {
  test.each([
    ['', ''],
    ['\n\n', ''],
    ['hello', '<p>hello</p>'],
    ['a & "b" <3 >', '<p>a &amp; &quot;b&quot; &lt;3 &gt;</p>'],
    ['<b onclick="x">', '<p>&lt;b onclick=&quot;x&quot;&gt;</p>'],
    ['one\ntwo', '<p>one<br>\ntwo</p>'],
    ['one\r\n\r\ntwo', '<p>one</p>\n<p>two</p>'],
    ['/me waves', '<p>/me waves</p>'],
    [
      '*a* **b** ***c*** ~~d~~',
      '<p><em>a</em> <strong>b</strong> <strong><em>c</em></strong> <del>d</del></p>',
    ],
    ['***a** b*', '<p><em><strong>a</strong> b</em></p>'],
    ['***a* b**', '<p><strong><em>a</em> b</strong></p>'],
    ['***a*** and ***b***', `<p>${strongEm('a')} and ${strongEm('b')}</p>`],
    ['_a_ __b__ c_d_e', '<p>_a_ __b__ c_d_e</p>'],
    ['`x<y`', '<p><code>x&lt;y</code></p>'],
    ['\\*a\\*', '<p>*a*</p>'],
    ['a\n===', '<p>a<br>\n===</p>'],
    ['a\n---', '<p>a</p>\n<hr>'],
    ['---', '<hr>'],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(expected);
  });
});

function strongEm(word: string): string {
  return `<strong><em>${word}</em></strong>`;
}

describe('5.1 blocks', () => {
  test.each([
    ['# Hi', '<h1>Hi</h1>'],
    ['###### Hi', '<h6>Hi</h6>'],
    ['####### Hi', '<p>####### Hi</p>'],
    ['#Hi', '<p>#Hi</p>'],
    ['#', '<p>#</p>'],
    ['* a', '<ul>\n<li>a</li>\n</ul>'],
    ['- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
    ['1. a', '<ol>\n<li>a</li>\n</ol>'],
    ['3. a', '<ol start="3">\n<li>a</li>\n</ol>'],
    ['* a\n  * b', '<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>'],
    ['text\n* a', '<p>text</p>\n<ul>\n<li>a</li>\n</ul>'],
    ['text\n3. a', '<p>text</p>\n<ol start="3">\n<li>a</li>\n</ol>'],
    ['it was\n1984. Then', '<p>it was<br>\n1984. Then</p>'],
    ['1. a\n  * b\n2. c', listOf('ol', nested('a', 'ul', 'b'), '<li>c</li>')],
    [
      '1. a\n  1. b\n    1. c\n2. d',
      listOf('ol', nested('a', 'ol', nested('b', 'ol', 'c')), '<li>d</li>'),
    ],
    ['1. a\n   * b', listOf('ol', nested('a', 'ul', 'b'))],
    ['* a\n  1. b\n    * c', listOf('ul', `<li>a\n${listOf('ol', nested('b', 'ul', 'c'))}\n</li>`)],
    ['10. a\n  - b\n\ntext', `<ol start="10">\n${nested('a', 'ul', 'b')}\n</ol>\n<p>text</p>`],
    ['2)', '<p>2)</p>'],
    ['-', '<p>-</p>'],
    ['+1', '<p>+1</p>'],
    ['> q', '<blockquote>\n<p>q</p>\n</blockquote>'],
    [
      '```quote\nq\n\n* a\n```\nafter',
      quoteOf('<p>q</p>\n<ul>\n<li>a</li>\n</ul>', '<p>after</p>'),
    ],
    ['~~~ quote\nunclosed', quoteOf('<p>unclosed</p>')],
    ['````quote\n```\nx\n```\n````', quoteOf(codeBlock('x\n'))],
    [
      '|a|b|\n|---|:-:|\n|1|2|',
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th style="text-align: center;">b</th>\n</tr>\n</thead>\n' +
        '<tbody>\n<tr>\n<td>1</td>\n<td style="text-align: center;">2</td>\n</tr>\n</tbody>\n</table>',
    ],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(expected);
  });

  test('what is nested too deep is shown as text, and nothing is lost', () => {
    const quoted = html(`${'>'.repeat(40)} end`);
    expect(quoted.match(/<blockquote>/g)).toHaveLength(20);
    expect(quoted).toContain(`<p>${'&gt;'.repeat(20)} end</p>`);
    expect(html(`${'* '.repeat(40)} end`)).toMatch(/(\* ){30} end</);
  });

  test('the cells of the tables of a message are bounded', () => {
    const wide = `${'|a'.repeat(500)}|\n${'|-'.repeat(500)}|\n${'|\n'.repeat(1_000)}`;
    const rendered = html(wide);
    expect(rendered.match(/<t[dh]>/g)?.length).toBe(5_000);
    expect(rendered).toContain('<p>|<br>');
  });
});

function listOf(tag: 'ol' | 'ul', ...items: string[]): string {
  return `<${tag}>\n${items.join('\n')}\n</${tag}>`;
}
function nested(text: string, tag: 'ol' | 'ul', inner: string): string {
  const item = inner.startsWith('<li>') ? inner : `<li>${inner}</li>`;
  return `<li>${text}\n${listOf(tag, item)}\n</li>`;
}
function quoteOf(inner: string, after?: string): string {
  return `<blockquote>\n${inner}\n</blockquote>${after ? `\n${after}` : ''}`;
}

describe('5.1 links', () => {
  test.each([
    ['https://x.org', '<p><a href="https://x.org">https://x.org</a></p>'],
    ['see http://x.org/a_b_c?d=e&f#g.', anchorIn('see ', 'http://x.org/a_b_c?d=e&amp;f#g', '.')],
    ['(https://x.org/a(b))', anchorIn('(', 'https://x.org/a(b)', ')')],
    ['mailto:a@x.org', anchorIn('', 'mailto:a@x.org', '')],
    ['*https://x.org/*', '<p><em><a href="https://x.org/">https://x.org/</a></em></p>'],
    ['~~https://x.org/~~', '<p><del><a href="https://x.org/">https://x.org/</a></del></p>'],
    ['HTTP://x.org/ü', '<p><a href="HTTP://x.org/%C3%BC">HTTP://x.org/ü</a></p>'],
    ['x.org www.x.org a@x.org', '<p>x.org www.x.org a@x.org</p>'],
    ['ftp://x.org //x.org xhttp://x.org', '<p>ftp://x.org //x.org xhttp://x.org</p>'],
    ['<https://x.org>', '<p><a href="https://x.org">https://x.org</a></p>'],
    ['[t](https://x.org)', '<p><a href="https://x.org">t</a></p>'],
    ['[t](https://x.org "a title")', '<p><a href="https://x.org" title="a title">t</a></p>'],
    ['[*t*](<https://x.org>)', '<p><a href="https://x.org"><em>t</em></a></p>'],
    ['[](https://x.org)', '<p><a href="https://x.org">https://x.org</a></p>'],
    ['[f](/user_uploads/1/ab/c/ü.txt)', '<p><a href="/user_uploads/1/ab/c/%C3%BC.txt">f</a></p>'],
    [
      '[f](/user_uploads) [f](/x) [f](//user_uploads/)',
      '<p>[f](/user_uploads) [f](/x) [f](//user_uploads/)</p>',
    ],
    [
      '[here](/#narrow/channel/5-design/topic/logo) [and](#narrow/dm/3) [x](/#settings)',
      '<p><a href="/#narrow/channel/5-design/topic/logo">here</a> <a href="#narrow/dm/3">and</a> [x](/#settings)</p>',
    ],
    ['/user_uploads/1/ab/c/d.txt', '<p>/user_uploads/1/ab/c/d.txt</p>'],
    ['[a [b] c](tel:1)', '<p><a href="tel:1">a [b] c</a></p>'],
    ['[a [b](sms:1) c](tel:1)', '<p>[a <a href="sms:1">b</a> c](tel:1)</p>'],
    ['[a `](tel:1)` b](tel:2)', '<p><a href="tel:2">a <code>](tel:1)</code> b</a></p>'],
    ['[a \\](tel:1)', '<p>[a ](tel:1)</p>'],
    ['[https://x.org](https://y.org)', '<p><a href="https://y.org">https://x.org</a></p>'],
    ['[<https://x.org>](tel:1)', '<p><a href="tel:1">&lt;https://x.org&gt;</a></p>'],
    ['![t](https://x.org/a.png)', '<p>!<a href="https://x.org/a.png">t</a></p>'],
    ['[t](javascript:alert(1))', '<p>[t](javascript:alert(1))</p>'],
    ['[t](java&#115;cript:alert(1))', '<p>[t](javascript:alert(1))</p>'],
    ['[t](data:text/html,x)', '<p>[t](data:text/html,x)</p>'],
    ['[t](http:x) [t]() [t](/x)', '<p>[t](http:x) [t]() [t](/x)</p>'],
    ['<javascript:x>', '<p>&lt;javascript:x&gt;</p>'],
    ['[t]\n\n[t]: https://x.org', anchorAfter('<p>[t]</p>\n<p>[t]: ', 'https://x.org')],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(expected);
  });
});

test.each([
  ['https://chat.example.com/#narrow/channel/5-design', '#narrow/channel/5-design'],
  ['https://CHAT.example.com#narrow/dm/3', '#narrow/dm/3'],
  ['https://chat.example.com/#settings', 'https://chat.example.com/#settings'],
  ['https://chat.example.com/a#narrow/x', 'https://chat.example.com/a#narrow/x'],
  ['https://chat.example.com.org/#narrow/x', 'https://chat.example.com.org/#narrow/x'],
  ['http://chat.example.com/#narrow/x', 'http://chat.example.com/#narrow/x'],
])('5.1 a link to %j leads to %j', (url, href) => {
  expect(html(url)).toBe(`<p><a href="${href}">${url}</a></p>`);
  expect(html(`[t](${url})`)).toBe(`<p><a href="${href}">t</a></p>`);
});

function anchorIn(before: string, url: string, after: string): string {
  return `<p>${before}<a href="${url}">${url}</a>${after}</p>`;
}
function anchorAfter(before: string, url: string): string {
  return `${before}<a href="${url}">${url}</a></p>`;
}

describe('5.5 code', () => {
  test.each([
    ['```python\nx < 1\n```', codeBlock('x &lt; <span class="m">1</span>\n', 'Python')],
    ['~~~ c"<\nx', codeBlock('x', 'c&quot;&lt;')],
    ['```\nx\n```', codeBlock('x\n')],
    ['    x\n    y', codeBlock('x\ny\n')],
    ['```\n@**Mel** #**design** *a*\n```', codeBlock('@**Mel** #**design** *a*\n')],
  ])('%j becomes %j', (content, expected) => {
    expect(renderMarkdown(content, directory)).toMatchObject({
      html: expected,
      mentionedUserIds: [],
    });
  });
});

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
      pagesToVisit: [],
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
      pagesToVisit: [],
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

const picture = (name: string, code: string) => {
  const title = name.replaceAll('_', ' ');
  return `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`;
};
const image = (name: string, src: string) =>
  `<img alt=":${name}:" class="emoji" src="${src}" title="${name}">`;
const rich = (content: string) => renderMarkdown(content, richDirectory).html;

describe('5.4 emoji', () => {
  const smile = picture('smile', '1f642');

  test.each([
    [':smile:', smile],
    [':thumbs_up: :+1:', `${picture('thumbs_up', '1f44d')} ${picture('+1', '1f44d')}`],
    ['a:smile: :smile:b 你:smile:好 (:smile:)', `a${smile} ${smile}b 你${smile}好 (${smile})`],
    ['root:x:0 b8:ca:3a:a:b', 'root:x:0 b8:ca:3a:a:b'],
    [':smile::smile:', `${smile}${smile}`],
    [':x:smile:', `${picture('x', '274c')}smile:`],
    [':nothing:smile:', `:nothing${smile}`],
    [':unknown: : :: :-: :Smile: 12:30:45', ':unknown: : :: :-: :Smile: 12:30:45'],
    ['\\:smile:', ':smile:'],
    ['`:smile:`', '<code>:smile:</code>'],
    ['**:smile:**', `<strong>${smile}</strong>`],
    ['[:smile:](tel:1)', `<a href="tel:1">${smile}</a>`],
    [':party:', image('party', '/user_avatars/2/emoji/images/5.png')],
    [':service:', image('service', '/static/images/emoji/service.png')],
    [':acme:', ':acme:'],
    ['😀', picture('grinning_face', '1f600')],
    ['a😀b', `a${picture('grinning_face', '1f600')}b`],
    [
      '🇩🇪 🇩 1️⃣',
      `${picture('flag_germany', '1f1e9-1f1ea')} ${regional} ${picture('keycap_1', '0031-20e3')}`,
    ],
    ['👩‍❤️‍💋‍👨', picture('kiss_woman_man', '1f469-200d-2764-200d-1f48b-200d-1f468')],
    ['❤️', picture('red_heart', '2764')],
    ['❤ © ™ ✔ 😀\ufe0e 1 #', '❤ © ™ ✔ 😀\ufe0e 1 #'],
    ['👍🏽 🧑🏽‍💻', '👍🏽 🧑🏽‍💻'],
    ['`😀`', '<code>😀</code>'],
    ['https://x.org/😀', '<a href="https://x.org/%F0%9F%98%80">https://x.org/😀</a>'],
    [':) <3', ':) &lt;3'],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(`<p>${expected}</p>`);
  });

  test.each([
    [':)', smile],
    ['well :), :-) (: ok', `well ${smile}, ${smile} ${smile} ok`],
    [
      ':( <3 ;) :D',
      `${picture('slightly_frowning_face', '1f641')} ${picture('heart', '2764')} ${picture('wink', '1f609')} ${picture('grinning', '1f600')}`,
    ],
    ['a:) :)a http://a.b/:) :):)', 'a:) :)a <a href="http://a.b/:">http://a.b/:</a>) :):)'],
    ['`:)`', '<code>:)</code>'],
    [':acme:', image('acme', '/static/images/emoji/service.png')],
  ])('with the setting for emoticons, and a prefix, %j becomes %j', (content, expected) => {
    expect(rich(content)).toBe(`<p>${expected}</p>`);
  });
});

const regional = '🇩';

describe('5.5 highlighted code', () => {
  test.each([
    [
      '```python\ndef f(x):\n    return "<" # é\n```',
      codeBlock(
        '<span class="k">def</span> <span class="nf">f</span>(<span class="n">x</span>):\n' +
          '    <span class="k">return</span> <span class="s">&quot;&lt;&quot;</span> <span class="c"># é</span>\n',
        'Python',
      ),
    ],
    ['~~~ C++ and more\nint x;\n~~~', codeBlock('<span class="kt">int</span> x;\n', 'C++')],
    [
      '```html\n<script>let a</script>\n```',
      codeBlock(
        `${tagSpans('&lt;', 'script', '&gt;')}<span class="k">let</span> a${tagSpans('&lt;/', 'script', '&gt;')}\n`,
        'HTML',
      ),
    ],
    ['```klingon\nx < 1\n```', codeBlock('x &lt; 1\n', 'klingon')],
    ['```text\nif x\n```', codeBlock('if x\n', 'Text only')],
    ['```\nif x\n```', codeBlock('if x\n')],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(expected);
  });

  test('a fence without a language has that of the realm, an indented block has none', () => {
    expect(rich('```\nif x\n```')).toBe(codeBlock('<span class="k">if</span> x\n', 'Python'));
    expect(rich('```text\nif x\n```')).toBe(codeBlock('if x\n', 'Text only'));
    expect(rich('    if x')).toBe(codeBlock('if x\n'));
  });

  test('code beyond the bounds is shown without colours', () => {
    const line = `if ${'x'.repeat(HIGHLIGHTED_LINE_LENGTH_MAX - 3)}`;
    expect(html(`\`\`\`python\n${line}\n\`\`\``)).toContain('<span class="k">if</span>');
    expect(html(`\`\`\`python\n${line}x\n\`\`\``)).toContain('<code>if x');
    const long = 'if x\n'.repeat(HIGHLIGHTED_LENGTH_MAX / 5);
    expect(html(`\`\`\`python\n${long}\`\`\``)).toContain('<span class="k">if</span>');
    expect(html(`\`\`\`python\n${long}\n\`\`\``)).toContain('<code>if x');
  });
});

function tagSpans(...pieces: string[]): string {
  return pieces.map((piece) => `<span class="nt">${piece}</span>`).join('');
}

describe('5.5 spoilers', () => {
  const spoiler = (header: string, body: string) =>
    `<div class="spoiler-block"><div class="spoiler-header">\n${header}</div>` +
    `<div class="spoiler-content" aria-hidden="true">\n${body}</div></div>`;

  test.each([
    ['```spoiler Title\nbody\n```', spoiler('<p>Title</p>\n', '<p>body</p>\n')],
    ['```spoiler\nbody\n```', spoiler('', '<p>body</p>\n')],
    [
      '~~~ spoiler *a* `b`\n* c\n~~~\nd',
      `${spoiler('<p><em>a</em> <code>b</code></p>\n', '<ul>\n<li>c</li>\n</ul>\n')}\n<p>d</p>`,
    ],
    ['```spoiler Title', spoiler('<p>Title</p>\n', '')],
    ['> ```spoiler a\n> b\n> ```', quoteOf(spoiler('<p>a</p>\n', '<p>b</p>\n'))],
    ['text\n```spoiler a\nb\n```', `<p>text</p>\n${spoiler('<p>a</p>\n', '<p>b</p>\n')}`],
    [
      '````spoiler a\n```spoiler b\nc\n```\n````',
      spoiler('<p>a</p>\n', `${spoiler('<p>b</p>\n', '<p>c</p>\n')}\n`),
    ],
    ['```spoilers a\nb\n```', codeBlock('b\n', 'spoilers')],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(expected);
  });

  test('who is mentioned within one is mentioned', () => {
    const rendered = renderMarkdown('```spoiler @**Mel**\n@*Support*\n```', directory);
    expect(rendered).toMatchObject({ mentionedUserIds: [3], mentionedGroupIds: [7] });
  });
});

describe('5.5 times', () => {
  const time = (datetime: string, text: string) => `<time datetime="${datetime}">${text}</time>`;
  const wrong = (text: string) =>
    `<span class="timestamp-error">Invalid time format: ${text}</span>`;

  test.each([
    ['2023-05-28T13:30:00+05:30', '2023-05-28T08:00:00Z'],
    ['2023-05-28T13:30:00Z', '2023-05-28T13:30:00Z'],
    ['2023-05-28T13:30:00.5-0130', '2023-05-28T15:00:00Z'],
    ['2023-05-28T13:30', '2023-05-28T13:30:00Z'],
    ['2023-05-28 13:30', '2023-05-28T13:30:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['1685280600', '2023-05-28T13:30:00Z'],
    ['0', '1970-01-01T00:00:00Z'],
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    ['253402300799', '9999-12-31T23:59:59Z'],
  ])('%s is %s', (typed, datetime) => {
    expect(html(`at <time:${typed}>.`)).toBe(`<p>at ${time(datetime, typed)}.</p>`);
  });

  test.each([
    ...[
      'yesterday',
      '2023-02-29',
      '2023-01-00',
      '2023-01-99',
      '2023-05-28T24:00',
      '2023-13-01',
      '253402300800',
      '-1',
      '1e9',
    ],
    ...['0001-01-01T00:00+01:00', '2023-05-28T13:30+24:00'],
  ])('%s is none', (typed) => {
    expect(html(`<time:${typed}>`)).toBe(`<p>${wrong(typed)}</p>`);
  });

  test('what it says is escaped, and what is no time at all is text', () => {
    expect(html('<time:"&>')).toBe(`<p>${wrong('&quot;&amp;')}</p>`);
    expect(html('<time:> <time:1')).toBe('<p>&lt;time:&gt; &lt;time:1</p>');
    expect(html(`<time:${'1'.repeat(65)}>`)).toBe(`<p>&lt;time:${'1'.repeat(65)}&gt;</p>`);
    expect(html('`<time:1>`')).toBe('<p><code>&lt;time:1&gt;</code></p>');
  });
});

describe('5.5 math', () => {
  const mathMl = (content: string, source: string, display = '') =>
    `<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"${display}>` +
    `<semantics><mrow>${content}</mrow><annotation encoding="application/x-tex">${source}</annotation>` +
    '</semantics></math></span><span class="katex-html" aria-hidden="true">';
  const wrong = (source: string) => `<span class="tex-error">${source}</span>`;

  test.each([
    ['$$x$$', mathMl('<mi>x</mi>', 'x')],
    ['$$a<b$$', mathMl('<mi>a</mi><mo>&lt;</mo><mi>b</mi>', 'a&lt;b')],
    ['$$*x*$$', mathMl('<mo>∗</mo><mi>x</mi><mo>∗</mo>', '*x*')],
    ['**$$x$$**', `<strong>${mathMl('<mi>x</mi>', 'x')}`],
  ])('%j is set by the library', (content, expected) => {
    expect(html(content)).toContain(`<p>${expected}<span class="base">`);
  });

  test('a fence named math is a paragraph with one formula', () => {
    const rendered = html('```math\nx\n```\nafter');
    const formula = mathMl('<mi>x</mi>', 'x', ' display="block"');
    expect(rendered).toContain(`<p><span class="katex-display">${formula}`);
    expect(rendered).toMatch(/<\/span><\/span><\/p>\n<p>after<\/p>$/);
  });

  test.each([
    ['$$\\frac{$$', wrong('$$\\frac{$$')],
    ['$$\\nosuch"$$', wrong('$$\\nosuch&quot;$$')],
    ['$$\\def\\a{b}\\a$$', wrong('$$\\def\\a{b}\\a$$')],
    ['$$\\newcommand{\\a}{b}$$', wrong('$$\\newcommand{\\a}{b}$$')],
    ['$$ $$ $$ $$$x$$$ $$ $5 and $6', '$$ $$ $$ $$$x$$$ $$ $5 and $6'],
    ['$$a\nb$$', '$$a<br>\nb$$'],
    ['`$$x$$`', '<code>$$x$$</code>'],
    ['\\$$x$$', '$$x$$'],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(`<p>${expected}</p>`);
  });

  test.each([
    ...[
      '\\href{https://x.org}{x}',
      '\\url{https://x.org}',
      '\\includegraphics{https://x.org/a.png}',
    ],
    ...['\\htmlStyle{color:red}{x}', '\\htmlId{a}{x}'],
  ])('%s makes no link, no image and no attribute', (tex) => {
    expect(html(`$$${tex}$$`)).not.toMatch(/<a |<img|href=|src=|style="color:red|id=/);
  });

  test.each([
    ...['\\text{é☃}', 'é☃', '\\message{hi}', '\\errmessage{hi}', '\\show x', '\\def\\a{b}'],
  ])('%s writes nothing to the log of the server', (tex) => {
    const spies = [vi.spyOn(console, 'log'), vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
    html(`$$${tex}$$`);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  test.each([
    ...[
      '\\def\\a{b}',
      '\\gdef\\a{b}',
      '\\edef\\a{b}',
      '\\xdef\\a{b}',
      '\\let\\a=b',
      '\\futurelet\\a b',
    ],
    ...['\\global\\def\\a{b}', '\\long\\def\\a{b}', '\\newcommand\\a{b}', '\\renewcommand\\vec{b}'],
    ...['\\providecommand\\a{b}', '\\message{a}', '\\errmessage{a}', '\\show a'],
  ])('%s is not set, as it could stand for more than is seen', (tex) => {
    expect(html(`$$${tex}$$`)).toBe(`<p>${wrong(`$$${tex}$$`)}</p>`);
    expect(html('$$\\left(x\\right) \\Delta$$')).toContain('class="katex"');
  });

  test('formulas beyond the bound of a message are shown as text', () => {
    const long = `$$${'x'.repeat(MATH_LENGTH_MAX - 1)}$$`;
    expect(html(`${long} $$y$$`).match(/class="katex"/g)).toHaveLength(2);
    expect(html(`${long} $$yz$$`)).toMatch(/ \$\$yz\$\$<\/p>$/);
    expect(html(`\`\`\`math\n${'x'.repeat(MATH_LENGTH_MAX + 1)}\n\`\`\``)).toBe(
      `<p>${'x'.repeat(MATH_LENGTH_MAX + 1)}</p>`,
    );
  });

  test('so many formulas are set in a message, and no more', () => {
    const rendered = html('$$x$$ '.repeat(FORMULAS_MAX + 1));
    expect(rendered.match(/class="katex"/g)).toHaveLength(FORMULAS_MAX);
    expect(rendered).toMatch(/ \$\$x\$\$<\/p>$/);
  });

  test('what is nested deeper than the library can read is no formula', () => {
    const deep = `$$${'{'.repeat(999)}x${'}'.repeat(999)}$$`;
    expect(html(deep)).toMatch(/^<p><span class="(katex|tex-error)">/);
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
    ['😀#12 @**Mel**#12', `${picture('grinning_face', '1f600')}#12 ${spanOf(3, 'Mel')}#12`],
    ['AB-7', link('https://y.org/?project=AB&amp;n=7', 'AB-7')],
    ['go/x"y', link('/x%22y', 'go/x&quot;y')],
    ['go//evil.org', 'go//evil.org'],
    [`x "><`, `x ${link('https://z.org/%22%3E%3C#%22%3E%3C', '&quot;&gt;&lt;')}`],
  ])('%j becomes %j', (content, expected) => {
    expect(rich(content)).toBe(`<p>${expected}</p>`);
  });
});

test('markup that is longer than its source is bounded; the rest is shown as it was typed', () => {
  const pieces = [
    ':party:',
    '@**|12** ',
    '@*Support* ',
    '#**design>** ',
    '#12 ',
    '<time:1> ',
    '$$x$$ ',
  ];
  for (const piece of pieces) {
    const content = piece.repeat(10_000 / piece.length);
    const bound = EXPANDED_HTML_LENGTH_MAX + 6 * content.length;
    expect(rich(content).length, piece).toBeLessThan(bound);
  }
  const rendered = renderMarkdown(`${'😀'.repeat(9_900)} @**Mel**`, directory);
  expect(rendered.html.startsWith(`<p>${picture('grinning_face', '1f600').repeat(1_000)}`)).toBe(
    true,
  );
  expect(rendered.html.endsWith(`${'😀'.repeat(1_000)} ${spanOf(3, 'Mel')}</p>`)).toBe(true);
  expect(rendered.mentionedUserIds).toEqual([3]);
});

test.each([
  ['/me waves', true],
  ['/me ', true],
  ['/me', false],
  ['/meow', false],
  [' /me waves', false],
])('%j is a /me message: %j', (content, expected) => {
  expect(isMeMessage(content)).toBe(expected);
});
