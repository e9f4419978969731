import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MarkdownDirectory, NO_NAMES } from '../../src/domain/markdown/directory.ts';
import {
  isMeMessage,
  isPlainLine,
  renderMarkdown,
  renderWithParser,
} from '../../src/domain/markdown.ts';

const users = [
  { userId: 12, fullName: 'Ada Lovelace', isActive: true },
  { userId: 3, fullName: 'Mel', isActive: true },
  { userId: 4, fullName: 'Gone', isActive: false },
  { userId: 20, fullName: 'Twin', isActive: true },
  { userId: 21, fullName: 'Twin', isActive: true },
  { userId: 30, fullName: 'Heir', isActive: false },
  { userId: 31, fullName: 'Heir', isActive: true },
  { userId: 40, fullName: '<b>"x"&', isActive: true },
];
const channels = [
  { channelId: 5, name: 'design' },
  { channelId: 6, name: 'R.O.I. (100%) ü & <b>' },
];
const equalIgnoringCase = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
const directory: MarkdownDirectory = {
  ...NO_NAMES,
  usersNamed: (fullName) => users.filter((user) => equalIgnoringCase(user.fullName, fullName)),
  user: (userId) => users.find((user) => user.userId === userId),
  channelNamed: (name) => channels.find((channel) => equalIgnoringCase(channel.name, name)),
};
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

