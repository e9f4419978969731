import { describe, expect, test } from 'vitest';
import { EXPANDED_HTML_LENGTH_MAX } from '../../src/domain/limits/markdown.ts';
import { isMeMessage, renderMarkdown } from '../../src/markdown/markdown.ts';
import { directory } from '../support/markdown/directory.ts';
import { codeBlock, emojiSpan, html, quoteOf, rich, spanOf } from '../support/markdown/html.ts';

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
  expect(rendered.html.startsWith(`<p>${emojiSpan('grinning_face', '1f600').repeat(1_000)}`)).toBe(
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
