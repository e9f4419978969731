import { expect, test } from 'vitest';
import {
  OUTBOX_DELIVERIES_MAX,
  OUTBOX_ENTRIES_PER_STEP,
  OUTBOX_LEASE_MS,
  OUTBOX_PAUSE_MS,
  OUTBOX_WAITING_MAX,
} from '../../../src/domain/limits/outbox.ts';
import * as outbox from '../../../src/operations/access/outbox.ts';
import { openDispatcher, type Workers } from '../../../src/workers/dispatcher.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/**
 * The name of a run that is not the server's, so that only the test delivers what is taken in it.
 */
const RUN = 'a run of the test';

/** Leases the entries that are due, as the scheduler does. */
const take = (server: TestServer) =>
  server.perform((tx) =>
    outbox
      .due(tx, tx.now)
      .map((key) => outbox.take(tx, key, RUN))
      .filter((entry) => entry !== undefined),
  );

const post = (server: TestServer, content: unknown, delayMs = 1_000) =>
  server.perform((tx) => outbox.post(tx, { kind: 'webhook', content }, tx.now + delayMs));

const waiting = (server: TestServer) =>
  server.perform((tx) => Array.from(tx.outbox.range({}), ([[dueAt], row]) => ({ dueAt, ...row })));

/** Opens a dispatcher with one worker, which succeeds or fails as told, and records what it did. */
function openWorker(server: TestServer, answers: readonly ('arrives' | 'fails')[]) {
  const delivered: unknown[] = [];
  const givenUp: unknown[] = [];
  const bugs: unknown[] = [];
  const realm = server.app.realms.named('test');
  if (realm === undefined) throw new Error('the test realm is gone');
  const workers: Workers = {
    webhook: {
      pausesMs: [10_000],
      async deliver(entry) {
        const answer = answers[delivered.length];
        delivered.push(entry.content);
        if (answer !== 'arrives') throw new Error('nobody is there');
      },
      async giveUp(entry) {
        givenUp.push(entry.content);
      },
    },
  };
  const { deliver } = openDispatcher(workers, (error) => bugs.push(error));
  const origin = { realm, site: server.app.realms.siteOf(realm) };
  return {
    delivered,
    givenUp,
    bugs,
    async deliver(entries: readonly outbox.Entry[]) {
      deliver(entries, origin);
      await expect.poll(() => delivered.length + bugs.length).toBeGreaterThan(0);
    },
  };
}

test('an entry is due at its time and not before', async () => {
  const server = await startServer();
  await post(server, 'later');
  expect(await take(server)).toEqual([]);
  expect(await waiting(server)).toHaveLength(1);
});

test('a leased entry is due again when its lease ends and nothing was written about it', async () => {
  const server = await startServer();
  const taken = await server.perform((tx) => {
    outbox.post(tx, { kind: 'webhook', content: 'hello' });
    return outbox.due(tx, tx.now).map((key) => outbox.take(tx, key, RUN));
  });
  expect(taken).toMatchObject([{ content: 'hello', attempts: 1 }]);
  const now = server.clock.now();
  expect(await waiting(server)).toEqual([
    {
      dueAt: now + OUTBOX_LEASE_MS,
      kind: 'webhook',
      content: 'hello',
      attempts: 1,
      leasedBy: RUN,
    },
  ]);
});

test('one step takes a bounded number of entries', async () => {
  const server = await startServer();
  const keys = await server.perform((tx) => {
    for (let index = 0; index <= OUTBOX_ENTRIES_PER_STEP; index++) {
      outbox.post(tx, { kind: 'webhook', content: index }, tx.now + 1_000);
    }
    return outbox.due(tx, tx.now + 1_000);
  });
  expect(keys).toHaveLength(OUTBOX_ENTRIES_PER_STEP);
});

test('an entry that was delivered is gone', async () => {
  const server = await startServer();
  const worker = openWorker(server, ['arrives']);
  const [entry] = await server.perform((tx) => {
    outbox.post(tx, { kind: 'webhook', content: 'hello' });
    return outbox.due(tx, tx.now).map((key) => outbox.take(tx, key, RUN));
  });
  if (entry === undefined) expect.fail('nothing was due');
  await worker.deliver([entry]);
  await expect.poll(() => waiting(server)).toEqual([]);
  expect(worker).toMatchObject({ delivered: ['hello'], givenUp: [], bugs: [] });
});

test('an entry whose delivery failed is tried again after its pause, and given up after the last attempt', async () => {
  const server = await startServer();
  const worker = openWorker(server, ['fails', 'fails']);
  const [entry] = await server.perform((tx) => {
    outbox.post(tx, { kind: 'webhook', content: 'hello' });
    return outbox.due(tx, tx.now).map((key) => outbox.take(tx, key, RUN));
  });
  if (entry === undefined) expect.fail('nothing was due');
  await worker.deliver([entry]);
  const now = server.clock.now();
  await expect
    .poll(() => waiting(server))
    .toEqual([
      { dueAt: now + 10_000, kind: 'webhook', content: 'hello', attempts: 1, leasedBy: null },
    ]);
  const again = await server.perform((tx) =>
    outbox.due(tx, tx.now + 10_000).map((key) => outbox.take(tx, key, RUN)),
  );
  if (again[0] === undefined) expect.fail('it was not due again');
  await worker.deliver([again[0]]);
  await expect.poll(() => waiting(server)).toEqual([]);
  expect(worker).toMatchObject({ delivered: ['hello', 'hello'], givenUp: ['hello'], bugs: [] });
});

