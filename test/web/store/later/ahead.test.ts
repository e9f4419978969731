import { ApiError } from '@confab/client';
import { State } from '@confab/client/store';
import { expect, test } from 'vitest';
import {
  cancelReminder,
  cancelScheduled,
  changeScheduled,
  deleteDraft,
  localText,
  moments,
  reminders,
  scheduled,
  sendLater,
  sendScheduledNow,
} from '../../../../web/app/store/ahead/ahead.ts';
import { paramsOf } from '../../../../web/app/store/compose/destination.ts';
import { dmNarrow, topicNarrow } from '../../../../web/app/store/route.ts';
import { openAccount, snapshot } from './snapshot.ts';

const at = (year: number, month: number, day: number, hour = 0) =>
  new Date(year, month, day, hour).getTime();

test('mornings are of the days that people mean', () => {
  const wednesday = moments(at(2026, 0, 7, 15));
  expect(wednesday.find(({ label }) => label === 'Tomorrow morning')?.atMs).toBe(at(2026, 0, 8, 9));
  expect(wednesday.find(({ label }) => label === 'Monday morning')?.atMs).toBe(at(2026, 0, 12, 9));
});

test('on a Sunday, tomorrow is Monday; on a Monday, the next one is in a week', () => {
  expect(moments(at(2026, 0, 11, 15)).map(({ label }) => label)).not.toContain('Monday morning');
  expect(moments(at(2026, 0, 12, 8)).at(-1)?.atMs).toBe(at(2026, 0, 19, 9));
});

test('all moments are to come, in order', () => {
  for (let hour = 0; hour < 24; hour += 1) {
    const now = at(2026, 0, 7, hour);
    for (const { atMs } of moments(now)) expect(atMs).toBeGreaterThan(now);
  }
});

test('a message is sent later in the form of one that is sent now, at whole seconds', async () => {
  const requests = openAccount();
  const to = { type: 'channel', channelId: 1, topic: 'lunch' } as const;
  await sendLater(paramsOf(to, 'Soup'), 1_700_000_000_999);
  expect(requests[0]?.params).toMatchObject({
    type: 'channel',
    to: 1,
    topic: 'lunch',
    content: 'Soup',
    scheduled_delivery_timestamp: 1_700_000_000,
  });
});

const message = (scheduled_message_id: number, more: object) => ({
  scheduled_message_id,
  content: 'Soup',
  rendered_content: '<p>Soup</p>',
  scheduled_delivery_timestamp: 1_700_000_000 + scheduled_message_id,
  failed: false,
  ...more,
});

const MESSAGES = [
  message(3, { type: 'private', to: [4] }),
  message(1, { type: 'stream', to: 3, topic: 'lunch' }),
  message(2, {
    type: 'private',
    to: [4, 2],
    failed: true,
    failure_reason: 'You may not write there.',
  }),
  message(9, { type: 'private', to: [2], failed: true }),
];

const state = () => new State(snapshot({ scheduled_messages: MESSAGES }));

test('messages stand soonest first, lead to their conversations, and say why they failed', () => {
  expect(scheduled(state()).map(({ narrow, failure }) => [narrow, failure])).toEqual([
    [topicNarrow(3, 'lunch'), null],
    [dmNarrow([2]), 'You may not write there.'],
    [dmNarrow([4]), null],
    [dmNarrow([2]), 'It could not be sent.'],
  ]);
});

test('reminders lead to the message that they are about', () => {
  const reminder = {
    reminder_id: 8,
    content: 'Soup?',
    scheduled_delivery_timestamp: 1_700_000_000,
    reminder_target_message_id: 77,
  };
  const [one] = reminders(new State(snapshot({ reminders: [reminder] })));
  expect(one).toMatchObject({ id: 8, text: 'Soup?', atMs: 1_700_000_000_000 });
  expect(one?.narrow).toEqual([{ operator: 'id', operand: 77, negated: false }]);
});

test('each is cancelled by its own number', async () => {
  const requests = openAccount();
  await cancelScheduled(2);
  await cancelReminder(8);
  await deleteDraft(5);
  expect(requests.map(({ method, params }) => [method, params])).toEqual([
    ['DELETE', { scheduled_message_id: 2 }],
    ['DELETE', { reminder_id: 8 }],
    ['DELETE', { draft_id: 5 }],
  ]);
});

test('of a message that is changed, what stays is not sent', async () => {
  const requests = openAccount();
  const [lunch, failed] = scheduled(state());
  if (lunch === undefined || failed === undefined) throw new Error('There are four');
  await changeScheduled(lunch, { ...lunch, text: ' Bread ' });
  await changeScheduled(lunch, { ...lunch, atMs: 1_800_000_000_000 });
  await changeScheduled(lunch, { ...lunch, to: { type: 'direct', userIds: [2, 5] } });
  // One that failed has a time that is over: it is always said again.
  await changeScheduled(failed, { ...failed, atMs: failed.atMs });
  expect(requests.map(({ params }) => params)).toEqual([
    { scheduled_message_id: 1, content: 'Bread' },
    { scheduled_message_id: 1, scheduled_delivery_timestamp: 1_800_000_000 },
    { scheduled_message_id: 1, type: 'direct', to: [2, 5] },
    { scheduled_message_id: 2, scheduled_delivery_timestamp: 1_700_000_002 },
  ]);
});

const refusal = (msg: string) => new ApiError(400, { result: 'error', code: 'BAD_REQUEST', msg });

test('a message is sent now by a time just ahead, also where the clock is late', async () => {
  let refused = 2;
  const requests = openAccount(() => {
    refused -= 1;
    if (refused >= 0) throw refusal('Scheduled delivery time must be in the future.');
    return {};
  });
  await sendScheduledNow(2, 1_700_000_000_500);
  expect(requests.map(({ params }) => Object.values(params as object)[1] - 1_700_000_000)).toEqual([
    1, 5, 30,
  ]);
});

test('another refusal of sending now is told, and not tried again', async () => {
  const requests = openAccount(() => {
    throw refusal('Scheduled message does not exist');
  });
  await expect(sendScheduledNow(2)).rejects.toThrow(/does not exist/);
  expect(requests).toHaveLength(1);
});

test('a clock that is late by days is told of in the end', async () => {
  const requests = openAccount(() => {
    throw refusal('Scheduled delivery time must be in the future.');
  });
  await expect(sendScheduledNow(2)).rejects.toThrow(/in the future/);
  expect(requests).toHaveLength(6);
});

test('a field for times has the clock of this place', () => {
  expect(localText(at(2026, 0, 7, 15))).toBe('2026-01-07T15:00');
  expect(Date.parse(localText(at(2026, 6, 7, 15)))).toBe(at(2026, 6, 7, 15));
});
