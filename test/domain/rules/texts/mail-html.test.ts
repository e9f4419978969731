import { expect, test } from 'vitest';
import { mailHtml } from '../../../../src/domain/rules/texts/mail-html.ts';

const URL = 'https://chat.example.com';

test.each([
  [
    'a link within the realm',
    '<a href="/user_uploads/1/a.txt">a</a>',
    `<a href="${URL}/user_uploads/1/a.txt">a</a>`,
  ],
  ['a link to a narrow', '<a href="#narrow/is/dm">d</a>', `<a href="${URL}/#narrow/is/dm">d</a>`],
  [
    'a link elsewhere',
    '<a href="https://example.org/?a=1&amp;b=%22">x</a>',
    '<a href="https://example.org/?a=1&amp;b=%22">x</a>',
  ],
  ['what is no address', '<a href="http://[">x</a>', '<a>x</a>'],
  [
    'what only looks',
    '<span class="user-mention" data-user-id="4">@Mel</span>',
    '<span>@Mel</span>',
  ],
  ['an emoji', '<p><img class="emoji" src="/x.png" alt=":a&amp;b:"> hi</p>', '<p>:a&amp;b: hi</p>'],
  [
    'a spoiler',
    '<div class="spoiler-block"><div class="spoiler-header"><p>End</p></div>' +
      '<div class="spoiler-content" aria-hidden="true"><div><p>he dies</p></div></div></div>',
    '<div><div><p>End</p></div>(…)</div>',
  ],
  [
    'what was found where a link leads',
    '<p>a</p><div class="message_inline_image"><a href="/b"><img src="/c"></a></div><p>d</p>',
    '<p>a</p><p>d</p>',
  ],
  [
    'a formula by its source, which no program hides',
    '<p>a <span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow>' +
      '<annotation encoding="application/x-tex">x_1 &lt; 2</annotation></semantics></math></span>' +
      '<span class="katex-html" aria-hidden="true"><span class="mord">x</span></span></span> b</p>',
    '<p>a <span><span><code>x_1 &lt; 2</code></span></span> b</p>',
  ],
  ['text', '<p>1 &lt; 2<br>\n&quot;</p>', '<p>1 &lt; 2<br>\n&quot;</p>'],
])('a mail shows %s', (_, html, shown) => {
  expect(mailHtml(html, URL)).toBe(shown);
});
