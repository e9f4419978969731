import fc from 'fast-check';
import { parseTemplate } from 'url-template';
import { expect, test } from 'vitest';
import { expanded, linksFor } from '../../../web/app/store/messages/playgrounds.ts';

const OPERATORS = ['', '+', '#', '.', '/', ';', '?', '&'];
const VARIABLES = ['code', 'code:3', 'code*', 'code,code', 'code:1,code'];
const TEMPLATES = OPERATORS.flatMap((operator) =>
  VARIABLES.map((variable) => `https://play.example.com/a%20b?v=[1]{${operator}${variable}}#end`),
);

test.each(TEMPLATES)('%s is expanded as RFC 6570 says', (template) => {
  const other = parseTemplate(template);
  // The library cuts between the halves of a character, and then throws.
  const unit = /:\d/.test(template) ? 'grapheme-ascii' : 'grapheme';
  fc.assert(
    fc.property(fc.string({ unit }), (code) => {
      // Where reserved characters stay, the library leaves `%` with one digit as it is.
      fc.pre(!/\{[+#]/.test(template) || !/%[\da-f]/i.test(code));
      expect(expanded(template, code)).toBe(other.expand({ code }));
    }),
  );
});

test.each([
  ['{code}', 'a b&c=d/e?f#g', 'a%20b%26c%3Dd%2Fe%3Ff%23g'],
  ['{+code}', 'a b/c%20[d]', 'a%20b/c%20[d]'],
  [
    '?{code}',
    `fn main() { println!("hi 'x' *"); }\n`,
    '?fn%20main%28%29%20%7B%20println%21%28%22hi%20%27x%27%20%2A%22%29%3B%20%7D%0A',
  ],
  ['{?code}', '', '?code='],
  ['{;code}', '', ';code'],
  ['{code:2}', '😀😀😀', '%F0%9F%98%80%F0%9F%98%80'],
  ['{code}', 'half \ud83d', 'half%20%EF%BF%BD'],
  ['{+code}', '50%A, %ab', '50%25A,%20%ab'],
  ['{#code:3}', '%ab', '#%ab'],
  ['{code}{code}', '{code}', '%7Bcode%7D%7Bcode%7D'],
])('%s with %j is %s', (template, code, url) => {
  expect(expanded(template, code)).toBe(url);
});

const playground = (url_template: string, pygments_language = 'Rust') => ({
  id: 1,
  name: 'Play',
  pygments_language,
  url_template,
});

test('a block of code is linked to the playgrounds of its language, whatever its case', () => {
  const code = { language: 'rust', code: 'x' };
  const links = linksFor(code, [
    playground('https://play.example.com/?code={code}'),
    playground('https://python.example.com/{code}', 'Python'),
  ]);
  expect(links).toEqual([{ id: 1, name: 'Play', url: 'https://play.example.com/?code=x' }]);
});

test.each([
  'javascript:alert({code})',
  'data:text/html,{code}',
  '{code}',
  '{+code}',
  '//play.example.com/{code}',
  'https:///{code}',
  'https://[{code}',
])('%s leads nowhere, whatever the code', (template) => {
  for (const code of ['x', 'javascript:alert(1)', 'https://example.com']) {
    const links = linksFor({ language: 'Rust', code }, [playground(template)]);
    for (const { url } of links) expect(new URL(url).protocol).toBe('https:');
    if (!template.startsWith('{')) expect(links).toEqual([]);
  }
});

test('code that is too long for an address is not linked with a part of it', () => {
  const all = [playground('https://play.example.com/?code={code}')];
  expect(linksFor({ language: 'Rust', code: 'x'.repeat(31_000) }, all)).toHaveLength(1);
  expect(linksFor({ language: 'Rust', code: 'x'.repeat(32_000) }, all)).toEqual([]);
});
