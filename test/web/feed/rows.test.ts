import { expect, test } from 'vitest';
import type { Message } from '../../../web/app/store/feed/message.ts';
import { type Row, type RowOptions, Rows } from '../../../web/app/store/feed/rows.ts';
import { openRandom } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';

const DAY = 86_400;

const message = (id: number, change: Partial<Message> = {}): Message => ({
  id,
  type: 'stream',
  stream_id: 1,
  subject: 'one',
  sender_id: 7,
  sender_email: 'mel@example.com',
  sender_full_name: 'Mel',
  avatar_url: null,
  content: '<p>hi</p>',
  display_recipient: 'general',
  is_me_message: false,
  timestamp: 10 * DAY + id,
  reactions: [],
  flags: ['read'],
  ...change,
});

const dayOf = (timestamp: number) => String(Math.floor(timestamp / DAY));
const OPTIONS: RowOptions = { isInterleaved: false, firstUnreadId: null, dayOf };

/** Rows in words: what is above a message, and whether it shows its sender. */
const inWords = (rows: readonly Row[]) =>
  rows.flatMap((row) =>
    row.kind === 'message'
      ? [
          ...(row.isFirstUnread ? ['new'] : []),
          ...(row.hasPlace ? ['place'] : []),
          `${row.message.id}${row.hasHead ? ' by' : ''}`,
        ]
      : [row.kind],
  );

test('messages of one sender stand together for ten minutes, on one day', () => {
  const messages = [
    message(1),
    message(2),
    message(3, { sender_id: 8 }),
    message(4, { sender_id: 8, timestamp: 10 * DAY + 700 }),
    message(5, { sender_id: 8, timestamp: 11 * DAY }),
    message(6, { sender_id: 8, timestamp: 11 * DAY + 1, is_me_message: true }),
    message(7, { sender_id: 8, timestamp: 11 * DAY + 2 }),
  ];
  expect(inWords(new Rows().of(messages, OPTIONS))).toEqual([
    'date',
    '1 by',
    '2',
    '3 by',
    '4 by',
    'date',
    '5 by',
    '6 by',
    '7 by',
  ]);
});

test('mixed conversations have a bar each time another one begins; topics may differ in case', () => {
  const people = (...ids: number[]) =>
    ids.map((id) => ({ id, email: `${id}@example.com`, full_name: String(id) }));
  const direct = { type: 'private', subject: '', display_recipient: people(7, 8) } as const;
  const messages = [
    message(1),
    message(2, { subject: 'ONE' }),
    message(3, { subject: 'two' }),
    message(4, direct),
    message(5, { ...direct, display_recipient: people(8, 7) }),
    message(6, { ...direct, display_recipient: people(8, 7, 9) }),
  ];
  expect(inWords(new Rows().of(messages, { ...OPTIONS, isInterleaved: true }))).toEqual([
    'date',
    'place',
    '1 by',
    '2',
    'place',
    '3 by',
    'place',
    '4 by',
    '5',
    'place',
    '6 by',
  ]);
});

test('the line "new" is above the first unread message, unless nothing is above it', () => {
  const messages = [message(1), message(2), message(3)];
  const rows = new Rows();
  expect(inWords(rows.of(messages, { ...OPTIONS, firstUnreadId: 2 }))).toEqual([
    'date',
    '1 by',
    'new',
    '2 by',
    '3',
  ]);
  expect(inWords(rows.of(messages, { ...OPTIONS, firstUnreadId: 1 }))).toEqual([
    'date',
    '1 by',
    '2',
    '3',
  ]);
});

test.each(runNumbers({ few: 20, all: 200 }))(
  'rows that are kept from the last time are the rows that would be made (seed %i)',
  (seed) => {
    const { below, pick, chance } = openRandom(seed);
    const rows = new Rows();
    let messages: Message[] = [];
    let next = 1;
    let options = OPTIONS;
    for (let step = 0; step < 40; step++) {
      const act = pick(['add', 'add', 'change', 'remove', 'options']);
      if (act === 'add') {
        const timestamp = 10 * DAY + next * 300;
        messages = [
          ...messages,
          message(next, { sender_id: below(2), subject: pick(['a', 'b']), timestamp }),
        ];
        next += 1 + below(3);
      } else if (act === 'change') {
        messages = messages.map((one) =>
          chance(0.2) ? { ...one, subject: pick(['a', 'b']) } : one,
        );
      } else if (act === 'remove') messages = messages.filter(() => chance(0.9));
      else options = { ...options, isInterleaved: chance(0.5), firstUnreadId: below(next) };
      const made = rows.of(messages, options);
      expect(made).toEqual(new Rows().of(messages, options));
      expect(new Set(made.map(({ key }) => key)).size).toBe(made.length);
    }
  },
);
