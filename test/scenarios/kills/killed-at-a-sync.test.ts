import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startProcess } from '../../support/processes/start-process.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';
import { someOf } from '../../support/runs.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'killed', content: 'hello' };

/**
 * A commit takes one sync or two: whatever the process had done when it ended, one of these counts
 * is right after it.
 */
test.runIf(hasCompiler).each(someOf([1, 2, 3, 4], { every: 2 }))(
  '2: killed right after sync %i of a send, the server has the message with its event, or neither',
  async (count) => {
    const { library, trigger } = buildSyncShim();
    const server = await startProcess({ LD_PRELOAD: library, LAST_SYNC: trigger });
    const mel = server.people['mel'] ?? expect.fail();
    const max = server.people['max'] ?? expect.fail();
    const queue = await server.register(max, { event_types: ['message'], fetch_event_types: [] });
    const acknowledged: number[] = [];
    writeFileSync(trigger, String(count));
    const send = () => server.post(mel, '/messages', MESSAGE).catch(() => null);
    for (let reply = await send(); reply !== null; reply = await send()) {
      expect(reply.status).toBe(200);
      acknowledged.push(reply.body.id);
    }
    expect(await server.ended()).toEqual({ code: null, signal: 'SIGKILL' });

    rmSync(trigger);
    await server.start();
    const range = { anchor: 'oldest', num_after: 100, narrow: [['channel', 'general']] };
    const { body } = await server.get(max, '/messages', range);
    const stored = body.messages.map(({ id }: { id: number }) => id);
    const heard = (await queue.now()).map(({ message }) => message.id);
    expect(heard).toEqual(stored);
    expect(stored.slice(0, acknowledged.length)).toEqual(acknowledged);
    expect(stored.length - acknowledged.length).toBeLessThanOrEqual(1);
  },
);
