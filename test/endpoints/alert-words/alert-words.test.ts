import { expect, test } from 'vitest';
import {
  ALERT_WORD_LENGTH_MAX,
  ALERT_WORDS_PER_USER_MAX,
} from '../../../src/domain/limits/accounts.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const PATH = '/users/me/alert_words';
const LUNCH = { type: 'channel', to: 'general', topic: 'lunch', content: 'the SOUP is hot' };
const answer = (...alert_words: string[]) => ({ result: 'success', msg: '', alert_words });

test('words are added and removed whatever their case, trimmed, in their order, for oneself alone', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const own = await server.register(mel);
  const other = await server.register(max);
  const add = (...alert_words: string[]) => server.post(mel, PATH, { alert_words });
  expect((await server.get(mel, PATH)).body).toEqual(answer());
  expect((await add(' Soup ', 'tea', 'soup', ' ')).body).toEqual(answer('Soup', 'tea'));
  expect((await add('SOUP')).body).toEqual(answer('Soup', 'tea'));
  expect((await add('bread')).body).toEqual(answer('Soup', 'tea', 'bread'));
  const removal = await server.delete(mel, PATH, { alert_words: ['TEA ', 'cake'] });
  expect(removal.body).toEqual(answer('Soup', 'bread'));
  expect((await server.delete(mel, PATH, { alert_words: ['cake'] })).body).toEqual(
    answer('Soup', 'bread'),
  );
  expect((await server.get(mel, PATH)).body).toEqual(answer('Soup', 'bread'));
  expect((await server.register(mel)).state.alert_words).toEqual(['Soup', 'bread']);
  const event = { id: expect.any(Number), type: 'alert_words' };
  expect(await own.now()).toEqual([
    { ...event, alert_words: ['Soup', 'tea'] },
    { ...event, alert_words: ['Soup', 'tea', 'bread'] },
    { ...event, alert_words: ['Soup', 'bread'] },
  ]);
  expect(await other.now()).toEqual([]);
  expect((await server.get(max, PATH)).body).toEqual(answer());
});

/** Returns the flags of the next message for each of these people. */
async function flags(server: TestServer, params: object = {}) {
  const { mel, max, gus } = server.people;
  const queues = await Promise.all(
    [mel, max, gus].map((person) => server.register(person, { event_types: ['message'] })),
  );
  expect((await server.post(mel, '/messages', { ...LUNCH, ...params })).status).toBe(200);
  const heard = await Promise.all(queues.map((queue) => queue.now()));
  return heard.map((events) => events[0]?.['flags']);
}

test('who waits for a word of a message is flagged, the sender as well, as soon and as long as they wait', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, gus } = server.people;
  const soup = { alert_words: ['soup'] };
  expect(await flags(server)).toEqual([[], [], []]);
  await server.post(max, PATH, soup);
  expect(await flags(server)).toEqual([[], ['has_alert_word'], []]);
  await server.post(mel, PATH, soup);
  await server.post(gus, PATH, { alert_words: ['tea'] });
  expect(await flags(server, { read_by_sender: true })).toEqual([
    ['read', 'has_alert_word'],
    ['has_alert_word'],
    [],
  ]);
  await server.delete(max, PATH, soup);
  expect(await flags(server)).toEqual([['has_alert_word'], [], []]);
});

test('somebody who does not get a message is not flagged, and a restart forgets no word', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max, gus } = server.people;
  for (const person of [max, gus]) await server.post(person, PATH, { alert_words: ['soup'] });
  await server.restart();
  const direct = { type: 'direct', to: [max.id] };
  expect(await flags(server, direct)).toEqual([[], ['has_alert_word'], undefined]);
  const narrow = { anchor: 'oldest', num_after: 10, narrow: [['is', 'alerted']] };
  const found = async (as: typeof max) => (await server.get(as, '/messages', narrow)).body.messages;
  expect(await found(max)).toMatchObject([{ flags: ['has_alert_word'] }]);
  expect(await found(gus)).toEqual([]);
});

test('words of one realm are not those of another', async () => {
  const server = await startServer({ channels: ['general'] });
  const other = await server.addRealm('other');
  await other.post(other.admin, PATH, { alert_words: ['soup'] });
  expect(await flags(server)).toEqual([[], [], []]);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await expectExactAfter(server, async () => {
    await server.post(mel, PATH, { alert_words: ['soup', 'tea'] });
    await server.post(max, '/messages', LUNCH);
    await server.delete(mel, PATH, { alert_words: ['soup', 'tea'] });
    await server.post(max, PATH, { alert_words: ['tea'] });
  });
});

test.each([
  {
    why: 'nothing',
    params: {},
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'alert_words' },
  },
  { why: 'no list', params: { alert_words: 'soup' }, body: bad(/^alert_words is not valid JSON/) },
  { why: 'a word alone', params: { alert_words: '"a"' }, body: bad(/^alert_words is not a list/) },
  { why: 'a number', params: { alert_words: [1] }, body: bad(/^alert_words\[0\] is not a string/) },
  {
    why: 'a word too long',
    params: { alert_words: ['a', 'x'.repeat(ALERT_WORD_LENGTH_MAX + 1)] },
    body: bad(/^alert_words\[1\] is too long/),
  },
  {
    why: 'too many at once',
    params: { alert_words: Array.from({ length: ALERT_WORDS_PER_USER_MAX + 1 }, String) },
    body: bad(/^alert_words has more than/),
  },
])('is refused: $why', async ({ params, body }) => {
  const server = await startServer();
  const { mel } = server.people;
  for (const method of ['post', 'delete'] as const) {
    expect(await server[method](mel, PATH, params)).toMatchObject({
      status: 400,
      body: { result: 'error', ...body },
    });
  }
  expect((await server.get(mel, PATH)).body).toEqual(answer());
});

test('so many words of such a length can be had and no more', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const word = (index: number) => `${index} `.padEnd(ALERT_WORD_LENGTH_MAX, 'x');
  const alert_words = Array.from({ length: ALERT_WORDS_PER_USER_MAX }, (_, index) => word(index));
  expect((await server.post(mel, PATH, { alert_words })).status).toBe(200);
  expect(await server.post(mel, PATH, { alert_words: ['more'] })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'You can have at most 500 alert words.' },
  });
  expect((await server.get(mel, PATH)).body.alert_words).toHaveLength(ALERT_WORDS_PER_USER_MAX);
});

function bad(msg: RegExp) {
  return { code: 'BAD_REQUEST', msg: expect.stringMatching(msg) };
}
