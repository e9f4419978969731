import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/domain/markdown.ts';
import { richDirectory } from '../../support/markdown-directory.ts';

const html = (content: string) => renderMarkdown(content, richDirectory).html;

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
      ...['@*', '@*a', '@*a*', ':', ':a', ':a:', ':smile:', '::', '$$', '$$x', '$', '\\$', '$$\\$'],
      ...[
        '<time:',
        '<time:1',
        '<time:1>',
        ':)',
        ' :)',
        '<3 ',
        '😀',
        '👩\u200d',
        '🇩',
        '\ufe0f',
        '1\ufe0f\u20e3',
      ],
      ...['```spoiler a\n', '~~~spoiler\n```spoiler\n', '```math\nx\n```\n', '```math\n', '$$x$$ '],
      ...[
        '#1',
        '#1 ',
        '#1,',
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
      ...['```js\nlet x\n```\n', '```html\n<', 'https://chat.example.com/#narrow/ '],
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
  hostile['one emoji of many parts'] = (length) => '👩\u200d'.repeat(length / 3);
  hostile['a formula that is nothing but nested'] = (length) =>
    `$$${'{'.repeat(length / 2)}${'}'.repeat(length / 2)}$$`;
  hostile['code of one line'] = (length) => `\`\`\`java\n${'$'.repeat(length)}\n\`\`\``;
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
