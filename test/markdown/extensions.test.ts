import { describe, expect, test, vi } from 'vitest';
import {
  FORMULA_WORK_MAX,
  FORMULAS_MAX,
  HIGHLIGHTED_LENGTH_MAX,
  HIGHLIGHTED_LINE_LENGTH_MAX,
  HIGHLIGHTED_WORK_MAX,
  MATH_LENGTH_MAX,
} from '../../src/domain/limits/markdown.ts';
import { typeset } from '../../src/markdown/blocks/formulas.ts';
import { renderMarkdown } from '../../src/markdown/markdown.ts';
import { directory } from '../support/markdown/directory.ts';
import { codeBlock, emojiSpan, html, image, quoteOf, rich } from '../support/markdown/html.ts';

describe('5.4 emoji', () => {
  const smile = emojiSpan('smile', '1f642');

  test.each([
    [':smile:', smile],
    [':thumbs_up: :+1:', `${emojiSpan('thumbs_up', '1f44d')} ${emojiSpan('+1', '1f44d')}`],
    ['a:smile: :smile:b 你:smile:好 (:smile:)', `a${smile} ${smile}b 你${smile}好 (${smile})`],
    ['root:x:0 b8:ca:3a:a:b', 'root:x:0 b8:ca:3a:a:b'],
    [':smile::smile:', `${smile}${smile}`],
    [':x:smile:', `${emojiSpan('x', '274c')}smile:`],
    [':nothing:smile:', `:nothing${smile}`],
    [':unknown: : :: :-: :Smile: 12:30:45', ':unknown: : :: :-: :Smile: 12:30:45'],
    ['\\:smile:', ':smile:'],
    ['`:smile:`', '<code>:smile:</code>'],
    ['**:smile:**', `<strong>${smile}</strong>`],
    ['[:smile:](tel:1)', `<a href="tel:1">${smile}</a>`],
    [':party:', image('party', '/user_avatars/2/emoji/images/5.png')],
    [':service:', image('service', '/static/images/emoji/service.png')],
    [':acme:', ':acme:'],
    ['😀', emojiSpan('grinning_face', '1f600')],
    ['a😀b', `a${emojiSpan('grinning_face', '1f600')}b`],
    [
      '🇩🇪 🇩 1️⃣',
      `${emojiSpan('flag_germany', '1f1e9-1f1ea')} ${regional} ${emojiSpan('keycap_1', '0031-20e3')}`,
    ],
    ['👩‍❤️‍💋‍👨', emojiSpan('kiss_woman_man', '1f469-200d-2764-200d-1f48b-200d-1f468')],
    ['❤️', emojiSpan('red_heart', '2764')],
    ['❤ © ™ ✔ 😀\ufe0e 1 #', '❤ © ™ ✔ 😀\ufe0e 1 #'],
    ['👍🏽 🧑🏽‍💻', '👍🏽 🧑🏽‍💻'],
    ['`😀`', '<code>😀</code>'],
    ['https://x.org/😀', '<a href="https://x.org/%F0%9F%98%80">https://x.org/😀</a>'],
    [':) <3', ':) &lt;3'],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(`<p>${expected}</p>`);
  });

  test.each([
    [':)', smile],
    ['well :), :-) (: ok', `well ${smile}, ${smile} ${smile} ok`],
    [
      ':( <3 ;) :D',
      `${emojiSpan('slightly_frowning_face', '1f641')} ${emojiSpan('heart', '2764')} ${emojiSpan('wink', '1f609')} ${emojiSpan('grinning', '1f600')}`,
    ],
    ['a:) :)a http://a.b/:) :):)', 'a:) :)a <a href="http://a.b/:">http://a.b/:</a>) :):)'],
    ['`:)`', '<code>:)</code>'],
    [':acme:', image('acme', '/static/images/emoji/service.png')],
  ])('with the setting for emoticons, and a prefix, %j becomes %j', (content, expected) => {
    expect(rich(content)).toBe(`<p>${expected}</p>`);
  });
});

const regional = '🇩';

