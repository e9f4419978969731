import { expect, test } from 'vitest';
import { openProxy } from '../support/client-library/cutting-proxy.ts';
import { openChat, reaches } from '../support/client-library/open-chat.ts';
import { startServer } from '../support/start-server.ts';

const TO = { type: 'channel', to: 'general', topic: 'hello' } as const;

async function start() {
  const server = await startServer({ channels: ['general'] });
  const proxy = await openProxy(() => Number(new URL(server.url).port));
  const say = (content: string) => server.post(server.people.ona, '/messages', { ...TO, content });
  return { server, proxy, say, mel: server.people.mel };
}

test('polls where sockets are refused, after two attempts', async () => {
  const { proxy, say, mel } = await start();
  proxy.blockSockets(true);
  const { chat, contents, states, snapshots } = openChat(proxy, mel, {
    timing: { probeMs: 60_000 },
  });
  await reaches(chat, 'live');
  expect(chat.status).toMatchObject({ transport: 'poll' });
  expect(proxy.refusedUpgrades).toBe(2);
  await say('a');
  await expect.poll(contents).toEqual(['a']);
  const { id } = await chat.send({ ...TO, content: 'b' }).sent;
  await say('c');
  await expect.poll(contents).toEqual(['a', 'b', 'c']);
  expect(await chat.call('GET', '/messages/{message_id}', { message_id: id })).toMatchObject({
    message: { id },
  });
  proxy.cut();
  await say('d');
  await expect.poll(contents).toEqual(['a', 'b', 'c', 'd']);
  expect(states).toContain('live');
  expect(snapshots()).toBe(1);
  expect(proxy.refusedUpgrades).toBe(2); // it does not try again with each failure
});

test('goes on by sockets without saying that there was a gap, as there was none', async () => {
  const { proxy, say, mel } = await start();
  proxy.blockSockets(true);
  const { chat, contents, states } = openChat(proxy, mel);
  await reaches(chat, 'live');
  expect(chat.status.transport).toBe('poll');
  proxy.blockSockets(false);
  await expect.poll(() => chat.status.transport).toBe('socket');
  await say('a');
  await expect.poll(contents).toEqual(['a']);
  expect(new Set(states)).toEqual(new Set(['connecting', 'live']));
});

/** Says one thing after the other until it is ended, and returns then what it has said. */
function talkBy(say: (content: string) => Promise<unknown>) {
  const said: string[] = [];
  let isEnded = false;
  const saying = (async () => {
    while (!isEnded) {
      const content = `m${said.length}`;
      said.push(content);
      await say(content);
    }
  })();
  return {
    async end(): Promise<readonly string[]> {
      isEnded = true;
      await saying;
      return said;
    },
  };
}

test('goes from sockets to polls and back, and no event is lost or repeated', async () => {
  const { proxy, say, mel } = await start();
  const { chat, contents, snapshots } = openChat(proxy, mel);
  await reaches(chat, 'live');
  const talk = talkBy(say);
  for (let round = 0; round < 4; round += 1) {
    const transport = round % 2 === 0 ? 'poll' : 'socket';
    proxy.blockSockets(transport === 'poll');
    if (transport === 'poll') proxy.cut();
    await expect.poll(() => chat.status).toMatchObject({ transport });
    const before = contents().length;
    await expect.poll(() => contents().length).toBeGreaterThan(before + 5);
  }
  await expect.poll(contents).toEqual(await talk.end());
  expect(snapshots()).toBe(1);
});

test.each(['requests', 'answers'] as const)(
  'polls beside the next attempt where sockets hang, and goes back: %s are held',
  async (what) => {
    const { proxy, say, mel } = await start();
    proxy.hangSockets(what);
    // The second attempt, which goes on beside the polls, would take a minute.
    const timing = { hangMs: 50, connectMs: 60_000, probeMs: 60_000 };
    const { chat, contents, states, snapshots } = openChat(proxy, mel, { timing });
    await reaches(chat, 'live');
    expect(chat.status.transport).toBe('poll');
    expect(proxy.hungUpgrades).toBe(2);
    await say('a');
    await say('b');
    await expect.poll(contents).toEqual(['a', 'b']);
    expect(proxy.hungUpgrades).toBe(2);
    expect(states).toEqual(['connecting', 'live']);
    expect(snapshots()).toBe(1);
  },
);

