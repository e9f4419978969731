import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Arrived, noticeOf, textOf } from '../../../web/app/store/notifying.ts';
import { dmNarrow, narrowRoute, topicNarrow } from '../../../web/app/store/route.ts';

const NAMES = {
  ownId: 4,
  channel: (id: number) => (id === 1 ? 'general' : undefined),
  person: (id: number) => ({ 7: 'Ada', 8: 'Max' })[id],
};

const arrived = (message: Partial<Arrived['message']>, flags: readonly string[] = []): Arrived => ({
  flags,
  message: {
    id: 50,
    sender_id: 7,
    sender_full_name: 'Ada',
    type: 'stream',
    subject: 'tea',
    content: '<p>Hello</p>',
    display_recipient: 'general',
    ...message,
  },
});

const direct = (ids: readonly number[]) =>
  ({ type: 'private', subject: '', display_recipient: ids.map((id) => ({ id })) }) as const;

test('a direct message is shown with who sent it, and leads to its conversation', () => {
  expect(noticeOf(arrived(direct([4, 7])), NAMES)).toEqual({
    title: 'Ada',
    text: 'Hello',
    tag: 'dm 7',
    route: narrowRoute(dmNarrow([7]), 50),
  });
  expect(noticeOf(arrived(direct([4, 7, 8])), NAMES)?.title).toBe('Ada to Ada, Max');
});

test('a message of a channel is shown where it mentions one', () => {
  expect(noticeOf(arrived({ stream_id: 1 }), NAMES)).toBeNull();
  expect(noticeOf(arrived({ stream_id: 1 }, ['mentioned']), NAMES)).toEqual({
    title: 'Ada in general › tea',
    text: 'Hello',
    tag: 'topic 1 tea',
    route: narrowRoute(topicNarrow(1, 'tea'), 50),
  });
});

test('what one has written or read oneself is not shown', () => {
  expect(noticeOf(arrived({ ...direct([4, 7]), sender_id: 4 }), NAMES)).toBeNull();
  expect(noticeOf(arrived(direct([4, 7]), ['read']), NAMES)).toBeNull();
});

test.each([
  ['<p>a &lt;b&gt; &amp;amp; c</p>', 'a <b> &amp; c'],
  ['<p>one</p>\n<ul>\n<li>two</li>\n</ul>', 'one two'],
  ['<p>cut off <a href="', 'cut off'],
])('%s is read as text', (html, text) => {
  expect(textOf(html)).toBe(text);
});

test('a text is short, however long the message is', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2_000 }), (html) => {
      expect(textOf(html.repeat(50)).length).toBeLessThanOrEqual(300);
    }),
  );
});
