import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withGateways } from '../../support/actors/consumers.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';

/**
 * This test needs a C compiler (`.ci/run` installs one): the fault is in the disk, below all code
 * of the server.
 */
test.runIf(hasCompiler)(
  '8: when a sync fails at commit the process stops, and nothing of it was answered',
  async () => {
    const { library, trigger } = buildSyncShim();
    const server = await startProcess({ LD_PRELOAD: library, FAILING_SYNC: trigger });
    const mel = server.people['mel'] ?? expect.fail();
    const max = server.people['max'] ?? expect.fail();
    const queue = await server.register(max, { event_types: ['message'] });
    const message = { type: 'channel', to: 'general', topic: 't', content: 'before' };
    expect((await server.post(mel, '/messages', message)).status).toBe(200);
    const poll = queue.now();
    expect(await poll).toHaveLength(1);

    writeFileSync(trigger, '');
    const parked = queue.next().then(
      (events) => events,
      () => 'no answer',
    );
    const sends = Array.from({ length: 5 }, (_, index) =>
      server.post(mel, '/messages', { ...message, content: `after ${index}` }).then(
        ({ status }) => status,
        () => 'no answer',
      ),
    );
    expect(await Promise.all(sends)).toEqual(Array(5).fill('no answer'));
    // A gateway has its clients come back: nothing is in that answer.
    expect(await parked).toEqual(withGateways() ? [] : 'no answer');
    expect(await server.ended()).toEqual({ code: 1, signal: null });
    expect(server.stderr()).toMatch(/a commit did not reach the disk/);

    rmSync(trigger);
    await server.start();
    const known = await server.get(max, '/messages', {
      anchor: 'newest',
      num_before: 100,
      num_after: 0,
      apply_markdown: false,
    });
    expect(known.body.messages[0].content).toBe('before');
  },
);
