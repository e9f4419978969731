import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Act } from '../../support/acts/acts.ts';
import { actOfAnybody, actOnMessages } from '../../support/acts/of-everyone.ts';
import { comparable, type Snapshot } from '../../support/applying/snapshot.ts';
import { REGISTERED, snapshotIn, type Watching, watch } from '../../support/applying/state-of.ts';
import type { Reply } from '../../support/client.ts';
import { runs } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/**
 * People act at random, and after each act the state of everyone who watches is what a fresh
 * register gives, also if each event comes twice, and events that nobody knows come between.
 */

const WATCHING = ['ada', 'mel', 'gus'] as const;

test('4: after each of many acts, the state of everybody equals a fresh register', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(actOfAnybody, actOnMessages), { minLength: 10, maxLength: 20 }),
      async (acts) => {
        const server = await startServer({ channels: ['general', 'alpha'] });
        const watching = await Promise.all(
          WATCHING.map((name) => watch(server, server.people[name])),
        );
        for (const act of [greet, ...acts]) {
          await take(server, act);
          for (const each of watching) {
            const applied = await catchUpTwice(each);
            if (act === greet) expect(applied).toBeGreaterThan(0);
            await expectFresh(server, each);
          }
        }
        expect(server.bugs).toEqual([]);
        await server.stop();
      },
    ),
    { numRuns: runs({ few: 1, all: 4 }), endOnFailure: true },
  );
});

/** Everybody hears of this. */
const greet = ({ post, people }: TestServer) =>
  post(people.max, '/messages', { type: 'channel', to: 'general', topic: 'x', content: 'hello' });

async function take(server: TestServer, act: Act<Reply | undefined>) {
  const reply = await act(server);
  if (reply !== undefined) expect([200, 400]).toContain(reply.status);
  // A commit that an act caused is over as well.
  await server.perform(() => undefined);
}

async function catchUpTwice({ state, queue }: Watching): Promise<number> {
  let count = 0;
  for (let events = await queue.now(); events.length > 0; events = await queue.now()) {
    for (const event of events) {
      state.apply(event);
      expect(state.apply(event)).toEqual([]);
      expect(state.apply({ id: event.id, type: 'of_tomorrow', op: 'add' })).toEqual([]);
    }
    count += events.length;
  }
  return count;
}

async function expectFresh(server: TestServer, watching: Watching) {
  const { as } = watching.queue;
  const { body } = await server.post(as, '/register', REGISTERED);
  const fresh = body as Snapshot;
  expect(comparable(snapshotIn(watching), fresh), `as ${as.fullName} sees it`).toEqual(
    comparable(fresh),
  );
  await server.delete(as, '/events', { queue_id: body.queue_id });
}
