import { expect, test } from 'vitest';
import { noticeText } from '../../../../src/domain/rules/texts/html-text.ts';
import { renderMarkdown } from '../../../../src/markdown/markdown.ts';
import { directory } from '../../../support/markdown/directory.ts';

const textOf = (content: string, lengthMax = 200) =>
  noticeText(renderMarkdown(content, directory).html, lengthMax);

test.each([
  { content: 'hi', text: 'hi' },
  { content: '1 < 2 & "so" <b>x</b>', text: '1 < 2 & "so" <b>x</b>' },
  { content: '**bold** [a link](https://x.org) `code`', text: 'bold a link code' },
  { content: '@**Mel** and @_**Mel** in @*Support*', text: '@Mel and Mel in @Support' },
  { content: ':smile: :party:', text: ':smile: :party:' },
  { content: 'one\n\n* two\n* three', text: 'one\ntwo\nthree' },
  { content: '> said\n\nanswer', text: 'said\nanswer' },
  { content: '```\nif (a < b)\n```', text: 'if (a < b)' },
  { content: '$$x^2 + 1$$ is it', text: 'x^2 + 1 is it' },
  { content: '```spoiler The end\nThey *all* die\n```\nSorry', text: 'The end\n(…)\nSorry' },
  {
    content: '````spoiler\n```spoiler inner\nhidden\n```\nhidden, too\n````\nseen',
    text: '(…)\nseen',
  },
])('what a notice shows of $content', ({ content, text }) => {
  expect(textOf(content)).toBe(text);
});

test.each(['message_embed', 'youtube-video message_inline_image'])(
  'a notice shows nothing of what a link leads to: %s',
  (name) => {
    const preview = `<div class="${name}"><div class="title"><a href="x">A title</a></div></div>`;
    expect(noticeText(`<p>look</p>\n${preview}<p>so</p>`, 200)).toBe('look\nso');
  },
);

test('what is hidden ends where its element does, whatever stands in it', () => {
  const hidden =
    '<div aria-hidden="true">a<br>b<img src="x" alt="c"><div>d</div><p>e<br></p></div>';
  expect(noticeText(`<p>so<br>${hidden}it</p>`, 200)).toBe('soit');
});

test('elements that are never closed, more than a message can have, take no long time', () => {
  const start = performance.now();
  for (const open of ['<p>', '<br>', '<div aria-hidden="true">'])
    noticeText(open.repeat(20_000), 200);
  expect(performance.now() - start).toBeLessThan(10_000);
});

test('a notice shows so many characters and not one more', () => {
  expect(textOf('12345', 5)).toBe('12345');
  expect(textOf('123456', 5)).toBe('12345…');
  expect(noticeText('<p>𝒳𝒳𝒳</p>', 2)).toBe('𝒳𝒳…');
});
