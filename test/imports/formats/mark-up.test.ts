import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOfDiscord } from '../../../src/imports/formats/discord/markdown.ts';
import { textOfPost } from '../../../src/imports/formats/mattermost/posts.ts';
import { textOfMessage } from '../../../src/imports/formats/rocketchat/messages.ts';
import { Rooms } from '../../../src/imports/formats/rocketchat/rooms.ts';
import { textOfMrkdwn } from '../../../src/imports/formats/slack/mrkdwn.ts';
import type { HistoryText } from '../../../src/imports/history.ts';

/** Without known users, every mention in the Markdown is one by accident. */
const NOBODY = new Map<string, never>();
const CONVERSIONS: Readonly<Record<string, (text: string) => HistoryText>> = {
  slack: textOfMrkdwn,
  mattermost: (text) => textOfPost(text, { users: new Set(), channels: new Set() }, 'core'),
  rocketchat: (text) => textOfMessage(text, { names: NOBODY, rooms: new Rooms() }),
  discord: (text) => textOfDiscord(text, { users: NOBODY, places: NOBODY, names: NOBODY }),
};

const SIGNS = [
  ...[
    '@',
    '_',
    '*',
    '**',
    '#',
    '`',
    '```',
    '~',
    '|',
    '||',
    '<',
    '>',
    '<@',
    '<@1>',
    '<#',
    '<!here>',
  ],
  ...['\n', ' ', '\\', '&lt;', '&amp;', '&gt;', ':a:', '[', ']', '(', ')', 'https://a.example/'],
  ...['@**Ann**', '@_**Ann**', '@*all*', '#**general**', 'Ann', '@**all**', '```spoiler\n'],
];
const markUp = fc
  .array(fc.oneof(fc.constantFrom(...SIGNS), fc.string({ maxLength: 3 })), { maxLength: 40 })
  .map((parts) => parts.join(''));

/** Finds what this service reads as a mention, a group or a channel. */
const MENTION = /@_?\*\*?[^*\n]+\*|#\*\*[^*\n]+\*\*/;

test.each(Object.keys(CONVERSIONS))(
  '1: %s: never throws, and mentions nobody by accident',
  (name) => {
    const convert = CONVERSIONS[name] ?? textOfMrkdwn;
    fc.assert(
      fc.property(markUp, (source) => {
        const text = convert(source);
        for (const piece of text) if (typeof piece === 'string') expect(piece).not.toMatch(MENTION);
        for (const [index, piece] of text.entries()) {
          expect(typeof piece === 'string' && typeof text[index - 1] === 'string').toBe(false);
        }
      }),
      { numRuns: 2_000 },
    );
  },
);

const LENGTH = 120_000;
const HOSTILE = [
  ...SIGNS,
  '*a ',
  '_a ',
  '~a',
  '`a\n',
  '```a',
  '<a|',
  '@a.',
  '||a|',
  '*a\n',
  '@-',
  '&lt;*',
];

/** Eight times the text takes eight times as long, or 64 if all of it is read again. */
const GROWTH_MAX = 24;
const ROUNDS_MAX = 6;
/** Shorter times say nothing of how they grow. */
const TIME_MS_MIN = 2;

test.each(Object.keys(CONVERSIONS))('2: %s: takes linear time', (name) => {
  const convert = CONVERSIONS[name] ?? textOfMrkdwn;
  const timed = (source: string) => {
    const startedAt = performance.now();
    convert(source);
    return performance.now() - startedAt;
  };
  for (const sign of HOSTILE) {
    const source = sign.repeat(Math.ceil(LENGTH / sign.length));
    const eighth = source.slice(0, LENGTH / 8);
    // The least of a few rounds is without what else the machine does.
    const growths: number[] = [];
    while (growths.length < ROUNDS_MAX && !(Math.min(...growths) < GROWTH_MAX)) {
      const before = Math.max(TIME_MS_MIN, timed(eighth), timed(eighth));
      growths.push(timed(source) / before);
    }
    const growth = Math.min(...growths);
    expect(growth, `${JSON.stringify(sign)}, again and again`).toBeLessThan(GROWTH_MAX);
  }
});
