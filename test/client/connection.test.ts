import { Packr } from 'msgpackr';
import { expect, test } from 'vitest';
import { openProxy } from '../support/client-library/cutting-proxy.ts';
import { openChat, reaches } from '../support/client-library/open-chat.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const TO = { type: 'channel', to: 'general', topic: 'hello' } as const;

async function start() {
  const server = await startServer({ channels: ['general'] });
  const proxy = await openProxy(() => Number(new URL(server.url).port));
  return { server, proxy, ...server.people };
}

/** Sends messages one by one, past the proxy, and returns their contents. */
async function say(server: TestServer, count: number, name = 'm'): Promise<string[]> {
  const contents = Array.from({ length: count }, (_, index) => `${name}${index}`);
  for (const content of contents)
    await server.post(server.people.ona, '/messages', { ...TO, content });
  return contents;
}

test('registers, hears of events, calls and sends', async () => {
  const { server, mel } = await start();
  const { chat, events, states } = openChat(server, mel);
  const entry = chat.send({ ...TO, content: 'x' });
  const { id } = await entry.sent;
  await expect
    .poll(() => events)
    .toContainEqual(
      expect.objectContaining({
        message: expect.objectContaining({ id, content: 'x' }),
        local_message_id: entry.key,
      }),
    );
  const { messages } = await chat.call('GET', '/messages', {
    anchor: 'newest',
    num_before: 5,
    num_after: 0,
  });
  expect(messages).toMatchObject([{ id }]);
  expect(states).toEqual(['connecting', 'live']);
  expect(chat.status).toEqual({ state: 'live', transport: 'socket', waiting: 0 });
});

test('speaks msgpack with a codec', async () => {
  const { server, mel } = await start();
  const packr = new Packr({ useRecords: false });
  const codec = {
    encode: (value: unknown) => new Uint8Array(packr.pack(value)),
    decode: (bytes: Uint8Array) => packr.unpack(bytes) as unknown,
  };
  const { chat, contents } = openChat(server, mel, { codec });
  await chat.send({ ...TO, content: 'bread?' }).sent;
  const said = await say(server, 3);
  await expect.poll(contents).toEqual(['bread?', ...said]);
  expect(await chat.call('GET', '/users/me')).toMatchObject({ user_id: mel.id });
});

test('loses and repeats nothing over connections that break', async () => {
  const { server, proxy, mel } = await start();
  const { chat, contents, states, snapshots } = openChat(proxy, mel);
  await reaches(chat, 'live');
  const said: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    const saying = say(server, 5, `${round}-`);
    proxy.cut();
    said.push(...(await saying));
  }
  await expect.poll(contents).toEqual(said);
  await reaches(chat, 'live');
  expect(snapshots()).toBe(1);
  expect(states).toContain('caught-up');
  expect(states).not.toContain('started-anew');
});

test('notices a connection that is open only at its own end', async () => {
  const { server, proxy, mel } = await start();
  const timing = { silenceMs: 100, pongMs: 50, connectMs: 100, answerMs: 50 };
  const { chat, contents, states, snapshots } = openChat(proxy, mel, { timing });
  await reaches(chat, 'live');
  proxy.hold(true);
  const said = await say(server, 3);
  await reaches(chat, 'reconnecting');
  proxy.hold(false);
  await expect.poll(contents).toEqual(said);
  expect(states.slice(0, 4)).toEqual(['connecting', 'live', 'reconnecting', 'caught-up']);
  expect(snapshots()).toBe(1);
});

test('keeps a quiet connection that is alive', async () => {
  const { proxy, mel } = await start();
  const { chat, states } = openChat(proxy, mel, { timing: { silenceMs: 30, pongMs: 5_000 } });
  await reaches(chat, 'live');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(states).toEqual(['connecting', 'live']);
  expect(proxy.connections).toBe(2); // one of HTTP, one socket
});

test('tells that it began again with a new state when its queue has ended', async () => {
  const { server, proxy, mel } = await start();
  const { chat, contents, states, snapshots } = openChat(proxy, mel);
  const ids: string[] = [];
  chat.on('snapshot', ({ queue_id }, { isFirst }) => ids.push(`${queue_id} ${isFirst}`));
  await reaches(chat, 'live');
  proxy.close(true);
  proxy.cut();
  await reaches(chat, 'reconnecting');
  const [first] = ids;
  await server.delete(mel, '/events', { queue_id: String(first?.split(' ')[0]) });
  await say(server, 1, 'missed');
  proxy.close(false);
  await reaches(chat, 'started-anew');
  const said = await say(server, 2);
  await expect.poll(contents).toEqual(said);
  await reaches(chat, 'live');
  expect(snapshots()).toBe(2);
  expect(ids.map((id) => id.split(' ')[1])).toEqual(['true', 'false']);
  expect(states).not.toContain('caught-up');
});