test('an entry of a kind without a worker is removed and not tried for ever', async () => {
  const server = await startServer();
  await server.perform((tx) => outbox.post(tx, { kind: 'push', content: 'hello' }, tx.now + 1_000));
  const { deliver } = openDispatcher({}, () => expect.fail('a bug'));
  const realm = server.app.realms.named('test');
  if (realm === undefined) expect.fail('the test realm is gone');
  const entries = await server.perform((tx) =>
    outbox
      .due(tx, tx.now + 1_000)
      .map((key) => outbox.take(tx, key, RUN))
      .filter((entry) => entry !== undefined),
  );
  deliver(entries, { realm, site: server.app.realms.siteOf(realm) });
  await expect.poll(() => waiting(server)).toEqual([]);
});

test('the scheduler wakes for an entry at its time, also for one that was stored before a restart', async () => {
  const server = await startServer();
  await post(server, { botId: 999 }, 60_000);
  server.clock.advance(30_000);
  expect(await waiting(server)).toHaveLength(1);
  await server.restart();
  server.clock.advance(31_000);
  // The bot does not exist, so the entry is taken and removed.
  await expect.poll(() => waiting(server)).toEqual([]);
});

/** Opens a dispatcher with slow workers: a delivery lasts until the test says that it arrived. */
function openSlowWorkers(server: TestServer) {
  const underway: { readonly content: unknown; arrive(): void }[] = [];
  const bugs: unknown[] = [];
  const slow: Workers['webhook'] = {
    pausesMs: [],
    deliver: ({ content }) =>
      new Promise<void>((resolve) => underway.push({ content, arrive: () => resolve() })),
    giveUp: () => expect.fail('nothing fails'),
  };
  const realm = server.app.realms.named('test') ?? expect.fail('the test realm is there');
  const { deliver, close } = openDispatcher({ webhook: slow, mail: slow }, (error) =>
    bugs.push(error),
  );
  return {
    underway,
    bugs,
    close,
    deliver: (entries: readonly outbox.Entry[]) =>
      deliver(entries, { realm, site: server.app.realms.siteOf(realm) }),
  };
}

/** Leases fresh entries in one commit; their contents are numbers in order. */
const takenAtOnce = (server: TestServer, kind: outbox.Entry['kind'], count: number) =>
  server.perform((tx) =>
    Array.from({ length: count }, (_, content) => {
      const dueAt = tx.now + 1_000;
      outbox.post(tx, { kind, content }, dueAt);
      const id = Math.max(...Array.from(tx.outbox.keys({}), ([, each]) => each));
      return outbox.take(tx, [dueAt, id], RUN) ?? expect.fail('it was there');
    }),
  );

test('a bounded number of entries of a kind is delivered at once; the next starts when one is done', async () => {
  const server = await startServer();
  const { underway, bugs, deliver } = openSlowWorkers(server);
  deliver(await takenAtOnce(server, 'webhook', OUTBOX_DELIVERIES_MAX + 2));
  expect(underway).toHaveLength(OUTBOX_DELIVERIES_MAX);
  // Entries of another kind do not wait for them.
  deliver(await takenAtOnce(server, 'mail', 1));
  expect(underway).toHaveLength(OUTBOX_DELIVERIES_MAX + 1);
  server.clock.advance(60_000);
  const renewedAt = server.clock.now();
  underway[7]?.arrive();
  await expect.poll(() => underway.length).toBe(OUTBOX_DELIVERIES_MAX + 2);
  expect(underway.at(-1)?.content).toBe(OUTBOX_DELIVERIES_MAX);
  // It has its whole lease from now on.
  const rows = (await waiting(server)).filter(({ content }) => content === OUTBOX_DELIVERIES_MAX);
  expect(rows).toMatchObject([{ dueAt: renewedAt + OUTBOX_LEASE_MS, attempts: 1 }]);
  for (const { arrive } of underway) arrive();
  await expect.poll(() => underway.length).toBe(OUTBOX_DELIVERIES_MAX + 3);
  underway.at(-1)?.arrive();
  await expect.poll(() => waiting(server)).toEqual([]);
  expect(bugs).toEqual([]);
});

