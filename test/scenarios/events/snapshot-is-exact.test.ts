import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { Act } from '../../support/acts/acts.ts';
import { actOfAnybody, actOnMessages, CHANNELS, idsOf } from '../../support/acts/of-everyone.ts';
import { expectExact, follow } from '../../support/applying/exact-snapshots.ts';
import type { Reply } from '../../support/client.ts';
import { runs } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';
import { NAMES } from '../../support/users.ts';

/**
 * Everyone registers, random people change things at random over HTTP, and everyone applies their
 * events to their snapshot: each must arrive at what a fresh register gives.
 */

test('4: a snapshot and the events after it give what a fresh register gives, for everybody, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(actOfAnybody, { minLength: 5, maxLength: 20 }),
      fc.array(actOfAnybody, { minLength: 10, maxLength: 30 }),
      async (before, after) => {
        const server = await startServer({ channels: ['general'] });
        await server.set('enable_spectator_access', true);
        for (const next of before) await take(server, next);
        const followed = await Promise.all(
          NAMES.map((name) => follow(server, server.people[name])),
        );
        for (const next of after) await take(server, next);
        // A commit that an act caused is over as well.
        await server.perform(() => undefined);
        for (const each of followed) await expectExact(server, each);
        expect(server.bugs).toEqual([]);
        await server.stop();
      },
    ),
    { numRuns: runs({ few: 2, all: 5 }), endOnFailure: true },
  );
});

/** Channels of every kind, with some of the people each, and messages of several topics. */
async function startCrowded(): Promise<TestServer> {
  const server = await startServer({ channels: ['general', 'alpha'] });
  const { post, people } = server;
  await server.set('can_move_messages_between_channels_group', systemGroupId('role:members'));
  const make = (name: string, members: readonly PersonName[], options: object) =>
    post(people.ona, '/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: idsOf(server, members),
      ...options,
    });
  await make('beta', ['ona', 'mel', 'gus'], {
    invite_only: true,
    history_public_to_subscribers: true,
  });
  await make('gamma', ['ona', 'max', 'mel', 'bot'], { invite_only: true });
  await make('delta', ['ona', 'mia'], {});
  for (const to of CHANNELS) {
    for (const topic of ['lunch', 'tea']) {
      await post(people.ona, '/messages', { type: 'channel', to, topic, content: '@**all**' });
    }
  }
  return server;
}

test('4: and so it is when messages are edited, moved between channels of every kind, and deleted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(actOnMessages, { maxLength: 10 }),
      fc.array(actOnMessages, { minLength: 10, maxLength: 25 }),
      async (before, after) => {
        const server = await startCrowded();
        for (const next of before) await take(server, next);
        const followed = await Promise.all(
          NAMES.map((name) => follow(server, server.people[name])),
        );
        for (const next of after) await take(server, next);
        await server.perform(() => undefined);
        for (const each of followed) await expectExact(server, each);
        expect(server.bugs).toEqual([]);
        await server.stop();
      },
    ),
    { numRuns: runs({ few: 1, all: 2 }), endOnFailure: true },
  );
});

async function take(server: TestServer, next: Act<Reply | undefined>) {
  const reply = await next(server);
  if (reply !== undefined) expect([200, 400]).toContain(reply.status);
}
