import { expect, test } from 'vitest';
import {
  BOT_STORAGE_KEY_LENGTH_MAX,
  BOT_STORAGE_KEYS_MAX,
  BOT_STORAGE_LENGTH_MAX,
} from '../../../src/domain/limits/bots.ts';
import * as botStorage from '../../../src/operations/bots/storage.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PATH = '/bot_storage';
const SUCCESS = { result: 'success', msg: '' };

const put = (server: TestServer, as: Person, storage: unknown) => server.put(as, PATH, { storage });

const allOf = async (server: TestServer, as: Person) => (await server.get(as, PATH)).body.storage;

test('a bot keeps values by their keys, replaces some, and reads what it names or all', async () => {
  const server = await startServer();
  const { bot } = server.people;
  expect(await server.get(bot, PATH)).toMatchObject({ body: { ...SUCCESS, storage: {} } });
  expect((await put(server, bot, { tea: '3 cups', milk: '' })).body).toEqual(SUCCESS);
  expect((await put(server, bot, { tea: '4 cups', '🫖 pot': '{"full": true}' })).body).toEqual(
    SUCCESS,
  );
  const all = { tea: '4 cups', milk: '', '🫖 pot': '{"full": true}' };
  expect((await server.get(bot, PATH)).body).toEqual({ ...SUCCESS, storage: all });
  expect((await server.get(bot, PATH, { keys: ['milk', 'tea', 'tea'] })).body).toEqual({
    ...SUCCESS,
    storage: { milk: '', tea: '4 cups' },
  });
  expect((await server.get(bot, PATH, { keys: [] })).body).toEqual({ ...SUCCESS, storage: {} });
  expect((await put(server, bot, {})).body).toEqual(SUCCESS);
  expect(await allOf(server, bot)).toEqual(all);
});

test('what is kept is of one account, goes with its keys or all at once, and is told to nobody', async () => {
  const server = await startServer();
  const { bot, mel } = server.people;
  const queue = await server.register(bot);
  await put(server, bot, { one: '1', two: '2', three: '3' });
  await put(server, mel, { one: 'mine' });
  expect((await server.delete(bot, PATH, { keys: ['one', 'one', 'three'] })).body).toEqual(SUCCESS);
  expect(await allOf(server, bot)).toEqual({ two: '2' });
  expect((await server.delete(bot, PATH)).body).toEqual(SUCCESS);
  expect((await server.delete(bot, PATH)).body).toEqual(SUCCESS);
  expect(await allOf(server, bot)).toEqual({});
  expect(await allOf(server, mel)).toEqual({ one: 'mine' });
  expect(await queue.now()).toEqual([]);
});

test('a key may be any word, also one that means something to an object', async () => {
  const server = await startServer();
  const { bot } = server.people;
  const text = '{"__proto__":"a","constructor":"b","toString":"c"}';
  expect((await put(server, bot, text)).body).toEqual(SUCCESS);
  const { body } = await server.get(bot, PATH, { keys: ['__proto__', 'toString'] });
  expect(Object.entries(body.storage)).toEqual([
    ['__proto__', 'a'],
    ['toString', 'c'],
  ]);
  expect((await server.get(bot, PATH, { keys: ['valueOf'] })).status).toBe(400);
});

test('reading or removing what is not there is refused, and removes nothing', async () => {
  const server = await startServer();
  const { bot } = server.people;
  await put(server, bot, { here: '1' });
  for (const missing of ['', 'there', 'hereafter', 'her', 'a\0b', 'x'.repeat(2_000)]) {
    const params = { keys: ['here', missing] };
    const refused = {
      status: 400,
      body: { result: 'error', code: 'BAD_REQUEST', msg: 'Key does not exist.' },
    };
    expect(await server.get(bot, PATH, params)).toMatchObject(refused);
    expect(await server.delete(bot, PATH, params)).toMatchObject(refused);
  }
  expect(await allOf(server, bot)).toEqual({ here: '1' });
});