test('goes from sockets that hang to polls and back, and no event is lost or repeated', async () => {
  const { proxy, say, mel } = await start();
  const timing = { hangMs: 40, connectMs: 200 };
  const { chat, contents, snapshots, states } = openChat(proxy, mel, { timing });
  await reaches(chat, 'live');
  const talk = talkBy(say);
  for (const what of ['requests', null, 'answers', null, 'requests', null] as const) {
    proxy.hangSockets(what);
    if (what !== null) proxy.cut();
    const transport = what === null ? 'socket' : 'poll';
    await expect.poll(() => chat.status).toMatchObject({ transport });
    const before = contents().length;
    await expect.poll(() => contents().length).toBeGreaterThan(before + 5);
  }
  await expect.poll(contents).toEqual(await talk.end());
  expect(snapshots()).toBe(1);
  expect(states).not.toContain('started-anew');
});

test('tries a socket again at once when it is told that the network is another one', async () => {
  const { proxy, say, mel } = await start();
  proxy.blockSockets(true);
  const { chat, contents } = openChat(proxy, mel, { timing: { probeMs: 60_000 } });
  await reaches(chat, 'live');
  expect(chat.status.transport).toBe('poll');
  proxy.blockSockets(false);
  chat.retryNow();
  await expect.poll(() => chat.status).toMatchObject({ transport: 'socket', state: 'live' });
  await say('a');
  await expect.poll(contents).toEqual(['a']);
});

test('polls where there are no sockets', async () => {
  const { server, proxy, say, mel } = await start();
  const { chat, contents, snapshots } = openChat(proxy, mel, { WebSocket: null });
  await reaches(chat, 'live');
  expect(chat.status.transport).toBe('poll');
  await say('a');
  await expect.poll(contents).toEqual(['a']);
  await server.restart();
  proxy.cut(); // as the end of a process does
  await say('b');
  await expect.poll(contents).toEqual(['a', 'b']);
  expect(snapshots()).toBe(1);
  chat.close();
});

test('begins with a new state when a polled queue has ended', async () => {
  const { server, say, mel } = await start();
  const { chat, contents, states, snapshots } = openChat(server, mel, { WebSocket: null });
  const queueIds: unknown[] = [];
  chat.on('snapshot', ({ queue_id }) => queueIds.push(queue_id));
  await reaches(chat, 'live');
  await server.delete(mel, '/events', { queue_id: queueIds[0] });
  await reaches(chat, 'started-anew');
  await say('a');
  await expect.poll(contents).toEqual(['a']);
  expect(snapshots()).toBe(2);
  expect(states).not.toContain('ended');
});

test('polls again when it is told that the network is another one', async () => {
  const { proxy, say, mel } = await start();
  const { chat, contents, states } = openChat(proxy, mel, { WebSocket: null });
  await reaches(chat, 'live');
  proxy.hold(true);
  await say('a');
  proxy.forget();
  proxy.hold(false);
  chat.retryNow();
  await expect.poll(contents).toEqual(['a']);
  expect(states).toEqual(['connecting', 'live']);
});

test('gives up a poll on which nothing comes any more', async () => {
  const { proxy, say, mel } = await start();
  const { chat, contents } = openChat(proxy, mel, {
    WebSocket: null,
    timing: { pollMs: 100 },
  });
  await reaches(chat, 'live');
  proxy.hold(true);
  await say('a');
  await reaches(chat, 'reconnecting');
  proxy.hold(false);
  await expect.poll(contents).toEqual(['a']);
});
