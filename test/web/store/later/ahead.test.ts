import { expect, test } from 'vitest';
import { moments, reminders, scheduled, sendLater } from '../../../../web/app/store/ahead/ahead.ts';
import { paramsOf } from '../../../../web/app/store/compose/destination.ts';
import { dmNarrow, topicNarrow } from '../../../../web/app/store/route.ts';
import { openAccount } from './snapshot.ts';

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

test('what is to come leads to its conversation, and is cancelled by its own number', async () => {
  const message = { content: 'Soup', scheduled_delivery_timestamp: 5, failed: false };
  const requests = openAccount((method, path) =>
    method !== 'GET'
      ? {}
      : path === '/reminders'
        ? { reminders: [{ ...message, reminder_id: 8, reminder_target_message_id: 77 }] }
        : {
            scheduled_messages: [
              { ...message, scheduled_message_id: 1, type: 'stream', to: 3, topic: 'lunch' },
              { ...message, scheduled_message_id: 2, type: 'private', to: [4, 2] },
              { ...message, scheduled_message_id: 3, type: 'private', to: [4] },
            ],
          },
  );
  const messages = await scheduled();
  expect(messages.map(({ narrow }) => narrow)).toEqual([
    topicNarrow(3, 'lunch'),
    dmNarrow([2]),
    dmNarrow([4]),
  ]);
  await messages[1]?.cancel();
  await (await reminders())[0]?.cancel();
  expect(requests.filter(({ method }) => method === 'DELETE').map(({ params }) => params)).toEqual([
    { scheduled_message_id: 2 },
    { reminder_id: 8 },
  ]);
});
