import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { filled } from '../../../client/src/requests.ts';
import { Changing } from '../../../web/app/store/feed/changing.ts';
import type { Params } from '../../../web/app/store/feed/message.ts';
import { startServer } from '../../support/start-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function opened() {
  const told: unknown[] = [];
  const calls = {
    call: async (_method: string, _path: string, params: Params = {}) => {
      told.push([params['message_id'], params['op']]);
    },
  };
  return { changing: new Changing(calls, 4), told };
}

const begins = (message_id: number, sender_id: number) => ({
  type: 'typing_edit_message',
  op: 'start',
  message_id,
  sender_id,
});

test('others are told at once, again after ten seconds, and when one pauses', () => {
  const { changing, told } = opened();
  changing.typed(7);
  for (let second = 0; second < 11; second += 1) {
    vi.advanceTimersByTime(1_000);
    changing.typed(7);
  }
  expect(told).toEqual([
    [7, 'start'],
    [7, 'start'],
  ]);
  vi.advanceTimersByTime(5_000);
  expect(told.at(-1)).toEqual([7, 'stop']);
  changing.stop();
  expect(told).toHaveLength(3);
});

test('another message ends the notice of the one before', () => {
  const { changing, told } = opened();
  changing.typed(7);
  changing.typed(8);
  changing.stop();
  expect(told).toEqual([
    [7, 'start'],
    [7, 'stop'],
    [8, 'start'],
    [8, 'stop'],
  ]);
});

test('a message that somebody changes is known until they stop, save it, or go away', () => {
  const { changing } = opened();
  const ids = () => [...changing.others.value.keys()];
  changing.apply(begins(7, 5));
  changing.apply(begins(8, 6));
  changing.apply(begins(9, 4));
  expect([...changing.others.value]).toEqual([
    [7, 5],
    [8, 6],
  ]);
  changing.apply({ ...begins(7, 5), op: 'stop' });
  expect(ids()).toEqual([8]);
  changing.apply({ type: 'update_message', message_id: 8 });
  expect(ids()).toEqual([]);
  changing.apply(begins(7, 5));
  vi.advanceTimersByTime(10_000);
  changing.apply(begins(7, 5));
  vi.advanceTimersByTime(10_000);
  expect(ids()).toEqual([7]);
  vi.advanceTimersByTime(5_000);
  expect(ids()).toEqual([]);
});

test('a reader hears of it from the server', async () => {
  vi.useRealTimers();
  const server = await startServer({ channels: ['general'] });
  const { mel, ada } = server.people;
  const to = { type: 'channel', to: 1, topic: 'lunch', content: 'Soup?' };
  const { body } = await server.post(mel, '/messages', to);
  const queue = await server.register(ada, { event_types: ['typing_edit_message'] });
  const calls = {
    call: async (method: string, path: string, params: Params = {}) =>
      await server.ask(mel, { method, ...filled(path, params) } as Parameters<
        typeof server.ask
      >[1]),
  };
  const own = new Changing(calls, mel.id);
  const reader = new Changing(calls, ada.id);
  own.typed(Number(body.id));
  for (const event of await queue.next()) reader.apply(event);
  expect([...reader.others.value]).toEqual([[body.id, mel.id]]);
  own.stop();
  for (const event of await queue.next()) reader.apply(event);
  expect([...reader.others.value]).toEqual([]);
});
