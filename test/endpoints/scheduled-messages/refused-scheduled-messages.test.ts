import { expect, test } from 'vitest';
import { SCHEDULED_MESSAGES_PER_USER_MAX } from '../../../src/domain/limits/personal.ts';
import { TIMESTAMP_MAX } from '../../../src/domain/limits/requests.ts';
import {
  inSeconds,
  listOf,
  PATH,
  passTime,
  schedule,
  scheduled,
} from '../../support/messages/scheduling.ts';
import { startServer } from '../../support/start-server.ts';

const REFUSED = [
  { why: 'no type', params: { type: undefined }, body: missing('type') },
  { why: 'an unknown type', params: { type: 'letter' }, body: bad(/^Invalid type/) },
  { why: 'no recipient', params: { to: undefined }, body: missing('to') },
  { why: 'a channel by name', params: { to: '"general"' }, body: bad(/^to is neither/) },
  { why: 'no JSON', params: { to: 'general' }, body: bad(/^to is not valid JSON/) },
  { why: 'a list for a channel', params: { to: [1] }, body: bad(/Invalid data type for channel/) },
  {
    why: 'an integer for people',
    params: { type: 'direct', to: 1 },
    body: bad(/Invalid data type for recipients/),
  },
  { why: 'nobody', params: { type: 'direct', to: [] }, body: bad(/must have recipients/) },
  {
    why: 'an unknown user',
    params: { type: 'direct', to: [99] },
    body: bad(/Invalid user ID 99/),
  },
  {
    why: 'an unknown channel',
    params: { to: 99 },
    body: { code: 'STREAM_DOES_NOT_EXIST', stream_id: 99 },
  },
  { why: 'no topic', params: { topic: undefined }, body: bad(/Missing topic/) },
  { why: 'a NUL in the topic', params: { topic: 'a\0' }, body: bad(/Invalid character in topic/) },
  { why: 'no content', params: { content: undefined }, body: missing('content') },
  { why: 'an empty message', params: { content: ' ' }, body: bad(/must not be empty/) },
  { why: 'a message too long', params: { content: 'x'.repeat(10_001) }, body: bad(/too long/) },
  {
    why: 'no time',
    params: { scheduled_delivery_timestamp: undefined },
    body: missing('scheduled_delivery_timestamp'),
  },
  {
    why: 'a time that is no integer',
    params: { scheduled_delivery_timestamp: '1.5' },
    body: bad(/^scheduled_delivery_timestamp is not an integer/),
  },
  {
    why: 'a negative time',
    params: { scheduled_delivery_timestamp: -1 },
    body: bad(/must be in the future/),
  },
  {
    why: 'a time after all times',
    params: { scheduled_delivery_timestamp: TIMESTAMP_MAX + 1 },
    body: bad(/too far away/),
  },
  {
    why: 'a read_by_sender that is no boolean',
    params: { read_by_sender: 'yes' },
    body: bad(/^read_by_sender is not a boolean/),
  },
];

test('what cannot be scheduled is refused with its reason, and nothing happens', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const queue = await server.register(mel);
  for (const { why, params, body } of REFUSED) {
    const reply = await schedule(server, mel, params);
    expect(reply, why).toMatchObject({ status: 400, body: { result: 'error', ...body } });
  }
  const now = { scheduled_delivery_timestamp: inSeconds(server, 0) };
  expect(await schedule(server, mel, now)).toMatchObject({
    status: 400,
    body: { msg: 'Scheduled delivery time must be in the future.' },
  });
  expect(await queue.now()).toEqual([]);
  expect(await listOf(server, mel)).toEqual([]);
  const longest = { type: 'stream', content: 'x'.repeat(10_000) };
  const soon = { ...longest, scheduled_delivery_timestamp: inSeconds(server, 1) };
  expect((await schedule(server, mel, soon)).status).toBe(200);
  const last = { scheduled_delivery_timestamp: TIMESTAMP_MAX };
  expect((await schedule(server, mel, last)).status).toBe(200);
  expect(server.bugs).toEqual([]);
});

