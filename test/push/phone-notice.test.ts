import { expect, test } from 'vitest';
import { fitting } from '../../src/workers/devices/phone-notice.ts';

const MESSAGE = {
  type: 'message',
  message_id: 7,
  user_id: 4,
  realm_url: 'https://chat.example.com',
  sender_full_name: 'Max',
  content: '😀'.repeat(200),
  recipient_user_ids: Array.from({ length: 900 }, (_, index) => index),
};

const fitted = (notice: Readonly<Record<string, unknown>>, bytesMax: number) => {
  const payload = fitting(notice, { bytesMax, make: (some) => some });
  expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(bytesMax);
  return payload;
};

test('what fits stays whole; then lists go, then some of the text, between two characters', () => {
  expect(fitted(MESSAGE, 5_000)).toEqual(MESSAGE);
  const { recipient_user_ids: _, ...rest } = MESSAGE;
  expect(fitted(MESSAGE, 1_500)).toEqual(rest);
  expect(String(fitted(MESSAGE, 700)['content'])).toMatch(/^(?:😀){100}…$/u);
  // Each length is tried, so that half of a character is nowhere.
  for (let bytes = 200; bytes < 1_000; bytes += 1) {
    expect(JSON.stringify(fitted(MESSAGE, bytes))).not.toMatch(/\\ud[89a-f]/i);
  }
  const { content: _content, sender_full_name: _name, ...least } = rest;
  expect(fitted(MESSAGE, 100)).toEqual(least);
});

test('of many messages that are taken back, the last ones are named', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => 1e14 + index);
  const { message_ids: named } = fitted({ type: 'remove', message_ids: ids }, 3_993);
  expect(named).toEqual(ids.slice(-200));
});
