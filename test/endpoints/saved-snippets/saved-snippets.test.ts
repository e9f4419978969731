import { expect, test } from 'vitest';
import { MESSAGE_LENGTH_MAX } from '../../../src/domain/limits/messages.ts';
import {
  SAVED_SNIPPET_TITLE_LENGTH_MAX,
  SAVED_SNIPPETS_PER_USER_MAX,
} from '../../../src/domain/limits/personal.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PATH = '/saved_snippets';
const SUCCESS = { result: 'success', msg: '' };
const HELLO = { title: 'Hello', content: 'Hello, **you**' };
const BYE = { title: 'Bye', content: 'See you' };

const listOf = async (server: TestServer, as: Person) =>
  (await server.get(as, PATH)).body.saved_snippets;

async function saved(server: TestServer, as: Person, snippet = HELLO): Promise<number> {
  const { body } = await server.post(as, PATH, snippet);
  expect(body).toEqual({ ...SUCCESS, saved_snippet_id: expect.any(Number) });
  return body.saved_snippet_id;
}

const eventsOf = async (queue: TestQueue) => (await queue.now()).map(({ id, ...event }) => event);

test('snippets are saved, listed oldest first, told to their owner alone, and in the snapshot', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const [own, other] = await Promise.all([server.register(mel), server.register(max)]);
  const now = () => Math.floor(server.clock.now() / 1000);
  const hello = { id: 1, ...HELLO, date_created: now() };
  await saved(server, mel, { title: ' Hello ', content: '\nHello, **you** \n' });
  await server.advance(5_000);
  const bye = { id: 2, ...BYE, date_created: now() };
  await saved(server, mel, BYE);
  expect((await server.get(mel, PATH)).body).toEqual({ ...SUCCESS, saved_snippets: [hello, bye] });
  expect((await server.register(mel)).state.saved_snippets).toEqual([hello, bye]);
  expect(await listOf(server, max)).toEqual([]);
  const event = { type: 'saved_snippets', op: 'add' };
  expect(await eventsOf(own)).toEqual([
    { ...event, saved_snippet: hello },
    { ...event, saved_snippet: bye },
  ]);
  expect(await other.now()).toEqual([]);
});

test('a snippet is changed in part or whole, and deleted; what stays as it was tells nobody', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const id = await saved(server, mel);
  const kept = await saved(server, mel, BYE);
  const [hello, bye] = await listOf(server, mel);
  const [own, other] = await Promise.all([server.register(mel), server.register(max)]);
  const change = async (params: Record<string, string>) =>
    expect((await server.patch(mel, `${PATH}/${id}`, params)).body).toEqual(SUCCESS);
  await server.advance(5_000);
  await change({ title: ' Hi ' });
  await change({ content: 'Hi!' });
  await change({ title: 'Hi', content: 'Hi!' });
  await change({});
  const changed = { ...hello, title: 'Hi', content: 'Hi!' };
  expect(await listOf(server, mel)).toEqual([changed, { ...bye, id: kept }]);
  expect((await server.delete(mel, `${PATH}/${id}`)).body).toEqual(SUCCESS);
  expect(await listOf(server, mel)).toEqual([bye]);
  const update = { type: 'saved_snippets', op: 'update' };
  expect(await eventsOf(own)).toEqual([
    { ...update, saved_snippet: { ...hello, title: 'Hi' } },
    { ...update, saved_snippet: changed },
    { type: 'saved_snippets', op: 'remove', saved_snippet_id: id },
  ]);
  expect(await other.now()).toEqual([]);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer();
  const { mel, gus, bot } = server.people;
  const first = await saved(server, mel);
  await expectExactAfter(server, async () => {
    const second = await saved(server, mel, BYE);
    await server.patch(mel, `${PATH}/${first}`, { title: 'Hi' });
    await saved(server, gus);
    await saved(server, bot);
    await saved(server, mel);
    await server.delete(mel, `${PATH}/${second}`);
  });
});