test.each([
  { why: 'no storage', storage: undefined, msg: /Missing 'storage'/ },
  { why: 'no JSON', storage: '{tea', msg: /storage is not valid JSON/ },
  { why: 'half a character', storage: '{"tea":"\\ud800"}', msg: /storage is not valid Unicode/ },
  { why: 'a list', storage: '["tea"]', msg: /storage is not a dict/ },
  { why: 'nothing', storage: 'null', msg: /storage is not a dict/ },
  { why: 'a number', storage: { tea: 3 }, msg: /^storage\["tea"\] is not a string$/ },
  { why: 'a list as a value', storage: { tea: ['3'] }, msg: /is not a string/ },
  { why: 'an empty key', storage: { '': '3' }, msg: /^storage has a key that is blank$/ },
  { why: 'an unprintable key', storage: { 'a\0b': '3' }, msg: /Invalid character in key!/ },
  {
    why: 'a key that is too long',
    storage: { ['x'.repeat(BOT_STORAGE_KEY_LENGTH_MAX + 1)]: '3' },
    msg: /longer than 255 characters/,
  },
])('what cannot be kept is refused, and changes nothing: $why', async ({ storage, msg }) => {
  const server = await startServer();
  const { bot } = server.people;
  await put(server, bot, { tea: '2' });
  const { status, body } = await put(
    server,
    bot,
    typeof storage === 'object' ? { ok: '1', ...storage } : storage,
  );
  expect(status).toBe(400);
  expect(body).toMatchObject({ result: 'error', msg: expect.stringMatching(msg) });
  expect(await allOf(server, bot)).toEqual({ tea: '2' });
});

test.each([{ keys: 'tea' }, { keys: [1] }, { keys: { tea: 1 } }])(
  'keys are a list of texts: $keys is refused',
  async ({ keys }) => {
    const server = await startServer();
    const { bot } = server.people;
    for (const { status, body } of [
      await server.get(bot, PATH, { keys }),
      await server.delete(bot, PATH, { keys }),
    ]) {
      expect(status).toBe(400);
      expect(body).toMatchObject({ result: 'error', msg: expect.stringMatching(/keys/) });
    }
  },
);

test('an account keeps so many characters, keys and values together, and not one more', async () => {
  const server = await startServer();
  const { bot } = server.people;
  const long = 'x'.repeat(BOT_STORAGE_LENGTH_MAX - 10);
  expect((await put(server, bot, { long, tea: '1' })).body).toEqual(SUCCESS);
  expect((await put(server, bot, { a: '1' })).body).toEqual(SUCCESS);
  expect(await put(server, bot, { a: '12' })).toMatchObject({
    status: 400,
    body: {
      code: 'BAD_REQUEST',
      msg:
        'Request exceeds storage limit by 1 characters. ' +
        `The limit is ${BOT_STORAGE_LENGTH_MAX} characters.`,
    },
  });
  expect((await server.get(bot, PATH, { keys: ['a'] })).body.storage).toEqual({ a: '1' });
  await server.delete(bot, PATH, { keys: ['tea'] });
  expect((await put(server, bot, { a: '12345' })).body).toEqual(SUCCESS);
  expect((await put(server, bot, { a: '123456' })).status).toBe(400);
  await server.delete(bot, PATH);
  expect((await put(server, bot, { long: `${long}123456` })).body).toEqual(SUCCESS);
});

test('an account keeps so many keys, the longest ones too, and not one more', async () => {
  const server = await startServer();
  const { bot } = server.people;
  const keys = Array.from({ length: BOT_STORAGE_KEYS_MAX }, (_, index) =>
    index === 0 ? 'ж'.repeat(BOT_STORAGE_KEY_LENGTH_MAX) : `key ${index}`,
  );
  const full = Object.fromEntries(keys.map((key) => [key, '1']));
  expect((await put(server, bot, full)).body).toEqual(SUCCESS);
  expect(await put(server, bot, { one: '1' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: `You can have at most ${BOT_STORAGE_KEYS_MAX} keys.` },
  });
  expect((await put(server, bot, { 'key 1': '2' })).body).toEqual(SUCCESS);
  expect(await allOf(server, bot)).toEqual({ ...full, 'key 1': '2' });
});

test('a key that is named again and again is read once', async () => {
  const server = await startServer();
  const { bot } = server.people;
  await server.put(bot, '/bot_storage', { storage: { a: '1', b: '2' } });
  let reads = 0;
  const listed = await server.perform((tx) => {
    const get: typeof tx.botStorage.get = (key) => {
      reads += 1;
      return tx.botStorage.get(key);
    };
    const counting = { ...tx, botStorage: { ...tx.botStorage, get } };
    return botStorage.list(counting, bot.id, [
      'a',
      'b',
      ...Array.from({ length: 1000 }, () => 'a'),
    ]);
  });
  expect([listed, reads]).toEqual([
    [
      ['a', '1'],
      ['b', '2'],
    ],
    2,
  ]);
});