describe('5.3 channel links', () => {
  const design = (kind: string, path: string, text: string) =>
    `<p><a class="${kind}" data-stream-id="5" href="/#narrow/channel/5-design${path}">${text}</a></p>`;

  test.each([
    ['#**design**', design('stream', '', '#design')],
    ['#**Design**', design('stream', '', '#design')],
    ['#**design>logo**', design('stream-topic', '/topic/logo', '#design &gt; logo')],
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

test.each([
  ['/me waves', true],
  ['/me ', true],
  ['/me', false],
  ['/meow', false],
  [' /me waves', false],
])('%j is a /me message: %j', (content, expected) => {
  expect(isMeMessage(content)).toBe(expected);
});

/** Pieces that mean something, or nearly do. */
const fragments = [
  ...'*_~`#>-+|:![](){}<"\'\\&@/.=$%^;,?\n\t \r\0',
  ...['**', '***', '~~', '```', '~~~', '```quote\n', '- ', '1. ', '7) ', '# ', '> ', '    ', '---'],
  ...['|a|b|\n|-|:-|\n', '@**', '@_**', '#**', 'Mel', 'all', 'topic', '|12', '|', '<b>"x"&'],
  ...[
    'design',
    'http://',
    'https://x.org',
    'mailto:',
    'javascript:',
    'data:',
    'a',
    'word',
    '&#58;',
  ],
  ...['&lt;', '&quot;', '](', '[a](', '<script>', '"onload="', "' style='", '<!--', '\n\n', '\\'],
  ...[
    'ü',
    '💬',
    '\ud800',
    '\u2028',
    '\u00a0',
    '12',
    '/me ',
    'x.org',
    '()',
    '" "',
    '<https://x.org>',
  ],
];
const markup = fc
  .array(fc.constantFrom(...fragments), { maxLength: 40 })
  .map((pieces) => pieces.join(''));
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.string(), markup);
/** Mostly words and punctuation as people type them, so that most of these lines are plain. */
const line = fc
  .array(
    fc.oneof(
      {
        weight: 20,
        arbitrary: fc.constantFrom('word', 'a', "don't", 'ü', '7', '💬', 'http', 'x.org'),
      },
      {
        weight: 10,
        arbitrary: fc.constantFrom(' ', ', ', ': ', '. ', '/', '-', '_', '(', ')', '"'),
      },
      { weight: 1, arbitrary: fc.constantFrom(...fragments) },
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));

describe('the shortcut for plain lines', () => {
  test.each([
    '|trey|, top in the list --> ubuntu servers',
    "usual, quite stable though :) isn't it?",
    'a_b_c + d = e & f < g ~ /dev/null ! user@x.org #3 50% @all {a} (b) ^ | $HOME',
    '+1',
    '#channel',
    '1.5 of 2)',
  ])('is taken by %j', (content) => {
    expect(isPlainLine(content, directory)).toBe(true);
    expect(renderMarkdown(content, directory)).toEqual(renderWithParser(content, directory));
  });

  test('gives what the parser gives', () => {
    let plainLines = 0;
    fc.assert(
      fc.property(fc.oneof(line, anyText), (content) => {
        if (isPlainLine(content, directory)) plainLines += 1;
        expect(renderMarkdown(content, directory)).toEqual(renderWithParser(content, directory));
      }),
      { numRuns: 3_000 },
    );
    expect(plainLines).toBeGreaterThan(300);
  });
});

test('whatever is typed, the HTML holds nothing but what the clients expect', () => {
  fc.assert(
    fc.property(anyText, (content) => expectSafe(html(content))),
    { numRuns: 3_000 },
  );
});

const NO_ATTRIBUTES = /^$/;
const ALLOWED_ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    'p br hr em strong del code pre blockquote ul li h1 h2 h3 h4 h5 h6 table thead tbody tr'
      .split(' ')
      .map((tag) => [tag, NO_ATTRIBUTES]),
  ),
  ol: /^( start="\d+")?$/,
  th: /^( style="text-align: (left|right|center);")?$/,
  td: /^( style="text-align: (left|right|center);")?$/,
  div: /^ class="codehilite"( data-code-language="[^"<>]+")?$/,
  span: /^( aria-label="[^"<>]+" class="emoji emoji-[0-9a-f-]+" role="img" title="[^"<>]+"| class="[a-z]{1,2}"| class="user-mention( channel-wildcard-mention)?( silent)?" data-user-id="(\d+|\*)"| class="topic-mention( silent)?")?$/,
  a: /^( href="(https?:\/\/[^"<>/]|mailto:|tel:|sms:)[^"<>]*"( title="[^"<>]*")?| class="stream(-topic)?" data-stream-id="\d+" href="\/#narrow\/[^"<>]*"| class="message-link" href="\/#narrow\/[^"<>]*")$/i,
};

/** As strict as the output is regular: every `<` begins a known tag, and tags are balanced. */
function expectSafe(rendered: string): void {
  const open: string[] = [];
  const tag = /<(\/?)([a-z0-9]+)([^<>]*)>/y;
  for (let at = rendered.indexOf('<'); at >= 0; at = rendered.indexOf('<', tag.lastIndex)) {
    tag.lastIndex = at;
    const [, slash, name = '', attributes = ''] = tag.exec(rendered) ?? [];
    expect(ALLOWED_ATTRIBUTES, `tag at ${at} of ${rendered}`).toHaveProperty(name);
    if (slash) {
      expect(attributes).toBe('');
      expect(open.pop(), `closes at ${at} of ${rendered}`).toBe(name);
    } else {
      expect(attributes, rendered).toMatch(ALLOWED_ATTRIBUTES[name] ?? NO_ATTRIBUTES);
      if (name === 'a') expect(open, rendered).not.toContain('a');
      if (name !== 'br' && name !== 'hr') open.push(name);
    }
  }
  expect(open, rendered).toEqual([]);
  expect(rendered.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>"]/);
}

describe('time grows with the length alone', () => {
  const repeated = (piece: string) => (length: number) =>
    piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  const hostile: Record<string, (length: number) => string> = Object.fromEntries(
    [
      ...[
        '[',
        ']',
        '*',
        '`',
        '_',
        '~~',
        '>',
        '> ',
        '(((',
        '@**',
        '#**',
        '@_**a|',
        '<',
        '&',
        '\\',
        '\n',
      ],
      ...['[a](', '[a](b', '[a](<', '[a](b "', '[](http://a.b)', '![', '](', '[`', '[[a](b)'],
      ...['- ', '- a\n', '1. ', '> - ', '- ```\n', '~~~quote\n', '```quote\n~~~quote\n', '```\n'],
      ...['|', '|a|\n|-|\n|\n', '# a\n', '    a\n\n', 'http:', 'http://', 'http://a.b/(', 'a@b.'],
      ...['http://a.b/[({', 'mailto:a@b.', '***a ', 'a**b*', '*a~~b', '@**a** ', ':', '\t', '<a:'],
    ].map((piece) => [piece, repeated(piece)]),
  );
  hostile['brackets around a link'] = (length) => `${'['.repeat(length)}[a](http://b.c)`;
  hostile['closed brackets'] = (length) => `${'['.repeat(length / 2)}x${']'.repeat(length / 2)}`;
  hostile['stars around a word'] = (length) =>
    `${'*'.repeat(length / 2)}x${'*'.repeat(length / 2)}`;
  hostile['a wide table of short rows'] = (length) =>
    `${'|a'.repeat(length / 8)}|\n${'|-'.repeat(length / 8)}|\n${'|\n'.repeat(length / 4)}`;
  hostile['runs of backticks of all lengths'] = (length) =>
    Array.from({ length: Math.sqrt(2 * length) }, (_, index) => '`'.repeat(index)).join(' ');
  hostile['one long URL'] = (length) => `http://a.b/${'c'.repeat(length)}`;

  /** The shortest of some runs: what the machine does besides only ever makes a run longer. */
  const millisecondsFor = (content: string, runs: number) => {
    const times = Array.from({ length: runs }, () => {
      const started = performance.now();
      html(content);
      return performance.now() - started;
    });
    return Math.min(...times);
  };

  // Between n and 2n linear and quadratic differ by 2 only, which a collection of garbage can
  // hide; between n and 8n it is 8 to 64. What takes less than 0.3 ms is counted as that.
  test.each(Object.keys(hostile))('for %j', { retry: 3 }, (name) => {
    const content = hostile[name] ?? String;
    const short = Math.max(0.3, millisecondsFor(content(4_000), 5));
    const long = millisecondsFor(content(32_000), 3);
    expect(long / short).toBeLessThan(36);
  });
});
