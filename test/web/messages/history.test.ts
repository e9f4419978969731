import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffOf, versionsOf } from '../../../web/app/store/messages/history.ts';
import { openAccount } from '../store/later/snapshot.ts';

const without = (kind: string, before: string, after: string) =>
  diffOf(before, after)
    .filter((run) => run.kind !== kind)
    .map(({ text }) => text)
    .join('');

const texts = fc.array(fc.constantFrom('soup', 'bread', ' ', '\n', '**', '😀', 'ü'), {
  maxLength: 60,
});

test('a difference without what was added is the text before, and without what was removed the text after', () => {
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const [before, after] = [one.join(''), other.join('')];
      expect(without('added', before, after)).toBe(before);
      expect(without('removed', before, after)).toBe(after);
      const runs = diffOf(before, after);
      for (const [index, { kind, text }] of runs.entries()) {
        expect(text).not.toBe('');
        expect(kind).not.toBe(runs[index + 1]?.kind);
      }
    }),
  );
});

test('words are told apart, and what stays is left alone', () => {
  expect(diffOf('We meet at noon.', 'We meet at one, and eat.')).toEqual([
    { kind: 'same', text: 'We meet at ' },
    { kind: 'removed', text: 'noon' },
    { kind: 'added', text: 'one, and eat' },
    { kind: 'same', text: '.' },
  ]);
});

test('texts that have next to nothing in common are shown one after the other, however long', () => {
  const before = Array.from({ length: 5_000 }, (_, index) => `a${index}`).join(' ');
  const after = Array.from({ length: 5_000 }, (_, index) => `b${index}`).join(' ');
  expect(diffOf(before, after).map(({ kind }) => kind)).toEqual(['removed', 'added']);
  expect(without('added', before, after)).toBe(before);
});

test('versions come newest first, with what each changed', async () => {
  const entry = { content: 'b', rendered_content: '', topic: 'lunch', user_id: 4 };
  openAccount(() => ({
    message_history: [
      { ...entry, content: 'a', timestamp: 10 },
      { ...entry, timestamp: 20, prev_content: 'a' },
      { ...entry, topic: 'dinner', prev_topic: 'lunch', prev_stream: 1, stream: 2, timestamp: 30 },
    ],
  }));
  const versions = await versionsOf(1);
  expect(versions.map(({ atMs, before }) => [atMs, before])).toEqual([
    [30_000, null],
    [20_000, 'a'],
    [10_000, null],
  ]);
  expect(versions[0]).toMatchObject({
    topic: 'dinner',
    topicBefore: 'lunch',
    channelId: 2,
    channelIdBefore: 1,
  });
});
