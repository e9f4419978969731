import type { api, EventOf, ReplyOf } from '@confab/client';
import { expect, test } from 'vitest';
import { openChat } from '../../support/client-library/open-chat.ts';
import { startServer } from '../../support/start-server.ts';

/**
 * `npm run types` expects the compiler to refuse the marked lines. The server refuses most of them,
 * too.
 */

test('parameters are values, and a reply has the fields of the call', async () => {
  const server = await startServer({ channels: ['general'] });
  const { chat } = openChat(server, server.people.mel);
  const { id } = await chat.call('POST', '/messages', {
    type: 'channel',
    to: 1,
    topic: 'lunch',
    content: 'soup?',
  });
  const { messages, found_newest } = await chat.call('GET', '/messages', {
    anchor: 'newest',
    num_before: 5,
    num_after: 0,
    narrow: [{ operator: 'channel', operand: 'general' }, ['topic', 'lunch']],
  });
  const name: string | undefined = messages[0]?.sender_full_name;
  const isAll: boolean = found_newest;
  expect([name, isAll, messages[0]?.id]).toEqual(['Mel Member', true, id]);
  // @ts-expect-error There is no such field.
  expect(messages[0]?.sender_nickname).toBeUndefined();
});

test('parameters that are wrong are refused, by the compiler and by the server', async () => {
  const server = await startServer({ channels: ['general'] });
  const { chat } = openChat(server, server.people.mel);
  const refused = { code: 'BAD_REQUEST' };
  // @ts-expect-error It is no anchor.
  await expect(chat.call('GET', '/messages', { anchor: 'newes' })).rejects.toMatchObject(refused);
  const nowhere = { type: 'channel', to: 1, topic: 'x' } as const;
  // @ts-expect-error The content is missing.
  await expect(chat.call('POST', '/messages', nowhere)).rejects.toThrow("Missing 'content'");
  // @ts-expect-error It is a list.
  await expect(chat.call('POST', '/drafts', { drafts: {} })).rejects.toMatchObject(refused);
});

test('names in a path are parameters, which the compiler asks for', async () => {
  const server = await startServer({ channels: ['general'] });
  const { chat } = openChat(server, server.people.mel);
  const { topics } = await chat.call('GET', '/users/me/{stream_id}/topics', { stream_id: 1 });
  expect(topics).toEqual([]);
  await expect(async () => {
    // @ts-expect-error Nothing says which channel.
    await chat.call('GET', '/users/me/{stream_id}/topics', {});
  }).rejects.toThrow('stream_id');
});

test('events are a union that type and op tell apart', () => {
  const described = (event: api.Event): string => {
    if (event.type === 'message') return event.message.sender_full_name;
    if (event.type === 'stream' && event.op === 'create') return event.streams[0]?.name ?? '';
    // @ts-expect-error Other events of channels have no list of them.
    return event.streams;
  };
  expect(described).toBeTypeOf('function');
  const typing: EventOf<'typing'>['op'][] = ['start', 'stop'];
  expect(typing).toHaveLength(2);
  type Topics = ReplyOf<'GET', '/users/me/{stream_id}/topics'>['topics'];
  const topics: Topics = [{ name: 'lunch', max_id: 1 }];
  expect(topics).toHaveLength(1);
});
