import { ApiError, NetworkError } from '@confab/client';
import { expect, onTestFinished, test } from 'vitest';
import { openProxy } from '../support/client-library/cutting-proxy.ts';
import { openChat, reaches } from '../support/client-library/open-chat.ts';
import { untilRefused } from '../support/requests/limited.ts';
import { startServer } from '../support/start-server.ts';

const TO = { type: 'channel', to: 'general', topic: 'hello' } as const;

async function start(env?: Record<string, string>) {
  const server = await startServer({ channels: ['general'], ...(env && { env }) });
  const proxy = await openProxy(() => Number(new URL(server.url).port));
  return { server, proxy, mel: server.people.mel };
}

const TRANSPORTS = [
  { over: 'a socket', options: {} },
  { over: 'HTTP', options: { WebSocket: null } },
];

test.each(TRANSPORTS)('gives the fields of the answer, over $over', async ({ options }) => {
  const { server, mel } = await start();
  const { chat } = openChat(server, mel, options);
  await reaches(chat, 'live');
  const { id } = await chat.call('POST', '/messages', { ...TO, content: 'x' });
  const path = { message_id: id };
  await chat.call('PATCH', '/messages/{message_id}', { ...path, content: 'ü & \ud800' });
  const { message } = await chat.call('GET', '/messages/{message_id}', {
    ...path,
    apply_markdown: false,
  });
  expect(message.content).toBe('ü & \ufffd');
  expect(await chat.call('GET', `/messages/${id}`)).toMatchObject({ message: { id } });
});

test.each(TRANSPORTS)('throws the refusal of the server, over $over', async ({ options }) => {
  const { server, mel } = await start();
  const { chat } = openChat(server, mel, options);
  await reaches(chat, 'live');
  const error = await chat
    .call('POST', '/messages', { ...TO, to: 'nowhere', content: 'x' })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 400,
    code: 'STREAM_DOES_NOT_EXIST',
    fields: { stream: 'nowhere' },
    message: expect.stringContaining('nowhere'),
  });
});

test.each(TRANSPORTS)('waits as long as a limit says, over $over', async ({ options }) => {
  const { server, mel } = await start({ CONFAB_SENDS_PER_MINUTE: '120' });
  const { chat } = openChat(server, mel, options);
  await reaches(chat, 'live');
  // The clock of the server stands still in tests.
  const ticking = setInterval(() => server.clock.advance(100), 100);
  onTestFinished(() => clearInterval(ticking));
  const contents = Array.from({ length: 123 }, (_, index) => `m${index}`);
  const ids = await Promise.all(
    contents.map((content) => chat.call('POST', '/messages', { ...TO, content })),
  );
  expect(new Set(ids.map(({ id }) => id)).size).toBe(contents.length);
});

test('does not wait longer than its patience', async () => {
  const { server, mel } = await start({ CONFAB_SENDS_PER_MINUTE: '1' });
  const { chat } = openChat(server, mel);
  await chat.call('POST', '/messages', { ...TO, content: 'x' });
  const sendAgain = () =>
    chat.call('POST', '/messages', { ...TO, content: 'y' }, { patienceMs: 5_000 });
  await expect(untilRefused(sendAgain)).rejects.toMatchObject({
    code: 'RATE_LIMIT_HIT',
    retryAfterMs: expect.any(Number),
  });
});

test.each(TRANSPORTS)('repeats what may be repeated, over $over', async ({ options }) => {
  const { proxy, mel } = await start();
  const { chat } = openChat(proxy, mel, options);
  await reaches(chat, 'live');
  let cuts = 0;
  /** Cuts the connection instead of passing on the next answer to a request. */
  const cutNext = () =>
    proxy.watchAnswers((bytes) => {
      if (!/"reply"|HTTP\/1\.1 200/.test(bytes.toString('latin1'))) return false;
      proxy.watchAnswers(() => false);
      cuts += 1;
      return true;
    });

  cutNext();
  expect(await chat.call('GET', '/users/me')).toMatchObject({ user_id: mel.id });
  await reaches(chat, 'live');
  cutNext();
  const { id } = await chat.call(
    'POST',
    '/messages',
    { ...TO, content: 'x' },
    { idempotencyKey: 'a key' },
  );
  await reaches(chat, 'live');
  cutNext();
  const flag = { messages: [id], op: 'add', flag: 'starred' } as const;
  await chat.call('POST', '/messages/flags', flag, { isRepeatable: true });
  expect(cuts).toBe(3);
  await reaches(chat, 'live');
  const { messages } = await chat.call('GET', '/messages', {
    anchor: 'newest',
    num_before: 10,
    num_after: 0,
  });
  expect(messages).toMatchObject([{ id, content: '<p>x</p>' }]);
});

test('says that the outcome of any other request is unknown', async () => {
  const { proxy, mel } = await start();
  const { chat } = openChat(proxy, mel);
  await reaches(chat, 'live');
  proxy.watchAnswers((bytes) => bytes.includes('"reply"'));
  const sending = chat.call('POST', '/messages', { ...TO, content: 'x' });
  await expect(sending).rejects.toBeInstanceOf(NetworkError);
  await expect(sending).rejects.toMatchObject({ outcome: 'unknown' });
});

test('repeats whatever was not sent', async () => {
  const { server, mel } = await start();
  const { chat } = openChat(server, mel);
  await reaches(chat, 'live');
  await server.stop();
  const sending = chat.call('POST', '/messages', { ...TO, content: 'x' });
  await reaches(chat, 'reconnecting');
  await server.start();
  expect(await sending).toMatchObject({ id: expect.any(Number) });
});

test.each(TRANSPORTS)('can be given up, over $over', async ({ options }) => {
  const { proxy, mel } = await start();
  const { chat } = openChat(proxy, mel, options);
  await reaches(chat, 'live');
  proxy.hold(true);
  const leaving = new AbortController();
  const asking = chat.call('GET', '/users/me', {}, { signal: leaving.signal });
  setTimeout(() => leaving.abort(new Error('no longer needed')), 20);
  await expect(asking).rejects.toThrow('no longer needed');
  const late = chat.call('GET', '/users/me', {}, { signal: leaving.signal });
  await expect(late).rejects.toThrow('no longer needed');
});

test('sends a request that is too long for a frame, and a file, by HTTP', async () => {
  const { server, mel } = await start();
  const { chat, states } = openChat(server, mel);
  await reaches(chat, 'live');
  // A frame of that length would end the socket.
  const content = 'x'.repeat(1_100_000);
  await expect(chat.call('POST', '/messages', { ...TO, content })).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
  });
  const form = new FormData();
  form.set('file', new Blob(['tea']), 'tea.txt');
  expect(await chat.call('POST', '/user_uploads', form)).toMatchObject({
    url: expect.stringContaining('tea.txt'),
  });
  expect(states).toEqual(['connecting', 'live']);
});

test('makes any number of calls at once', async () => {
  const { server, mel } = await start();
  const { chat } = openChat(server, mel);
  const calls = Array.from({ length: 2_000 }, () => chat.call('GET', '/users/me'));
  const replies = await Promise.all(calls);
  expect(replies.every(({ user_id }) => user_id === mel.id)).toBe(true);
});

test('needs what stands in braces', async () => {
  const { server, mel } = await start();
  const { chat } = openChat(server, mel);
  // @ts-expect-error The types ask for it as well.
  expect(() => chat.call('GET', '/messages/{message_id}', {})).toThrow('message_id');
});