test.each([
  { params: { title: ' ' }, msg: 'title cannot be blank' },
  {
    params: { title: 'x'.repeat(SAVED_SNIPPET_TITLE_LENGTH_MAX + 1) },
    msg: `title is too long (limit: ${SAVED_SNIPPET_TITLE_LENGTH_MAX} characters)`,
  },
  { params: { title: 'a\0b' }, msg: 'Invalid character in title!' },
  { params: { title: 'a\nb' }, msg: 'Invalid character in title!' },
  { params: { content: ' \n' }, msg: 'Message must not be empty' },
  { params: { content: 'a\0b' }, msg: 'Message must not contain null bytes' },
  {
    params: { content: 'x'.repeat(MESSAGE_LENGTH_MAX + 1) },
    msg: `Message is too long (limit: ${MESSAGE_LENGTH_MAX} characters)`,
  },
])('is refused, saved or changed, and nothing happens: $msg', async ({ params, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  const id = await saved(server, mel);
  const before = await listOf(server, mel);
  const queue = await server.register(mel);
  const refused = [400, { result: 'error', code: 'BAD_REQUEST', msg }];
  const added = await server.post(mel, PATH, { ...BYE, ...params });
  expect([added.status, added.body]).toEqual(refused);
  const changed = await server.patch(mel, `${PATH}/${id}`, { ...BYE, ...params });
  expect([changed.status, changed.body]).toEqual(refused);
  expect(await listOf(server, mel)).toEqual(before);
  expect(await queue.now()).toEqual([]);
});

test.each(['title', 'content'] as const)('saving needs %s', async (name) => {
  const server = await startServer();
  const { [name]: _, ...params } = HELLO;
  const { status, body } = await server.post(server.people.mel, PATH, params);
  expect([status, body]).toEqual([
    400,
    {
      result: 'error',
      code: 'REQUEST_VARIABLE_MISSING',
      msg: `Missing '${name}' argument`,
      var_name: name,
    },
  ]);
});

test("a snippet that is not there, or another's, is not found", async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const theirs = await saved(server, max);
  const gone = await saved(server, mel);
  await server.delete(mel, `${PATH}/${gone}`);
  for (const unknown of [theirs, gone, 99, -1]) {
    for (const { status, body } of [
      await server.patch(mel, `${PATH}/${unknown}`, BYE),
      await server.delete(mel, `${PATH}/${unknown}`),
    ]) {
      const msg = 'Saved snippet does not exist.';
      expect([status, body]).toEqual([404, { result: 'error', code: 'BAD_REQUEST', msg }]);
    }
  }
  const { status, body } = await server.patch(mel, `${PATH}/first`, BYE);
  const msg = 'saved_snippet_id is not an integer';
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect(await listOf(server, max)).toMatchObject([HELLO]);
});

test('at the bounds a snippet is saved, and one more than a user may have is not', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const longest = {
    title: '😀'.repeat(SAVED_SNIPPET_TITLE_LENGTH_MAX),
    content: '😀'.repeat(MESSAGE_LENGTH_MAX),
  };
  await saved(server, mel, longest);
  expect(await listOf(server, mel)).toMatchObject([longest]);
  await server.perform((tx) => {
    for (let id = 2; id < SAVED_SNIPPETS_PER_USER_MAX; id++) {
      tx.savedSnippets.put([mel.id, 1_000_000 + id], { ...BYE, dateCreated: 1 });
    }
  });
  const last = await saved(server, mel);
  const { status, body } = await server.post(mel, PATH, HELLO);
  const msg = `You can have at most ${SAVED_SNIPPETS_PER_USER_MAX} saved snippets.`;
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect((await server.patch(mel, `${PATH}/${last}`, BYE)).status).toBe(200);
  await saved(server, max);
});

test('snippets outlive a restart', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await saved(server, mel);
  await server.restart();
  expect(await listOf(server, mel)).toMatchObject([HELLO]);
});