test('what may not be sent now is not scheduled either', async () => {
  const server = await startServer();
  const { ona, gus } = server.people;
  await server.post(ona, '/users/me/subscriptions', { subscriptions: [{ name: 'open' }] });
  expect(await schedule(server, gus)).toMatchObject({
    status: 400,
    body: {
      code: 'BAD_REQUEST',
      msg: expect.stringMatching(
        /^Not authorized to send to channel '|^You do not have permission to post/,
      ),
    },
  });
});

const UNCHANGED = [
  { why: 'nothing', params: {}, body: bad(/^Nothing to change$/) },
  {
    why: 'a type without recipients',
    params: { type: 'direct' },
    body: bad(/^Recipient required when updating type/),
  },
  {
    why: 'a channel without a topic',
    params: { type: 'channel', to: 1 },
    body: bad(/^Topic required when updating/),
  },
  {
    why: 'a list for a channel message',
    params: { to: [1] },
    body: bad(/Invalid data type for channel/),
  },
  { why: 'an unknown channel', params: { to: 9 }, body: { code: 'STREAM_DOES_NOT_EXIST' } },
  { why: 'an empty message', params: { content: '' }, body: bad(/must not be empty/) },
  {
    why: 'a time that is past',
    params: { scheduled_delivery_timestamp: 1 },
    body: bad(/must be in the future/),
  },
  { why: 'a type that is none', params: { type: 'x', to: 1 }, body: bad(/^Invalid type/) },
];

test('a change that cannot be is refused with its reason, and nothing happens', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await scheduled(server, mel);
  const before = await listOf(server, mel);
  const queue = await server.register(mel);
  for (const { why, params, body } of UNCHANGED) {
    const reply = await server.patch(mel, `${PATH}/${id}`, params);
    expect(reply, why).toMatchObject({ status: 400, body: { result: 'error', ...body } });
  }
  expect(await queue.now()).toEqual([]);
  expect(await listOf(server, mel)).toEqual(before);
});

test('a message of somebody else, one that was sent and one that never was look alike', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const own = await scheduled(server, mel);
  const others = await scheduled(server, max, {
    scheduled_delivery_timestamp: inSeconds(server, 9),
  });
  await passTime(server, mel, [9_000, 51_000]);
  const later = await scheduled(server, max, {
    scheduled_delivery_timestamp: inSeconds(server, 60),
  });
  const missingOne = {
    status: 404,
    body: { result: 'error', code: 'BAD_REQUEST', msg: 'Scheduled message does not exist' },
  };
  for (const id of [own, others, later, 99, -1]) {
    expect(await server.patch(mel, `${PATH}/${id}`, { content: 'x' })).toMatchObject(missingOne);
    expect(await server.delete(mel, `${PATH}/${id}`)).toMatchObject(missingOne);
  }
  expect(await server.delete(mel, `${PATH}/x`)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'scheduled_message_id is not an integer' },
  });
  expect(await listOf(server, max)).toHaveLength(1);
});

test('so many messages can be scheduled and no more', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await scheduled(server, mel);
  await server.perform((tx) => {
    const row = tx.scheduledMessages.get([mel.id, 1]) ?? expect.fail();
    for (let id = 2; id < SCHEDULED_MESSAGES_PER_USER_MAX; id++) {
      tx.scheduledMessages.put([mel.id, tx.nextId('scheduledMessage')], row);
    }
  });
  expect((await schedule(server, mel)).status).toBe(200);
  expect(await schedule(server, mel)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'You can have at most 1000 scheduled messages.' },
  });
});

function missing(name: string) {
  return { code: 'REQUEST_VARIABLE_MISSING', var_name: name };
}

function bad(msg: RegExp) {
  return { code: 'BAD_REQUEST', msg: expect.stringMatching(msg) };
}
