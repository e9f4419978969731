import { expect, test } from 'vitest';
import { createActor, waitFor } from 'xstate';
import { serverMachine } from '../../actors/server.ts';

/** A server that notes what it is told to do, and fails where it is told to. */
function opened({ failsAt }: { failsAt?: 'start' | 'drain' } = {}) {
  const done: string[] = [];
  const step = (name: 'start' | 'drain') => () => {
    done.push(name);
    return failsAt === name ? Promise.reject(new Error(name)) : Promise.resolve();
  };
  const input = { start: step('start'), drain: step('drain') };
  return { server: createActor(serverMachine, { input }).start(), done };
}

test('it starts, is ready, and is drained before it stops', async () => {
  const { server, done } = opened();
  expect(server.getSnapshot().value).toBe('starting');
  await waitFor(server, ({ value }) => value === 'ready');
  expect(done).toEqual(['start']);
  server.send({ type: 'stop' });
  expect(server.getSnapshot().value).toBe('draining');
  await waitFor(server, ({ value }) => value === 'stopped');
  expect(done).toEqual(['start', 'drain']);
});

test.each(['start', 'drain'] as const)('a failure to %s is kept, and ends it', async (failsAt) => {
  const { server } = opened({ failsAt });
  if (failsAt === 'drain') {
    await waitFor(server, ({ value }) => value === 'ready');
    server.send({ type: 'stop' });
  }
  const { context } = await waitFor(server, ({ value }) => value === 'failed');
  expect(context.failure).toEqual(new Error(failsAt));
});
