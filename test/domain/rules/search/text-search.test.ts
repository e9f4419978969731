import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textSearch } from '../../../../src/domain/rules/search/text-search.ts';
import { NO_NAMES } from '../../../../src/markdown/directory.ts';
import { renderMarkdown } from '../../../../src/markdown/markdown.ts';
import { runs } from '../../../support/runs.ts';

const textOf = (content: string, topic = '') => ({
  content,
  renderedContent: renderMarkdown(content, NO_NAMES).html,
  topic,
});

describe('2.1 search', () => {
  test.each([
    { search: 'deploy', content: 'We deployed it.' },
    { search: 'DEPLOYING', content: 'we deploy' },
    { search: 'cafe', content: 'au Café' },
    { search: 'café', content: 'the cafes' },
    { search: 'it we', content: 'we deploy it' },
    { search: 'deploy plan', content: 'deployed', topic: 'The Plan' },
    { search: '"ploy it"', content: 'we dePLOY it' },
    { search: '"a plan"', content: 'x', topic: 'THIS IS A PLANE' },
    { search: 'x "b c"', content: 'a b c x' },
    { search: 'two words', content: '**two**words' },
    { search: 'b', content: 'a **b** c' },
    { search: '日本', content: '私は日本語を話す' },
    { search: ':)', content: 'fine :) yes' },
    { search: '<b>', content: 'use <b> here' },
    { search: '"*literal*"', content: 'a *literal* b' },
    { search: 'depl*', content: 'we deployed' },
    { search: 'plan*', content: 'x', topic: 'Planète' },
    { search: 'p* x', content: 'x plan' },
    { search: '"au cafe"', content: 'Au CAFÉ' },
    { search: '"日本"', content: '私は日本語を話す' },
    { search: '日本語 x', content: 'x日本語' },
    { search: '국어', content: '한국어를 배워요' },
    { search: 'api 한국', content: 'API를 한국에서' },
    { search: 'ภาษา', content: 'เรียนภาษาไทย' },
    { search: 'ΣΟΦΟΣ', content: 'σοφός' },
    { search: '', content: 'anything' },
    { search: '"', content: 'anything' },
  ])('$search finds $content $topic', ({ search, content, topic }) => {
    expect(textSearch([search]).matches(textOf(content, topic))).toBe(true);
  });

  test.each([
    { search: 'ploy', content: 'we deploy' },
    { search: 'deploy other', content: 'we deploy' },
    { search: '"deploy we"', content: 'we deploy' },
    { search: '"we  deploy"', content: 'we deploy' },
    { search: 'ploy*', content: 'we deploy' },
    { search: 'd* q*', content: 'we deploy' },
    { search: '日語', content: '私は日本語を話す' },
    { search: '한어', content: '한국어' },
    { search: '"au  cafe"', content: 'Au CAFÉ' },
    { search: 'href', content: '[a](https://example.com)' },
    { search: 'strong', content: '**a**' },
    { search: 'amp', content: 'a & b' },
    { search: ':)', content: 'fine' },
    { search: '"a.c"', content: 'abc' },
  ])('$search does not find $content', ({ search, content }) => {
    expect(textSearch([search]).matches(textOf(content))).toBe(false);
  });

  test('all of several searches are wanted', () => {
    const search = textSearch(['one', '"two"']);
    expect(search.matches(textOf('two ones'))).toBe(true);
    expect(search.matches(textOf('ones'))).toBe(false);
  });
});

describe('2.1 matches stand in <span class="highlight">', () => {
  const mark = (text: string) => `<span class="highlight">${text}</span>`;

  test.each([
    ['deploy', 'Deployed & done', `<p>${mark('Deployed')} &amp; done</p>`],
    ['strong p', 'a **strong** p', `<p>a <strong>${mark('strong')}</strong> ${mark('p')}</p>`],
    ['class', '@**all** class', null],
    ['amp lt', 'a & < b', '<p>a &amp; &lt; b</p>'],
    ['"& <"', 'a & < b', `<p>a ${mark('&amp; &lt;')} b</p>`],
    ['"< b" x', '< < b & x', `<p>&lt; ${mark('&lt; b')} &amp; ${mark('x')}</p>`],
    ['"ab" "bc"', 'abc', `<p>${mark('abc')}</p>`],
    ['a', 'b', '<p>b</p>'],
    ['depl*', 'Deployed it', `<p>${mark('Deployed')} it</p>`],
    ['"cafe"', 'Cafe\u0301s, ﬁn', `<p>${mark('Cafe\u0301')}s, ﬁn</p>`],
    ['"in"', 'ﬁn', `<p>${mark('ﬁn')}</p>`],
    ['국', '한국어', `<p>한${mark('국')}어</p>`],
    ['日本', '日本語日本', `<p>${mark('日本')}語${mark('日本')}</p>`],
  ])('%s in %s', (search, content, expected) => {
    const html = textSearch([search]).inHtml(textOf(content).renderedContent);
    if (expected !== null) expect(html).toBe(expected);
    else expect(html).toContain('class="user-mention channel-wildcard-mention"');
  });

  test('a link keeps its address, a formula its elements', () => {
    const { renderedContent } = textOf('[example](https://example.com) $$example$$');
    const html = textSearch(['example', '"x"']).inHtml(renderedContent);
    expect(html).toContain(`<a href="https://example.com">${mark('example')}</a>`);
    expect(html).toContain(/<math[\s\S]*<\/math>/.exec(renderedContent)?.[0]);
  });

  test('a topic is escaped, and its matches are marked', () => {
    const search = textSearch(['plan', '"<"']);
    expect(search.inText('Plans < "x"')).toBe(`${mark('Plans')} ${mark('&lt;')} &quot;x&quot;`);
    expect(textSearch(['mel']).inText("Mel's")).toBe(`${mark('Mel')}&#39;s`);
    expect(textSearch(['"l\'s"']).inText("Mel's")).toBe(`Me${mark('l&#39;s')}`);
    expect(search.inText('')).toBe('');
  });

  test('marking changes nothing else, whatever is written and searched for', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ maxLength: 5 }),
        (content, words) => {
          const { renderedContent } = textOf(content);
          const html = textSearch([words, `"${words}"`]).inHtml(renderedContent);
          const unmarked = html.replace(/<span class="highlight">(.*?)<\/span>/gs, '$1');
          expect(unmarked).toBe(
            renderedContent.replace(/<span class="highlight">(.*?)<\/span>/gs, '$1'),
          );
        },
      ),
      { numRuns: runs({ few: 60, all: 300 }) },
    );
  });
});