describe('5.5 highlighted code', () => {
  test.each([
    [
      '```python\ndef f(x):\n    return "<" # é\n```',
      codeBlock(
        '<span class="k">def</span> <span class="nf">f</span>(<span class="n">x</span>):\n' +
          '    <span class="k">return</span> <span class="s">&quot;&lt;&quot;</span> <span class="c"># é</span>\n',
        'Python',
      ),
    ],
    ['~~~ C++ and more\nint x;\n~~~', codeBlock('<span class="kt">int</span> x;\n', 'C++')],
    [
      '```html\n<script>let a</script>\n```',
      codeBlock(
        `${tagSpans('&lt;', 'script', '&gt;')}<span class="k">let</span> a${tagSpans('&lt;/', 'script', '&gt;')}\n`,
        'HTML',
      ),
    ],
    ['```klingon\nx < 1\n```', codeBlock('x &lt; 1\n', 'klingon')],
    ['```text\nif x\n```', codeBlock('if x\n', 'Text only')],
    ['```\nif x\n```', codeBlock('if x\n')],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(expected);
  });

  test('a fence without a language has that of the realm, an indented block has none', () => {
    expect(rich('```\nif x\n```')).toBe(codeBlock('<span class="k">if</span> x\n', 'Python'));
    expect(rich('```text\nif x\n```')).toBe(codeBlock('if x\n', 'Text only'));
    expect(rich('    if x')).toBe(codeBlock('if x\n'));
  });

  test('code beyond the bounds is shown without colours', () => {
    const line = `if ${'x'.repeat(HIGHLIGHTED_LINE_LENGTH_MAX - 3)}`;
    expect(html(`\`\`\`python\n${line}\n\`\`\``)).toContain('<span class="k">if</span>');
    expect(html(`\`\`\`python\n${line}x\n\`\`\``)).toContain('<code>if x');
    const long = 'if(x\n'.repeat(HIGHLIGHTED_LENGTH_MAX / 5);
    expect(html(`\`\`\`python\n${long}\`\`\``)).toContain('<span class="k">if</span>');
    expect(html(`\`\`\`python\n${long}\n\`\`\``)).toContain('<code>if(x');
    // Its text has this length, with the line break behind it.
    const run = (length: number) => `if ${'x\n'.repeat(length / 2 - 2)}`;
    const root = Math.sqrt(HIGHLIGHTED_WORK_MAX);
    expect(html(`\`\`\`python\n${run(root)}\n\`\`\``)).toContain('<span class="k">if</span>');
    expect(html(`\`\`\`python\n${run(root)}x\n\`\`\``)).toContain('<code>if x');
  });
});

function tagSpans(...pieces: string[]): string {
  return pieces.map((piece) => `<span class="nt">${piece}</span>`).join('');
}

describe('5.5 spoilers', () => {
  const spoiler = (header: string, body: string) =>
    `<div class="spoiler-block"><div class="spoiler-header">\n${header}</div>` +
    `<div class="spoiler-content" aria-hidden="true">\n${body}</div></div>`;

  test.each([
    ['```spoiler Title\nbody\n```', spoiler('<p>Title</p>\n', '<p>body</p>\n')],
    ['```spoiler\nbody\n```', spoiler('', '<p>body</p>\n')],
    [
      '~~~ spoiler *a* `b`\n* c\n~~~\nd',
      `${spoiler('<p><em>a</em> <code>b</code></p>\n', '<ul>\n<li>c</li>\n</ul>\n')}\n<p>d</p>`,
    ],
    ['```spoiler Title', spoiler('<p>Title</p>\n', '')],
    ['> ```spoiler a\n> b\n> ```', quoteOf(spoiler('<p>a</p>\n', '<p>b</p>\n'))],
    ['text\n```spoiler a\nb\n```', `<p>text</p>\n${spoiler('<p>a</p>\n', '<p>b</p>\n')}`],
    [
      '````spoiler a\n```spoiler b\nc\n```\n````',
      spoiler('<p>a</p>\n', `${spoiler('<p>b</p>\n', '<p>c</p>\n')}\n`),
    ],
    ['```spoilers a\nb\n```', codeBlock('b\n', 'spoilers')],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(expected);
  });

  test('who is mentioned within one is mentioned', () => {
    const rendered = renderMarkdown('```spoiler @**Mel**\n@*Support*\n```', directory);
    expect(rendered).toMatchObject({ mentionedUserIds: [3], mentionedGroupIds: [7] });
  });
});

