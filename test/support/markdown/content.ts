import fc from 'fast-check';

/** Pieces that mean something, or nearly do. */
const fragments: readonly string[] = [
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
    '@*',
    '@_*',
    '@*Support*',
    '@_*role:members*',
    '<i>\'y"&',
    '#**design>logo@1**',
    '>logo',
    '@12',
  ],
  ...[
    '#**"q\' &<>',
    '#**"q\' &<>"<b>**',
    ':smile:',
    ':party:',
    ':service:',
    ':',
    ':+1',
    ':)',
    '<3',
  ],
  ...[
    '$$',
    '$$x$$',
    '\\frac',
    '{x}',
    '\\href{javascript:x}{y}',
    '\\text{<b>"}',
    '^{',
    '}',
    '\\unicode',
  ],
  ...['```math\n', '```spoiler ', '```spoiler "<b>\n', '~~~ spoiler x\n', '```html\n', '```js\n'],
  ...[
    '<time:',
    '<time:1>',
    '<time:"x">',
    '2023-05-28T13:30:00+05:30',
    '#12',
    'AB-7',
    'go/',
    'go//',
  ],
  ...['\ufe0f', '\u200d', '👍🏽', '❤️', '🇩', '🇪', '1️⃣', '👩', '\ufe0e', '\ufffc'],
  ...['https://chat.example.com/#narrow/', '[x](https://chat.example.com/#narrow/"<b>)'],
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
  ...[
    'https://x.org/a.png ',
    'https://x.org/a.png?"<b>',
    '[a"b](https://x.org/a.webm)',
    '["<b>](/user_uploads/2/ab/"<b>.png)',
    '[x](/user_uploads/2/ab/waiting.png?"<b>)',
    '[x](/user_uploads/2/ab/a.mp3)',
    'https://youtu.be/abcdefghijk ',
    'https://page.org/"x',
    '\n\nhttps://page.org\n\n',
  ],
];
const markup = fc
  .array(fc.constantFrom(...fragments), { maxLength: 40 })
  .map((pieces) => pieces.join(''));
/** Any text that can be typed, mostly nearly markup. */
export const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.string(), markup);
/** Mostly words and punctuation as people type them, so that most of these lines are plain. */
export const line = fc
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
/** Commands and characters of TeX, in any order: most is wrong, some is set. */
export const anyFormula = fc
  .array(
    fc.constantFrom(
      ...['x', '1', '+', '<', '>', '"', "'", '&', '{', '}', '^', '_', ' ', '~', '%', '#', '\\\\'],
      ...[
        '\\frac{a}{b}',
        '\\sqrt{x}',
        '\\text{<b>}',
        '\\href{javascript:x}{y}',
        '\\url{https://x.org}',
      ],
      ...[
        '\\includegraphics{https://x.org/a.png}',
        '\\htmlClass{a}{b}',
        '\\htmlStyle{color:red}{b}',
      ],
      ...['\\htmlData{a="<b>"}{c}', '\\color{red}', '\\color{#f00}', '\\textcolor{url(x)}{y}'],
      ...[
        '\\rule{1em}{1em}',
        '\\begin{matrix}a&b\\\\c\\end{matrix}',
        '\\overbrace{x}',
        '\\vec{x}',
        '\\tag{1}',
      ],
      ...[
        '\\left(',
        '\\right)',
        '\\cancel{x}',
        '\\unicode',
        'é',
        '😀',
        '<script>',
        '\\hspace{5em}',
      ],
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));
