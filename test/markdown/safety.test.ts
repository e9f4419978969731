import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/markdown/markdown.ts';
import { anyFormula, anyText } from '../support/markdown/content.ts';
import { directory, previewing, richDirectory } from '../support/markdown/directory.ts';
import { runs } from '../support/runs.ts';

test.each([
  { realm: 'a realm as it begins', names: directory },
  { realm: 'a realm with linkifiers and emoticons', names: richDirectory },
  { realm: 'a realm that shows what is linked', names: previewing },
])(
  'whatever is typed in $realm, the HTML holds nothing but what the clients expect',
  ({ names }) => {
    fc.assert(
      fc.property(anyText, (content) => expectSafe(renderMarkdown(content, names).html)),
      { numRuns: runs({ few: 500, all: 2_500 }) },
    );
  },
);

test('whatever a page says of itself, the HTML holds nothing but what the clients expect', () => {
  const { previews } = previewing;
  if (previews === null) expect.fail();
  const card = fc.record({
    title: anyText,
    description: anyText,
    imageUrl: anyText.map((text) => `x${text}`),
  });
  fc.assert(
    fc.property(card, (known) => {
      const names = { ...previewing, previews: { ...previews, page: () => known } };
      expectSafe(renderMarkdown('https://x.org/"<b>?\'', names).html);
    }),
    { numRuns: runs({ few: 100, all: 500 }) },
  );
});

test('whatever formula is typed, the HTML holds nothing but what the clients expect', () => {
  fc.assert(
    fc.property(anyFormula, fc.constantFrom('$$%$$', '```math\n%\n```'), (formula, frame) => {
      const content = frame.replace('%', () => formula);
      expectSafe(renderMarkdown(content, directory).html);
    }),
    { numRuns: runs({ few: 160, all: 800 }) },
  );
});

const CODE_LANGUAGES = [
  'tsx',
  'coffee',
  'python',
  'js',
  'html',
  'php',
  'bash',
  'c++',
  'markdown',
  'diff',
  'yaml',
  'tex',
];

test.each(CODE_LANGUAGES)('code in %s is shown as it was typed', (language) => {
  fc.assert(
    fc.property(anyText, (content) => {
      const code = content.replace(/[`\r\0]|\p{Cs}/gu, '');
      const { html } = renderMarkdown(`\`\`\`${language}\n${code}\n\`\`\``, directory);
      expectSafe(html);
      expect(unescaped(html.replace(/<[^<>]*>/g, ''))).toBe(`${code}\n`);
    }),
    { numRuns: runs({ few: 30, all: 120 }) },
  );
});

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');

const NO_ATTRIBUTES = /^$/;
const URL_START = String.raw`(https?:\/\/[^"<>/]|mailto:|tel:|sms:|#narrow\/|\/(?!\/))`;
const SPANS = [
  'user-mention( channel-wildcard-mention)?( silent)?" data-user-id="(\\d+|\\*)',
  'topic-mention( silent)?',
  'user-group-mention( silent)?" data-user-group-id="\\d+',
  '[a-z]{1,2}',
  'timestamp-error|tex-error|katex|katex-display',
];
const ALLOWED_ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    'p br hr em strong del code pre blockquote ul li h1 h2 h3 h4 h5 h6 table thead tbody tr'
      .split(' ')
      .map((tag) => [tag, NO_ATTRIBUTES]),
  ),
  ol: /^( start="\d+")?$/,
  th: /^( style="text-align: (left|right|center);")?$/,
  td: /^( style="text-align: (left|right|center);")?$/,
  div: /^ class="(codehilite|codehilite" data-code-language="[^"<>]+|spoiler-(block|header)|spoiler-content" aria-hidden="true|message_inline_image( message_inline_video)?|youtube-video message_inline_image|message_embed(_title|_description)?|data-container)"$/,
  span: new RegExp(
    `^( aria-label="[^"<>]+" class="emoji emoji-[0-9a-f-]+" role="img" title="[^"<>]+"| class="(${SPANS.join('|')})")?$`,
  ),
  img: /^ (alt=":[\w+-]+:" class="emoji" src="\/[^"<>]+" title="[^"<>]+"|src="\/external_content\/[0-9a-f]+\/[0-9a-f]+"|data-original-content-type="image\/png" data-original-dimensions="1920x1080" src="\/user_uploads\/thumbnail\/[^"<>]+\/840x560.webp"|class="image-loading-placeholder" data-original-dimensions="1920x1080" src="\/static\/images\/loading\/loader-black.svg")$/,
  audio: /^ controls preload="metadata" src="\/user_uploads\/[^"<>]+" title="[^"<>]*"$/,
  video: /^ preload="metadata" src="\/external_content\/[0-9a-f]+\/[0-9a-f]+"$/,
  time: /^ datetime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"$/,
  a: new RegExp(
    `^((?: data-id="[\\w-]{11}")? href="${URL_START}[^"<>]*"( title="[^"<>]*")?| class="stream(-topic)?" data-stream-id="\\d+" href="/#narrow/[^"<>]*"| class="message-link" href="/#narrow/[^"<>]*"| class="message_embed_image" href="https?://[^"<>]+" style="background-image: url\\(/external_content/[0-9a-f]+/[0-9a-f]+\\)")$`,
    'i',
  ),
};
/**
 * Matches the elements that the library of formulas writes: no scripts, no links, no images, no
 * positions of its own.
 */