describe('5.5 times', () => {
  const time = (datetime: string, text: string) => `<time datetime="${datetime}">${text}</time>`;
  const wrong = (text: string) =>
    `<span class="timestamp-error">Invalid time format: ${text}</span>`;

  test.each([
    ['2023-05-28T13:30:00+05:30', '2023-05-28T08:00:00Z'],
    ['2023-05-28T13:30:00Z', '2023-05-28T13:30:00Z'],
    ['2023-05-28T13:30:00.5-0130', '2023-05-28T15:00:00Z'],
    ['2023-05-28T13:30', '2023-05-28T13:30:00Z'],
    ['2023-05-28 13:30', '2023-05-28T13:30:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['1685280600', '2023-05-28T13:30:00Z'],
    ['0', '1970-01-01T00:00:00Z'],
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    ['253402300799', '9999-12-31T23:59:59Z'],
  ])('%s is %s', (typed, datetime) => {
    expect(html(`at <time:${typed}>.`)).toBe(`<p>at ${time(datetime, typed)}.</p>`);
  });

  test.each([
    ...[
      'yesterday',
      '2023-02-29',
      '2023-01-00',
      '2023-01-99',
      '2023-05-28T24:00',
      '2023-13-01',
      '253402300800',
      '-1',
      '1e9',
    ],
    ...['0001-01-01T00:00+01:00', '2023-05-28T13:30+24:00'],
  ])('%s is none', (typed) => {
    expect(html(`<time:${typed}>`)).toBe(`<p>${wrong(typed)}</p>`);
  });

  test('what it says is escaped, and what is no time at all is text', () => {
    expect(html('<time:"&>')).toBe(`<p>${wrong('&quot;&amp;')}</p>`);
    expect(html('<time:> <time:1')).toBe('<p>&lt;time:&gt; &lt;time:1</p>');
    expect(html(`<time:${'1'.repeat(65)}>`)).toBe(`<p>&lt;time:${'1'.repeat(65)}&gt;</p>`);
    expect(html('`<time:1>`')).toBe('<p><code>&lt;time:1&gt;</code></p>');
  });
});

describe('5.5 math', () => {
  const mathMl = (content: string, source: string, display = '') =>
    `<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"${display}>` +
    `<semantics><mrow>${content}</mrow><annotation encoding="application/x-tex">${source}</annotation>` +
    '</semantics></math></span><span class="katex-html" aria-hidden="true">';
  const wrong = (source: string) => `<span class="tex-error">${source}</span>`;

  test.each([
    ['$$x$$', mathMl('<mi>x</mi>', 'x')],
    ['$$a<b$$', mathMl('<mi>a</mi><mo>&lt;</mo><mi>b</mi>', 'a&lt;b')],
    ['$$*x*$$', mathMl('<mo>∗</mo><mi>x</mi><mo>∗</mo>', '*x*')],
    ['**$$x$$**', `<strong>${mathMl('<mi>x</mi>', 'x')}`],
  ])('%j is set by the library', (content, expected) => {
    expect(html(content)).toContain(`<p>${expected}<span class="base">`);
  });

  test('a fence named math is a paragraph with one formula', () => {
    const rendered = html('```math\nx\n```\nafter');
    const formula = mathMl('<mi>x</mi>', 'x', ' display="block"');
    expect(rendered).toContain(`<p><span class="katex-display">${formula}`);
    expect(rendered).toMatch(/<\/span><\/span><\/p>\n<p>after<\/p>$/);
  });

  test.each([
    ['$$\\frac{$$', wrong('$$\\frac{$$')],
    ['$$\\nosuch"$$', wrong('$$\\nosuch&quot;$$')],
    ['$$\\def\\a{b}\\a$$', wrong('$$\\def\\a{b}\\a$$')],
    ['$$\\newcommand{\\a}{b}$$', wrong('$$\\newcommand{\\a}{b}$$')],
    ['$$ $$ $$ $$$x$$$ $$ $5 and $6', '$$ $$ $$ $$$x$$$ $$ $5 and $6'],
    ['$$a\nb$$', '$$a<br>\nb$$'],
    ['`$$x$$`', '<code>$$x$$</code>'],
    ['\\$$x$$', '$$x$$'],
  ])('%j becomes %j', (content, expected) => {
    expect(html(content)).toBe(`<p>${expected}</p>`);
  });

  test.each([
    ...[
      '\\href{https://x.org}{x}',
      '\\url{https://x.org}',
      '\\includegraphics{https://x.org/a.png}',
    ],
    ...['\\htmlStyle{color:red}{x}', '\\htmlId{a}{x}'],
  ])('%s makes no link, no image and no attribute', (tex) => {
    expect(html(`$$${tex}$$`)).not.toMatch(/<a |<img|href=|src=|style="color:red|id=/);
  });

  test.each([
    ...['\\text{é☃}', 'é☃', '\\message{hi}', '\\errmessage{hi}', '\\show x', '\\def\\a{b}'],
  ])('%s writes nothing to the log of the server', (tex) => {
    const spies = [vi.spyOn(console, 'log'), vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
    html(`$$${tex}$$`);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  test.each([
    ...[
      '\\def\\a{b}',
      '\\gdef\\a{b}',
      '\\edef\\a{b}',
      '\\xdef\\a{b}',
      '\\let\\a=b',
      '\\futurelet\\a b',
    ],
    ...['\\global\\def\\a{b}', '\\long\\def\\a{b}', '\\newcommand\\a{b}', '\\renewcommand\\vec{b}'],
    ...['\\providecommand\\a{b}', '\\message{a}', '\\errmessage{a}', '\\show a'],
  ])('%s is not set, as it could stand for more than is seen', (tex) => {
    expect(html(`$$${tex}$$`)).toBe(`<p>${wrong(`$$${tex}$$`)}</p>`);
    expect(html('$$\\left(x\\right) \\Delta$$')).toContain('class="katex"');
  });

  test('formulas beyond the bound of a message are shown as text', () => {
    const long = `$$${'x'.repeat(MATH_LENGTH_MAX - 1)}$$`;
    expect(html(`${long} $$y$$`).match(/class="katex"/g)).toHaveLength(2);
    expect(html(`${long} $$yz$$`)).toMatch(/ \$\$yz\$\$<\/p>$/);
    expect(html(`\`\`\`math\n${'x'.repeat(MATH_LENGTH_MAX + 1)}\n\`\`\``)).toBe(
      `<p>${'x'.repeat(MATH_LENGTH_MAX + 1)}</p>`,
    );
  });

  test('so many formulas are set in a message, and no more', () => {
    const rendered = html('$$x$$ '.repeat(FORMULAS_MAX + 1));
    expect(rendered.match(/class="katex"/g)).toHaveLength(FORMULAS_MAX);
    expect(rendered).toMatch(/ \$\$x\$\$<\/p>$/);
  });

  test('formulas that are more work than a message may be are shown as text, and those before and behind are not', () => {
    const fractions = (times: number) => `$$${'\\frac12'.repeat(times)}$$`;
    const workOf = (times: number) =>
      typeset('\\frac12'.repeat(times), false, FORMULA_WORK_MAX).work;
    const count = 1 + Math.floor((FORMULA_WORK_MAX - workOf(1)) / (workOf(2) - workOf(1)));
    expect(workOf(count)).toBeGreaterThan(0.9 * FORMULA_WORK_MAX);
    expect(html(fractions(count))).toContain('class="katex"');
    expect(html(fractions(count + 1))).toBe(`<p>${fractions(count + 1)}</p>`);
    const rendered = html(`$$x$$ ${fractions(count)} $$y$$`);
    expect(rendered).toContain(`${fractions(count)} `);
    expect(rendered.match(/class="katex"/g)).toHaveLength(2);
  });

  test('commands that stand for many others are counted as what they stand for', () => {
    const rendered = html(`$$${'\\KaTeX'.repeat(100)}$$`);
    expect(rendered).toBe(`<p>$$${'\\KaTeX'.repeat(100)}$$</p>`);
    expect(html('$$\\KaTeX$$')).toContain('class="katex"');
  });

  test('what is nested deeper than the library can read is no formula', () => {
    const deep = `$$${'{'.repeat(700)}x${'}'.repeat(700)}$$`;
    expect(html(deep)).toMatch(/^<p><span class="(katex|tex-error)">/);
  });
});