test('a bounded number of entries waits in memory; one more waits in the store, which is no attempt', async () => {
  const server = await startServer();
  const { underway, bugs, deliver } = openSlowWorkers(server);
  const count = OUTBOX_DELIVERIES_MAX + OUTBOX_WAITING_MAX;
  deliver(await takenAtOnce(server, 'webhook', count + 1));
  const late = async () =>
    (await waiting(server)).filter(({ dueAt }) => dueAt < server.clock.now() + OUTBOX_LEASE_MS);
  await expect.poll(late).toEqual([
    {
      kind: 'webhook',
      content: count,
      attempts: 0,
      leasedBy: null,
      dueAt: server.clock.now() + OUTBOX_PAUSE_MS,
    },
  ]);
  expect(underway).toHaveLength(OUTBOX_DELIVERIES_MAX);
  expect(bugs).toEqual([]);
});

test('an entry that waited longer than its lease is delivered once, by the attempt that took it again', async () => {
  const server = await startServer();
  const { underway, bugs, deliver } = openSlowWorkers(server);
  const entries = await takenAtOnce(server, 'webhook', OUTBOX_DELIVERIES_MAX + 1);
  deliver(entries);
  const last = entries.at(-1) ?? expect.fail('there are entries');
  server.clock.advance(2_000);
  const again = await server.perform((tx) => outbox.take(tx, [last.dueAt, last.id], RUN));
  if (again === undefined) expect.fail('its lease is in the store');
  deliver([again]);
  for (const { arrive } of underway) arrive();
  await expect.poll(() => underway.length).toBe(OUTBOX_DELIVERIES_MAX + 1);
  underway.at(-1)?.arrive();
  await expect.poll(() => waiting(server)).toEqual([]);
  expect(underway).toHaveLength(OUTBOX_DELIVERIES_MAX + 1);
  expect(bugs).toEqual([]);
});

test('a stopping server waits for deliveries under way and starts no more', async () => {
  const server = await startServer();
  const { underway, bugs, deliver, close } = openSlowWorkers(server);
  deliver(await takenAtOnce(server, 'webhook', OUTBOX_DELIVERIES_MAX + 1));
  let isClosed = false;
  const closed = close(300_000).then(() => {
    isClosed = true;
  });
  deliver(await takenAtOnce(server, 'mail', 1));
  for (const { arrive } of underway.slice(1)) arrive();
  await expect.poll(() => waiting(server)).toHaveLength(3);
  expect(isClosed).toBe(false);
  underway[0]?.arrive();
  await closed;
  expect(underway).toHaveLength(OUTBOX_DELIVERIES_MAX);
  expect(await waiting(server)).toMatchObject([{ kind: 'webhook' }, { kind: 'mail' }]);
  expect(bugs).toEqual([]);
});

test('a stopping server does not wait for ever for deliveries under way', async () => {
  const server = await startServer();
  const { underway, deliver, close } = openSlowWorkers(server);
  deliver(await takenAtOnce(server, 'webhook', 1));
  await close(1);
  expect(underway).toHaveLength(1);
  expect(await waiting(server)).toHaveLength(1);
});

test('an entry that is under way or waits when the server stops is no bug, and is delivered after the start', async () => {
  const server = await startServer();
  const { underway, bugs, deliver } = openSlowWorkers(server);
  deliver(await takenAtOnce(server, 'webhook', OUTBOX_DELIVERIES_MAX + 3));
  await server.restart();
  for (const { arrive } of underway) arrive();
  await new Promise((resolve) => setImmediate(resolve));
  expect(bugs).toEqual([]);
  expect(underway).toHaveLength(OUTBOX_DELIVERIES_MAX);
  expect(await waiting(server)).toHaveLength(OUTBOX_DELIVERIES_MAX + 3);
  // They are due at once and not after their lease; the server's own worker ignores them.
  server.clock.advance(1);
  const attempts = async () => new Set((await waiting(server)).map((row) => row.attempts));
  await expect.poll(attempts).toEqual(new Set([2]));
});

test('an entry whose second attempt was cut off by the end of the server waits for its lease', async () => {
  const server = await startServer();
  await post(server, { botId: 999 }, 0);
  await server.perform((tx) => {
    const [key] = outbox.due(tx, tx.now);
    if (key === undefined) expect.fail('it is due');
    const { dueAt, id } = outbox.take(tx, key, RUN) ?? expect.fail('it is there');
    outbox.take(tx, [dueAt, id], RUN);
  });
  await server.restart();
  server.clock.advance(1_000);
  expect(await waiting(server)).toMatchObject([{ attempts: 2, leasedBy: RUN }]);
  server.clock.advance(OUTBOX_LEASE_MS);
  await expect.poll(() => waiting(server)).toEqual([]);
});

test('an entry that waits for another attempt when the server stops still waits for it after the start', async () => {
  const server = await startServer();
  const pauseMs = 60_000;
  await post(server, { botId: 999 });
  await server.perform((tx) => {
    const [key] = outbox.due(tx, tx.now + 1_000);
    if (key === undefined) expect.fail('it is due');
    outbox.retry(tx, outbox.take(tx, key, RUN) ?? expect.fail('it is there'), pauseMs);
  });
  await server.restart();
  server.clock.advance(pauseMs / 2);
  expect(await waiting(server)).toMatchObject([{ attempts: 1, leasedBy: null }]);
});
