import { expect, test } from 'vitest';
import { FETCHED_BYTES_MAX } from '../../../src/domain/limits/messages.ts';
import type { ListedMessage } from '../../../src/operations/reading/listed-messages.ts';
import { openBudget, pageAround } from '../../../src/operations/reading/message-pages.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';

// These rows have only the fields that a page looks at.
const rowsOf = (ids: readonly number[]) => ids.map((id) => ({ id })) as unknown as MessageRow[];
const messageOf = (fields: object) => fields as ListedMessage;
const idsOf = (messages: readonly ListedMessage[]) => messages.map(({ id }) => id);

const whole = 'x'.repeat(FETCHED_BYTES_MAX);

/** Fields of a message that its text does not bound. */
const LARGE = [
  { what: 'a text', fields: { content: whole } },
  { what: 'what was found', fields: { match_content: whole } },
  { what: 'reactions', fields: { reactions: Array.from({ length: 50_000 }, () => ({})) } },
  { what: 'submessages', fields: { submessages: [{ content: whole }] } },
  { what: 'edits', fields: { edit_history: [{ prev_rendered_content: whole }] } },
  { what: 'people', fields: { display_recipient: Array.from({ length: 40_000 }, () => ({})) } },
];

test.each(LARGE)(
  '$what may fill a page alone, and still it has the anchor and one message on each side',
  ({ fields }) => {
    const make = ({ id }: MessageRow) => messageOf({ id, ...fields });
    const page = (ids: number[], anchor: number) => {
      const { messages, ...cut } = pageAround(make, { rows: rowsOf(ids), anchor });
      return [idsOf(messages), cut];
    };
    expect(page([1, 2, 3, 4, 5, 6, 7], 4)).toEqual([
      [3, 4, 5],
      { isCutBefore: true, isCutAfter: true },
    ]);
    expect(page([4, 5, 6], 4)).toEqual([[4, 5], { isCutBefore: false, isCutAfter: true }]);
    expect(page([1, 2], 9)).toEqual([[2], { isCutBefore: true, isCutAfter: false }]);
    expect(page([3, 4], 4)).toEqual([[3, 4], { isCutBefore: false, isCutAfter: false }]);
    expect(page([], 4)).toEqual([[], { isCutBefore: false, isCutAfter: false }]);
  },
);

test('what one side does not need the other has', () => {
  const make = ({ id }: MessageRow) =>
    messageOf({ id, content: id < 10 ? 'x'.repeat(FETCHED_BYTES_MAX / 8) : 'x' });
  const ids = Array.from({ length: 30 }, (_, index) => index + 1);
  const { messages, isCutBefore, isCutAfter } = pageAround(make, {
    rows: rowsOf(ids),
    anchor: 12,
  });
  expect(idsOf(messages)).toEqual(ids.slice(1));
  expect([isCutBefore, isCutAfter]).toEqual([true, false]);
});

test.each(LARGE)(
  'by ids, $what may fill an answer alone, and not besides another message',
  ({ fields }) => {
    const budget = openBudget();
    budget.written(messageOf({ ...fields }));
    expect(() => budget.written(messageOf({ content: '' }))).toThrow(/too long for one answer/);
  },
);
