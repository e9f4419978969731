import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPlainLine, renderMarkdown, renderWithParser } from '../../src/markdown/markdown.ts';
import { anyText, line } from '../support/markdown/content.ts';
import { directory, richDirectory } from '../support/markdown/directory.ts';

describe('the shortcut for plain lines', () => {
  test.each([
    '|trey|, top in the list --> ubuntu servers',
    "usual, quite stable though :) isn't it?",
    'a_b_c + d = e & f < g ~ /dev/null ! user@x.org #3 50% @all {a} (b) ^ | $HOME',
    '+1',
    '#channel',
    '1.5 of 2)',
    'x <3 y',
    'at 12:30, © 2024, ✔ 5$ :) <3 #12 AB-7 group: support',
  ])('is taken by %j', (content) => {
    expect(isPlainLine(content, directory)).toBe(true);
    expect(renderMarkdown(content, directory)).toEqual(renderWithParser(content, directory));
  });

  test.each([
    ...['at 12:30:45', ':smile:', 'a😀', '❤️', '$$x$$', '@*Support*', '<time:1>', '/me :smile:'],
  ])('is not taken by %j', (content) => {
    expect(isPlainLine(content, directory)).toBe(false);
  });

  test.each([...['see #12', 'AB-7', 'well :)', 'I <3 it']])(
    'is not taken by %j where it means something',
    (content) => {
      expect(isPlainLine(content, directory)).toBe(true);
      expect(isPlainLine(content, richDirectory)).toBe(false);
    },
  );

  test.each([
    { realm: 'a realm as it begins', names: directory },
    { realm: 'a realm with linkifiers and emoticons', names: richDirectory },
  ])('gives what the parser gives in $realm', ({ names }) => {
    let plainLines = 0;
    fc.assert(
      fc.property(fc.oneof(line, anyText), (content) => {
        if (isPlainLine(content, names)) plainLines += 1;
        expect(renderMarkdown(content, names)).toEqual(renderWithParser(content, names));
      }),
      { numRuns: 2_500 },
    );
    expect(plainLines).toBeGreaterThan(200);
  });
});