const IN_FORMULAS =
  /^(span|math|semantics|annotation|m(row|i|n|o|s|text|space|sup|sub|subsup|over|under|underover|frac|sqrt|root|table|tr|td|style|padded|phantom|enclose|labeledtr)|svg|path|line)$/;
const FORMULA_ATTRIBUTE =
  /^ (class|style|width|height|viewBox|preserveAspectRatio|xmlns|d|display|encoding|aria-hidden|[a-z-]+[0-9]?)=(?:"([^"<>]*)"|'([^'<>]*)')/;
const FORMULA_STYLE = /^([a-z-]+:-?[\w.#% ]+(;|$))*$/;

/** As strict as the output is regular: every `<` begins a known tag, and tags are balanced. */
function expectSafe(rendered: string): void {
  const open: string[] = [];
  let formulaFrom = Number.POSITIVE_INFINITY;
  const tag = /<(\/?)([a-z0-9]+)([^<>]*)>/y;
  for (let at = rendered.indexOf('<'); at >= 0; at = rendered.indexOf('<', tag.lastIndex)) {
    tag.lastIndex = at;
    const [, slash, name = '', attributes = ''] = tag.exec(rendered) ?? [];
    const isInFormula = open.length > formulaFrom;
    if (isInFormula) expect(name, `tag at ${at} of ${rendered}`).toMatch(IN_FORMULAS);
    else expect(ALLOWED_ATTRIBUTES, `tag at ${at} of ${rendered}`).toHaveProperty(name);
    if (slash) {
      expect(attributes).toBe('');
      expect(open.pop(), `closes at ${at} of ${rendered}`).toBe(name);
      if (open.length <= formulaFrom) formulaFrom = Number.POSITIVE_INFINITY;
      continue;
    }
    if (isInFormula) expectFormulaAttributes(attributes);
    else expect(attributes, rendered).toMatch(ALLOWED_ATTRIBUTES[name] ?? NO_ATTRIBUTES);
    if (name === 'a') expect(open, rendered).not.toContain('a');
    if (attributes === ' class="katex"' && !isInFormula) formulaFrom = open.length;
    if (!['br', 'hr', 'img'].includes(name) && !attributes.endsWith('/')) open.push(name);
  }
  expect(open, rendered).toEqual([]);
  expect(rendered.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>"]/);
}

function expectFormulaAttributes(attributes: string): void {
  let rest = attributes.replace(/\/$/, '');
  while (rest !== '') {
    const [source = '', name, value = ''] = FORMULA_ATTRIBUTE.exec(rest) ?? [];
    expect(name, attributes).toBeDefined();
    expect(name, attributes).not.toMatch(/^on|href|src/);
    if (name === 'style') expect(value, attributes).toMatch(FORMULA_STYLE);
    rest = rest.slice(source.length);
  }
}
