import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  LINKIFIER_PATTERN_LENGTH_MAX,
  LINKIFIER_TEMPLATE_LENGTH_MAX,
  LINKIFIER_WORK_MAX,
} from '../../../../src/domain/limits/markdown.ts';
import {
  compiled,
  NO_LINKIFIERS,
  newLinkifierWork,
  problemsOf,
  topicLinks,
} from '../../../../src/domain/rules/texts/linkifiers.ts';
import { runs } from '../../../support/runs.ts';

const ticket = { pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://x.org/{id}' };
const commit = { pattern: '(?P<hash>[0-9a-f]{7,40})', urlTemplate: 'https://git.x.org/{hash}' };

/** Returns the text and the URL of each link. */
function linksIn(text: string, linkifiers: readonly { pattern: string; urlTemplate: string }[]) {
  const matches = compiled(linkifiers).matchesIn(text, newLinkifierWork());
  return matches.map(({ start, end, url }) => [text.slice(start, end), url]);
}

describe('1.18 matching', () => {
  test.each([
    ['#12', ['#12']],
    ['see #12 and #13', ['#12', '#13']],
    ['#12 #13 #14', ['#12', '#13', '#14']],
    [`'#1 "#2 (#3 ,#4 :#5 <#6`, ['#1', '#2', '#3', '#4', '#5', '#6']],
    ['#1\t#2\u00a0#3\u2003#4\n#5', ['#1', '#2', '#3', '#4', '#5']],
    ['x#1 .#2 -#3 [#4 {#5 /#6 é#7 _#8', []],
    ['#1a #2é #3ⅷ #4٣', []],
    ['#1. #2_ #3- #4😀 #5)', ['#1', '#2', '#3', '#4', '#5']],
    ['', []],
  ])('in %j it finds %j', (text, expected) => {
    expect(linksIn(text, [ticket]).map(([found]) => found)).toEqual(expected);
  });

  test('the first linkifier in order wins where two overlap', () => {
    const long = { pattern: 'bug #(?P<id>[0-9]+)', urlTemplate: 'https://long.org/{id}' };
    expect(linksIn('bug #1, #2', [ticket, long])).toEqual([
      ['#1', 'https://x.org/1'],
      ['#2', 'https://x.org/2'],
    ]);
    expect(linksIn('bug #1, #2', [long, ticket])).toEqual([
      ['bug #1', 'https://long.org/1'],
      ['#2', 'https://x.org/2'],
    ]);
  });

  test('matches are in order of appearance, whatever linkifier found them', () => {
    expect(linksIn('0123abc #1 abcdef0', [ticket, commit]).map(([found]) => found)).toEqual([
      '0123abc',
      '#1',
      'abcdef0',
    ]);
  });

  test.each([
    ['Ärger-(?P<n>\\d+)', 'https://x.org/{n}', 'Ärger-5', 'https://x.org/5'],
    ['(?i)bug(?P<n>\\d+)', 'https://x.org/{n}', 'BUG5', 'https://x.org/5'],
    ['(?P<who>\\pL+)!', 'https://x.org/{who}', 'Zoë!', 'https://x.org/Zo%C3%AB'],
    ['(?P<x>😀+)', 'https://x.org/{x}', '😀😀', 'https://x.org/%F0%9F%98%80%F0%9F%98%80'],
    ['(?P<x>[^ ]+)', 'https://x.org/{x}', `a/b?c&"<'`, 'https://x.org/a%2Fb%3Fc%26%22%3C%27'],
    ['(?P<x>[^ ]+)', 'https://x.org/{+x}', `a/b?c&"<`, 'https://x.org/a/b?c&%22%3C'],
    ['a(?P<x>b)?c(?P<y>d)?', 'https://x.org/{?x,y}', 'acd', 'https://x.org/?y=d'],
    ['(?P<x>ab)|(?P<y>cd)', 'https://x.org/{x}/{y}', 'cd', 'https://x.org//cd'],
    [
      '(?P<constructor>a)(?P<__proto__>b)',
      'https://x.org/{constructor}{__proto__}',
      'ab',
      'https://x.org/ab',
    ],
    ['(?P<x>\\d+)', '/issues/{x}', '12', '/issues/12'],
    ['(?P<x>\\d+)', 'https://x.org/{x:2}', '12345', 'https://x.org/12'],
  ])('%j with %j makes of %j the link %j', (pattern, urlTemplate, text, url) => {
    expect(problemsOf({ pattern, urlTemplate })).toBeNull();
    expect(linksIn(text, [{ pattern, urlTemplate }])).toEqual([[text, url]]);
  });

  test.each([
    ['(?P<x>.+)', '{+x}', 'javascript:alert(1)'],
    ['(?P<x>.+)', '/{+x}', '/evil.org'],
    ['(?P<x>.+)', 'https://{+x}', '/a'],
    ['(?P<x>😀)', 'https://x.org/{x:0}', '😀'],
    ['(?P<x>x*)', 'https://x.org/{x}', 'yyy'],
  ])('%j with %j makes no link of %j', (pattern, urlTemplate, text) => {
    expect(linksIn(text, [{ pattern, urlTemplate }])).toEqual([]);
  });

  test('half a character has no place in a URL: there is no link then', () => {
    const cut = { pattern: '(?P<x>.+)', urlTemplate: 'https://x.org/{x:1}' };
    expect(linksIn('😀', [cut])).toEqual([]);
    expect(linksIn('\ud83d', [{ ...cut, urlTemplate: 'https://x.org/{x}' }])).toEqual([
      ['\ud83d', 'https://x.org/%EF%BF%BD'],
    ]);
  });

  test('one that was stored and cannot be compiled links nothing, and the others go on', () => {
    const broken = { pattern: '(?P<id>[0-9', urlTemplate: 'https://y.org/{id}' };
    expect(linksIn('#12', [broken, ticket])).toEqual([['#12', 'https://x.org/12']]);
    expect(compiled([broken]).isEmpty).toBe(true);
  });

  test('a text that may hold no match is told apart at once', () => {
    const linkifiers = compiled([ticket, commit]);
    expect(linkifiers.mayMatch('nothing here')).toBe(false);
    expect(linkifiers.mayMatch('but #1')).toBe(true);
    expect(NO_LINKIFIERS.mayMatch('but #1')).toBe(false);
  });

  test('the same list is compiled once', () => {
    expect(compiled([{ ...ticket }, { ...commit }])).toBe(compiled([ticket, commit]));
    expect(compiled([commit, ticket])).not.toBe(compiled([ticket, commit]));
    expect(compiled([])).toBe(NO_LINKIFIERS);
  });
});

describe('time is bounded', () => {
  test('a message spends so much on linkifiers and no more; the rest is text', () => {
    const work = newLinkifierWork();
    const linkifiers = compiled([ticket]);
    const text = '#1 '.repeat(3_000);
    const matches = linkifiers.matchesIn(text, work);
    expect(matches.length).toBeGreaterThan(100);
    expect(matches.length).toBeLessThan(3_000);
    expect(work.linkifierWorkLeft).toBeGreaterThanOrEqual(0);
    expect(linkifiers.matchesIn(text, work)).toEqual([]);
    expect(LINKIFIER_WORK_MAX - work.linkifierWorkLeft).toBeGreaterThan(LINKIFIER_WORK_MAX / 2);
  });

  test('looking is charged as well: so many short lines have links, and no more', () => {
    const work = newLinkifierWork();
    const linkifiers = compiled([ticket]);
    const lines = Array.from({ length: 3_000 }, () => linkifiers.matchesIn('#1', work).length);
    const linked = lines.filter((count) => count > 0).length;
    expect(linked).toBeGreaterThan(500);
    expect(linked).toBeLessThan(2_500);
  });
});

describe('1.18 validation', () => {
  test.each([...['x(?P<a>b)', '(?P<a>[a-z]+)', '(?P<a>é)', '(?i)(?P<a>x)', ' (?P<a>x)']])(
    'the pattern %j is accepted',
    (pattern) => {
      expect(problemsOf({ pattern, urlTemplate: 'https://x.org/{a}' })).toBeNull();
    },
  );

  test.each([
    ['', 'This field cannot be blank.'],
    ['(?P<a>x', /^Bad regular expression: .*missing closing \)/],
    ['(?P<a>x)(?=y)', /^Bad regular expression: /],
    ['(?P<a>x)\\1', /^Bad regular expression: /],
    ['(?P<a>x)(?P<a>y)', /^Bad regular expression: .*duplicate/],
    ['(?P<a>x{1001})', /^Bad regular expression: /],
    [`(?P<a>${'\\pL{1,500}'})(\\pL{1,500})`, 'The pattern is too complex.'],
    [
      `(?P<a>${'x'.repeat(LINKIFIER_PATTERN_LENGTH_MAX - 6)})`,
      /^This field is too long \(limit: 1000 characters\)\.$/,
    ],
  ])('the pattern %j is refused', (pattern, message) => {
    const problems = problemsOf({ pattern, urlTemplate: 'https://x.org/{a}' });
    expect(Object.keys(problems ?? {})).toEqual(['pattern']);
    expect(problems?.pattern).toEqual([expect.stringMatching(message)]);
  });

  test('a pattern and a template at their bounds are accepted', () => {
    const pattern = `(?P<a>x)${'y'.repeat(LINKIFIER_PATTERN_LENGTH_MAX - 8)}`;
    const urlTemplate = `https://x.org/{a}${'z'.repeat(LINKIFIER_TEMPLATE_LENGTH_MAX - 17)}`;
    expect(problemsOf({ pattern, urlTemplate })).toBeNull();
    expect(problemsOf({ pattern: '(?P<a>x)', urlTemplate: `${urlTemplate}z` })).toEqual({
      url_template: [
        `This field is too long (limit: ${LINKIFIER_TEMPLATE_LENGTH_MAX} characters).`,
      ],
    });
  });

  test.each([
    ...['https://x.org/{a}', 'https://x.org/{?a}', 'https://x.org/{+a,a:3}{/a*}{;a}{&a}{#a}{.a}'],
    ...[
      'HTTP://x.org/{a}',
      'mailto:{a}',
      'tel:{a}',
      '/path/{a}',
      'https://x.org/%20{a}',
      'https://ü.org/{a}',
    ],
  ])('the template %j is accepted', (urlTemplate) => {
    expect(problemsOf({ pattern: '(?P<a>x)', urlTemplate })).toBeNull();
  });

  test.each([
    ['', 'This field cannot be blank.'],
    ...[
      'https://x.org/{a',
      'https://x.org/a}',
      '{{a}}',
      '{}',
      '{a,}',
      '{a b}',
      '{=a}',
      '{a:0}',
      '{a:10000}',
    ].map((template): [string, string] => [template, 'Invalid URL template.']),
    ...[
      'https://x.org/{a}"',
      'https://x.org/ {a}',
      'https://x.org/%zz{a}',
      'https://x.org/{a}\n',
      '<{a}>',
    ].map((template): [string, string] => [template, 'Invalid URL template.']),
    ...[
      'javascript:{a}',
      '{a}',
      '{+a}',
      '//x.org/{a}',
      'data:{a}',
      'x/{a}',
      'https:{a}',
      'https://{?a}',
    ].map((template): [string, string] => [
      template,
      'The URL must begin with http, https, mailto, tel or sms, or be a path.',
    ]),
  ])('the template %j is refused: %s', (urlTemplate, message) => {
    expect(problemsOf({ pattern: '(?P<a>x)', urlTemplate })).toEqual({ url_template: [message] });
  });

  test('groups and variables have to be the same; each difference has its message', () => {
    const problems = (pattern: string, urlTemplate: string) => problemsOf({ pattern, urlTemplate });
    expect(problems('(?P<a>x)(?P<b>y)', 'https://x.org/{a}')).toEqual({
      __all__: ["Group 'b' in pattern is not present in URL template."],
    });
    expect(problems('(?P<a>x)', 'https://x.org/{a}/{b}{?c}')).toEqual({
      __all__: ["Group 'b', 'c' in URL template is not present in pattern."],
    });
    expect(problems('(?P<a>x)', 'https://x.org/{b}')).toEqual({
      __all__: [
        "Group 'a' in pattern is not present in URL template.",
        "Group 'b' in URL template is not present in pattern.",
      ],
    });
    expect(problems('x', 'https://x.org/')).toBeNull();
  });

  test('what is wrong with both fields is said of both', () => {
    expect(Object.keys(problemsOf({ pattern: '(', urlTemplate: '{' }) ?? {})).toEqual([
      'pattern',
      'url_template',
    ]);
  });

  test('whatever is given, it is accepted or refused', () => {
    const piece = fc.constantFrom(
      ...[
        '(?P<a>',
        ')',
        '(',
        '{a}',
        '{',
        '}',
        '[',
        ']',
        'x',
        '*',
        '+',
        '\\',
        '|',
        '{2}',
        '^',
        '$',
        '%41',
        ':',
        '/',
        '\ud800',
        '\0',
        'é',
      ],
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, text, (pattern, rest, content) => {
        const linkifier = { pattern, urlTemplate: `https://x.org/${rest}` };
        if (problemsOf(linkifier) !== null) return;
        for (const [, url] of linksIn(content, [linkifier])) {
          expect(url).toMatch(/^https:\/\/x\.org\/[^\s<>"]*$/);
        }
      }),
      { numRuns: runs({ few: 400, all: 2_000 }) },
    );
  });
});

describe('5.6 the links of a topic', () => {
  test.each([
    ['logo', []],
    ['fix #12', [{ text: '#12', url: 'https://x.org/12' }]],
    [
      'see https://y.org/#13, #12 and http://z.org.',
      [
        { text: 'https://y.org/#13', url: 'https://y.org/#13' },
        { text: '#12', url: 'https://x.org/12' },
        { text: 'http://z.org', url: 'http://z.org' },
      ],
    ],
    ['(https://y.org/a)', [{ text: 'https://y.org/a', url: 'https://y.org/a' }]],
    ['xhttps://y.org javascript:x https://', []],
    [
      'https://y.org/a #1',
      [
        { text: 'https://y.org/a', url: 'https://y.org/a' },
        { text: '#1', url: 'https://x.org/1' },
      ],
    ],
  ])('of %j are %j', (topic, links) => {
    expect(topicLinks(topic, compiled([ticket]))).toEqual(links);
  });

  test('what a linkifier matched of a URL is its link', () => {
    const review = { pattern: 'https://y\\.org/r/(?P<n>\\d+)', urlTemplate: 'https://z.org/{n}' };
    expect(topicLinks('https://y.org/r/5 https://y.org/', compiled([review]))).toEqual([
      { text: 'https://y.org/r/5', url: 'https://z.org/5' },
      { text: 'https://y.org/', url: 'https://y.org/' },
    ]);
  });
});
