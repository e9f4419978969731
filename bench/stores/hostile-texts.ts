import { compiled } from '../../src/domain/rules/texts/linkifiers.ts';
import { type MarkdownDirectory, NO_NAMES } from '../../src/markdown/directory.ts';

/** Texts that repeat something with a meaning, or nearly so; each line is a kind of markup. */
export const PIECES = [
  ...['[', ']', '*', '`', '_', '~~', '>', '> ', '(((', '<', '&', '\\', '\n', '|', '\t', ':'],
  ...['[a](', '[a](b', '[a](<', '[a](b "', '[](http://a.b)', '![', '](', '[`', '[[a](b)'],
  ...['- ', '- a\n', '1. ', '> - ', '1. a\n', '1. a\n- b\n', '1. a\n  1. b\n', '1. a\n\nb\n'],
  ...['1. a\n  1. b\n    1. c\n', '- ```\n', '~~~quote\n', '```quote\n~~~quote\n', '```\n'],
  ...['|a|\n|-|\n|\n', '# a\n', '    a\n\n', '***a ', 'a**b*', '*a~~b', '<a:'],
  ...['http:', 'http://', 'http://a.b/(', 'a@b.', 'http://a.b/[({', 'mailto:a@b.'],
  ...['@**', '@_**a|', '@**a** ', '@*', '@*a', '@*a*', '#**', 'https://chat.example.com/#narrow/ '],
  ...[':a', ':a:', ':smile:', '::', ':)', ' :)', '<3 '],
  ...['😀', '👩\u200d', '🇩', '\ufe0f', '1\ufe0f\u20e3'],
  ...['$$', '$$x', '$', '\\$', '$$\\$', '$$x$$ ', '```math\nx\n```\n', '```math\n'],
  ...['<time:', '<time:1', '<time:1>', '```js\nlet x\n```\n', '```html\n<'],
  ...['```spoiler a\n', '~~~spoiler\n```spoiler\n'],
  ...['https://a.b/c.png ', 'https://a.b/c.png\n\n', '- https://page.org/a\n'],
];

export const SHAPES: Readonly<Record<string, (length: number) => string>> = {
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
  'fractions in one formula': (length) => `$$${'\\frac12'.repeat(Math.min(length, 1_990) / 7)}$$`,
  'formulas of a fraction': (length) => '$$\\frac12$$ '.repeat(length / 12),
  'a table of formulas': (length) =>
    `\`\`\`math\n\\begin{matrix}${'a&'.repeat(Math.min(length, 1_900) / 2)}\\end{matrix}\n\`\`\``,
  'commands that stand for many': (length) =>
    `$$${'\\KaTeX'.repeat(Math.min(length, 1_990) / 6)}$$`,
  'code of words alone': (length) => `\`\`\`csharp\n${'public a\n'.repeat(length / 9)}\`\`\``,
  'code of blanks alone': (length) => `\`\`\`nix\n${' \n'.repeat(length / 2)}x\n\`\`\``,
  'code of brackets that open': (length) => `\`\`\`clojure\n${'a(\n'.repeat(length / 3)}\`\`\``,
  'code of one line': (length) => `\`\`\`java\n${'$'.repeat(length)}\n\`\`\``,
  'one long URL': (length) => `http://a.b/${'c'.repeat(length)}`,
};

/** Texts that linkifiers match, or nearly do. */
export const LINKIFIED = [
  ...['#1', '#1 ', '#1,', '#1\n', '#12a ', 'A-', 'AB', 'AB-1 ', '\rA'],
  ...['go/', 'go/a ', '<>', '"', '\ufffc'],
];

/**
 * Patterns on which an engine that tries one way after the other takes a time that doubles with
 * each letter.
 */
export const PATTERNS = [
  '(a+)+$',
  '(a|aa)+b',
  '(a*)*c',
  '(.*)*x',
  '((a?){50})(a{50})',
  '(\\w+\\s?)+!',
];

const ADA = { userId: 1, fullName: 'a', isActive: true };

/** Everything that a text can mean is found, so that nothing is passed by cheaply. */
export const FULL_DIRECTORY: MarkdownDirectory = {
  ...NO_NAMES,
  usersNamed: (name) => (name === ADA.fullName ? [ADA] : []),
  user: (userId) => (userId === ADA.userId ? ADA : undefined),
  groupNamed: (name) => (name === 'a' ? { groupId: 1, name, isActive: true } : undefined),
  channelNamed: (name) => (name === 'a' ? { channelId: 1, name } : undefined),
  customEmoji: (name) => (name === 'a' ? { src: '/user_avatars/1/emoji/images/1.png' } : undefined),
  translatesEmoticons: true,
  realmUrl: 'https://chat.example.com',
  previews: {
    proxied: (url) => `/external_content/0a/${Buffer.from(url, 'utf8').toString('hex')}`,
    showsMedia: true,
    upload: (pathId) => ({ pathId, contentType: 'audio/mpeg', image: null }),
    showsPages: true,
    page: () => ({ title: 'A page', description: 'Of words', imageUrl: 'https://a.b/c.png' }),
  },
};

export const LINKIFYING_DIRECTORY: MarkdownDirectory = {
  ...NO_NAMES,
  translatesEmoticons: true,
  defaultCodeLanguage: 'python',
  linkifiers: compiled([
    { pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://x.org/{id}' },
    { pattern: '(?P<project>[A-Z]+)-(?P<n>\\d+)', urlTemplate: 'https://y.org/{?project,n}' },
    { pattern: 'go/(?P<rest>[^ ]+)', urlTemplate: '/{+rest}' },
    { pattern: '(?P<any>[<>"\'&]{2,})', urlTemplate: 'https://z.org/{+any}#{any}' },
  ]),
};
