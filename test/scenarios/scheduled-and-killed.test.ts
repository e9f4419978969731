import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startProcess } from '../support/start-process.ts';
import { buildSyncShim, hasCompiler } from '../support/sync-shim.ts';

/** Sending takes a commit, which takes a sync or two: the process dies before it is sent, while it is, or after. */
test.runIf(hasCompiler).each([1, 2, 3])(
  '2: killed right after sync %i of the sending of a scheduled message, the server has sent it once when it is back',
  async (count) => {
    const { library, trigger } = buildSyncShim();
    const server = await startProcess({ LD_PRELOAD: library, LAST_SYNC: trigger });
    const mel = server.people['mel'] ?? expect.fail();
    const max = server.people['max'] ?? expect.fail();
    const channels = (await server.get(mel, '/users/me/subscriptions')).body.subscriptions;
    const queue = await server.register(max, { event_types: ['message'], fetch_event_types: [] });
    const { status } = await server.post(mel, '/scheduled_messages', {
      type: 'channel',
      to: channels[0].stream_id,
      topic: 'killed',
      content: 'once',
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 2,
    });
    expect(status).toBe(200);
    const isEnded = server.ended();
    writeFileSync(trigger, String(count));
    // Answered when it was sent, unless the process died of that; then other commits bring about the last sync.
    const poke = { type: 'direct', to: [mel.id], content: 'poke' };
    let reply = await queue.poll().catch(() => null);
    while (reply !== null) reply = await server.post(mel, '/messages', poke).catch(() => null);
    expect(await isEnded).toEqual({ code: null, signal: 'SIGKILL' });

    rmSync(trigger);
    await server.start();
    const heard = await queue.next();
    expect(heard.map(({ message }) => message.content)).toEqual(['once']);
    const narrow = [['topic', 'killed']];
    const { body } = await server.get(max, '/messages', { anchor: 'oldest', num_after: 9, narrow });
    expect(body.messages).toHaveLength(1);
    expect((await server.get(mel, '/scheduled_messages')).body.scheduled_messages).toEqual([]);
    expect(await queue.now()).toEqual([]);
  },
);
