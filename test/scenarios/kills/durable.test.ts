import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startProcess } from '../../support/processes/start-process.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'durable', content: 'hello' };

test.runIf(hasCompiler)(
  '1: neither the reply nor an event leaves, nor can the change be read, before the sync has returned',
  async () => {
    const { library, trigger } = buildSyncShim();
    const server = await startProcess({ LD_PRELOAD: library, HELD_SYNC: trigger });
    const mel = server.people['mel'] ?? expect.fail();
    const max = server.people['max'] ?? expect.fail();
    const queue = await server.register(max, { event_types: ['message'] });
    const socketQueue = await server.register(max, { event_types: ['message'] });
    const socket = await server.socket(max, {
      query: `?queue_id=${socketQueue.id}&last_event_id=${socketQueue.lastEventId}`,
    });
    await socket.frame('hello');

    writeFileSync(trigger, '');
    const said: string[] = [];
    const reply = server.post(mel, '/messages', MESSAGE).then((answer) => {
      said.push('reply');
      return answer;
    });
    const events = queue.next().then((taken) => {
      said.push('event');
      return taken;
    });
    // The server goes on answering requests that need no commit; each round gives a reply that came
    // too early the time to arrive.
    for (let round = 0; round < 50; round++) {
      const newest = await server.get(max, '/messages', { anchor: 'newest', num_before: 1 });
      expect(newest.body.messages).toEqual([]);
      expect((await server.get(max, '/users/me')).body.max_message_id).toBe(-1);
    }
    expect(said).toEqual([]);
    expect(socket.frames).toEqual([]);

    rmSync(trigger);
    const { body } = await reply;
    expect((await events).map(({ message }) => message.id)).toEqual([body.id]);
    expect((await socket.frame('events'))['events']).toHaveLength(1);
  },
);

test('2: after a kill in the middle of a storm, every message has its event and every event its message', async () => {
  const server = await startProcess();
  const mel = server.people['mel'] ?? expect.fail();
  const max = server.people['max'] ?? expect.fail();
  const queue = await server.register(max, { event_types: ['message'] });
  const acknowledged: number[] = [];
  const senders = Array.from({ length: 32 }, async (_, sender) => {
    for (let count = 0; count < 200; count++) {
      const content = `storm ${sender} ${count}`;
      const { status, body } = await server.post(mel, '/messages', { ...MESSAGE, content });
      if (status === 200) acknowledged.push(body.id);
    }
  });
  const storm = Promise.allSettled(senders);
  while (acknowledged.length < 100) await server.get(max, '/users/me');
  await server.kill();
  await storm;

  const fromEvents: number[] = [];
  for (let events = await queue.now(); events.length > 0; events = await queue.now()) {
    fromEvents.push(...events.map(({ message }) => message.id));
  }
  const { body } = await server.get(max, '/messages', {
    anchor: 'oldest',
    num_after: 5000,
    narrow: [['channel', 'general']],
  });
  const stored = body.messages.map(({ id }: { id: number }) => id);
  expect(fromEvents).toEqual(stored);
  expect(stored).toEqual(expect.arrayContaining(acknowledged));
});