test('begins again also when its queue ends while it is read', async () => {
  const { server, mel } = await start();
  const { chat, contents, snapshots } = openChat(server, mel);
  const queueIds: unknown[] = [];
  chat.on('snapshot', ({ queue_id }) => queueIds.push(queue_id));
  await reaches(chat, 'live');
  await server.delete(mel, '/events', { queue_id: queueIds[0] });
  await reaches(chat, 'started-anew');
  const said = await say(server, 2);
  await expect.poll(contents).toEqual(said);
  expect(snapshots()).toBe(2);
});

test('comes back when a server that stops wants it to', async () => {
  const { server, mel } = await start();
  const { chat, contents, states, snapshots } = openChat(server, mel);
  await reaches(chat, 'live');
  const waits: number[] = [];
  chat.on('status', ({ retryAt }) => {
    if (retryAt !== undefined) waits.push(retryAt - Date.now());
  });
  await server.restart();
  const said = await say(server, 3);
  await expect.poll(contents).toEqual(said);
  expect(states).toEqual(expect.arrayContaining(['reconnecting', 'caught-up']));
  expect(snapshots()).toBe(1);
  expect(waits.length).toBeGreaterThan(0);
});

test('ends when the account may not connect any more, and says why', async () => {
  const { server, mel, ona } = await start();
  const { chat } = openChat(server, mel);
  await reaches(chat, 'live');
  await server.delete(ona, `/users/${mel.id}`);
  await reaches(chat, 'ended');
  expect(chat.status.error).toMatchObject({ name: 'ApiError', status: 401 });
  await expect(chat.call('GET', '/users/me')).rejects.toThrow(chat.status.error?.message ?? '-');
});

test('ends with the refusal of a registration', async () => {
  const { server, mel } = await start();
  const { chat } = openChat(server, { ...mel, apiKey: 'wrong' });
  await reaches(chat, 'ended');
  expect(chat.status.error).toMatchObject({ code: 'UNAUTHORIZED' });
  const other = openChat(server, mel, { register: { event_types: 'message' } });
  await reaches(other.chat, 'ended');
  expect(other.chat.status.error).toMatchObject({ status: 400, name: 'ApiError' });
});

test('iterates over events until it is left or closed', async () => {
  const { server, mel } = await start();
  const { chat } = openChat(server, mel, { register: { event_types: ['message'] } });
  await reaches(chat, 'live');
  const heard: string[] = [];
  const listening = (async () => {
    for await (const event of chat.events()) {
      if (event.type === 'message') heard.push(event.message.content);
    }
  })();
  const said = await say(server, 5);
  await expect.poll(() => heard).toEqual(said);
  chat.close();
  await listening;
});

test('deletes its queue when it is closed', async () => {
  const { server, mel } = await start();
  const { chat } = openChat(server, mel);
  const queueIds: string[] = [];
  chat.on('snapshot', ({ queue_id }) => queueIds.push(String(queue_id)));
  await reaches(chat, 'live');
  chat.close();
  const [queue_id] = queueIds;
  await expect
    .poll(() => server.get(mel, '/events', { queue_id, last_event_id: -1, dont_block: true }))
    .toMatchObject({ body: { code: 'BAD_EVENT_QUEUE_ID' } });
  expect(chat.status.state).toBe('ended');
});

test('goes on in the queue of an earlier client', async () => {
  const { server, mel } = await start();
  const first = openChat(server, mel, { register: { queue_lifespan_secs: 3_600 } });
  await reaches(first.chat, 'live');
  const before = await say(server, 3, 'before');
  await expect.poll(first.contents).toEqual(before);
  const resume = first.chat.position;
  first.chat.close({ keepsQueue: true });
  const meanwhile = await say(server, 3, 'meanwhile');
  const second = openChat(server, mel, { resume });
  await reaches(second.chat, 'caught-up');
  await expect.poll(second.contents).toEqual(meanwhile);
  expect(second.snapshots()).toBe(0);
  second.chat.close();

  await expect
    .poll(() => server.get(mel, '/events', { queue_id: resume?.queueId, last_event_id: 0 }))
    .toMatchObject({ body: { code: 'BAD_EVENT_QUEUE_ID' } });
  const third = openChat(server, mel, { resume });
  await reaches(third.chat, 'started-anew');
  expect(third.snapshots()).toBe(1);
});
