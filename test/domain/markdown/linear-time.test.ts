import { describe, expect, test } from 'vitest';
import type { MarkdownDirectory } from '../../../src/domain/markdown/directory.ts';
import { renderMarkdown } from '../../../src/domain/markdown.ts';
import { previewing, richDirectory } from '../../support/markdown-directory.ts';

/** What means something, or nearly does, over and over: a line a kind of markup. */
const PIECES = [
  ...['[', ']', '*', '`', '_', '~~', '>', '> ', '(((', '<', '&', '\\', '\n', '|', '\t', ':'],
  ...['[a](', '[a](b', '[a](<', '[a](b "', '[](http://a.b)', '![', '](', '[`', '[[a](b)'],
  ...['- ', '- a\n', '1. ', '> - ', '1. a\n', '1. a\n- b\n', '1. a\n  1. b\n', '1. a\n\nb\n'],
  ...['1. a\n  1. b\n    1. c\n', '- ```\n', '~~~quote\n', '```quote\n~~~quote\n', '```\n'],
  ...['|a|\n|-|\n|\n', '# a\n', '    a\n\n', '***a ', 'a**b*', '*a~~b', '<a:'],
  ...['http:', 'http://', 'http://a.b/(', 'a@b.', 'http://a.b/[({', 'mailto:a@b.'],
  ...['@**', '@_**a|', '@**a** ', '@*', '@*a', '@*a*', '#**', 'https://chat.example.com/#narrow/ '],
  ...[
    ':a',
    ':a:',
    ':smile:',
    '::',
    ':)',
    ' :)',
    '<3 ',
    '😀',
    '👩\u200d',
    '🇩',
    '\ufe0f',
    '1\ufe0f\u20e3',
  ],
  ...['$$', '$$x', '$', '\\$', '$$\\$', '$$x$$ ', '```math\nx\n```\n', '```math\n'],
  ...['<time:', '<time:1', '<time:1>', '```js\nlet x\n```\n', '```html\n<'],
  ...['```spoiler a\n', '~~~spoiler\n```spoiler\n'],
  ...['https://a.b/c.png ', 'https://a.b/c.png\n\n', '- https://page.org/a\n'],
];

const SHAPES: Readonly<Record<string, (length: number) => string>> = {
  'links that all differ': (length) =>
    Array.from({ length: length / 20 }, (_, index) => `http://a.b/${index}.png`).join('\n\n'),
  'brackets around a link': (length) => `${'['.repeat(length)}[a](http://b.c)`,
  'closed brackets': (length) => `${'['.repeat(length / 2)}x${']'.repeat(length / 2)}`,
  'stars around a word': (length) => `${'*'.repeat(length / 2)}x${'*'.repeat(length / 2)}`,
  'a wide table of short rows': (length) =>
    `${'|a'.repeat(length / 8)}|\n${'|-'.repeat(length / 8)}|\n${'|\n'.repeat(length / 4)}`,
  'runs of backticks of all lengths': (length) =>
    Array.from({ length: Math.sqrt(2 * length) }, (_, index) => '`'.repeat(index)).join(' '),
  'one emoji of many parts': (length) => '👩\u200d'.repeat(length / 3),
  'a formula that is nothing but nested': (length) =>
    `$$${'{'.repeat(length / 2)}${'}'.repeat(length / 2)}$$`,
  'code of one line': (length) => `\`\`\`java\n${'$'.repeat(length)}\n\`\`\``,
  'one long URL': (length) => `http://a.b/${'c'.repeat(length)}`,
};

/** What linkifiers match, or nearly do. */
const LINKIFIED = [
  ...[
    '#1',
    '#1 ',
    '#1,',
    '#1\n',
    'A-',
    'AB',
    'AB-1 ',
    'go/',
    'go/a ',
    '<>',
    '"',
    '\rA',
    '#12a ',
    '\ufffc',
  ],
];

const repeated = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** The shortest of some runs: what the machine does besides only ever makes a run longer. */
function millisecondsFor(content: string, names: MarkdownDirectory, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const started = performance.now();
    renderMarkdown(content, names);
    return performance.now() - started;
  });
  return Math.min(...times);
}

/**
 * Between n and 2n linear and quadratic differ by 2 only, which a collection of garbage can hide;
 * between n and 8n it is 8 to 64. What takes less than 0.3 ms is counted as that.
 */
function expectLinear(
  contentOf: (length: number) => string,
  { names, length }: { names: MarkdownDirectory; length: number },
): void {
  const short = Math.max(0.3, millisecondsFor(contentOf(length), names, 5));
  const long = millisecondsFor(contentOf(8 * length), names, 3);
  expect(long / short).toBeLessThan(36);
}

describe('time grows with the length alone', () => {
  const names = { ...previewing, translatesEmoticons: true };

  test.each(PIECES)('for %j', { retry: 3 }, (piece) => {
    expectLinear((length) => repeated(piece, length), { names, length: 4_000 });
  });

  test.each(Object.entries(SHAPES))('for %s', { retry: 3 }, (_name, contentOf) => {
    expectLinear(contentOf, { names, length: 4_000 });
  });

  // Beyond 16,000 characters the engine takes another way, twenty times as slow for each.
  test.each(LINKIFIED)('for linkifiers on %j', { retry: 3 }, (piece) => {
    const contentOf = (length: number) => repeated(piece, length);
    expectLinear(contentOf, { names: richDirectory, length: 1_250 });
  });
});
