import { expect, test } from 'vitest';
import { type Couriers, openCouriers } from '../../../src/couriers/couriers.ts';
import {
  LETTER_LEASE_MS,
  LETTER_PAUSE_MS,
  LETTERS_CARRIED_MAX,
  LETTERS_PER_STEP,
  LETTERS_WAITING_MAX,
} from '../../../src/domain/limits.ts';
import * as outbox from '../../../src/operations/access/outbox.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/** No run of the server: nothing that is taken in it is carried but by the test. */
const RUN = 'a run of the test';

/** Takes what is due as the agenda does. */
const take = (server: TestServer) =>
  server.perform((tx) =>
    outbox
      .due(tx, tx.now)
      .map((key) => outbox.take(tx, key, RUN))
      .filter((letter) => letter !== undefined),
  );

const post = (server: TestServer, content: unknown, delayMs = 1_000) =>
  server.perform((tx) => outbox.post(tx, { kind: 'webhook', content }, tx.now + delayMs));

const waiting = (server: TestServer) =>
  server.perform((tx) => Array.from(tx.outbox.range({}), ([[dueAt], row]) => ({ dueAt, ...row })));

/** A courier that does as it is told, and what came of its letters. */
function openCourier(server: TestServer, answers: readonly ('arrives' | 'fails')[]) {
  const carried: unknown[] = [];
  const givenUp: unknown[] = [];
  const bugs: unknown[] = [];
  const realm = server.app.realms.named('test');
  if (realm === undefined) throw new Error('the test realm is gone');
  const couriers: Couriers = {
    webhook: {
      pausesMs: [10_000],
      async carry(letter) {
        const answer = answers[carried.length];
        carried.push(letter.content);
        if (answer !== 'arrives') throw new Error('nobody is there');
      },
      async giveUp(letter) {
        givenUp.push(letter.content);
      },
    },
  };
  const { carry } = openCouriers(couriers, (error) => bugs.push(error));
  const origin = { realm, site: server.app.realms.siteOf(realm) };
  return {
    carried,
    givenUp,
    bugs,
    async carry(letters: readonly outbox.Letter[]) {
      carry(letters, origin);
      await expect.poll(() => carried.length + bugs.length).toBeGreaterThan(0);
    },
  };
}

test('a letter is due at its time and not before', async () => {
  const server = await startServer();
  await post(server, 'later');
  expect(await take(server)).toEqual([]);
  expect(await waiting(server)).toHaveLength(1);
});

test('a letter on its way becomes due again after the lease, when nobody says what became of it', async () => {
  const server = await startServer();
  const taken = await server.perform((tx) => {
    outbox.post(tx, { kind: 'webhook', content: 'hello' });
    return outbox.due(tx, tx.now).map((key) => outbox.take(tx, key, RUN));
  });
  expect(taken).toMatchObject([{ content: 'hello', attempts: 1 }]);
  const now = server.clock.now();
  expect(await waiting(server)).toEqual([
    {
      dueAt: now + LETTER_LEASE_MS,
      kind: 'webhook',
      content: 'hello',
      attempts: 1,
      carriedIn: RUN,
    },
  ]);
});

test('one step takes a bounded number of letters', async () => {
  const server = await startServer();
  const keys = await server.perform((tx) => {
    for (let index = 0; index <= LETTERS_PER_STEP; index++) {
      outbox.post(tx, { kind: 'webhook', content: index }, tx.now + 1_000);
    }
    return outbox.due(tx, tx.now + 1_000);
  });
  expect(keys).toHaveLength(LETTERS_PER_STEP);
});

test('a letter that arrived is gone', async () => {
  const server = await startServer();
  const courier = openCourier(server, ['arrives']);
  const [letter] = await server.perform((tx) => {
    outbox.post(tx, { kind: 'webhook', content: 'hello' });
    return outbox.due(tx, tx.now).map((key) => outbox.take(tx, key, RUN));
  });
  if (letter === undefined) expect.fail('nothing was due');
  await courier.carry([letter]);
  await expect.poll(() => waiting(server)).toEqual([]);
  expect(courier).toMatchObject({ carried: ['hello'], givenUp: [], bugs: [] });
});

test('a letter that did not arrive is tried again after its pause, and given up after the last', async () => {
  const server = await startServer();
  const courier = openCourier(server, ['fails', 'fails']);
  const [letter] = await server.perform((tx) => {
    outbox.post(tx, { kind: 'webhook', content: 'hello' });
    return outbox.due(tx, tx.now).map((key) => outbox.take(tx, key, RUN));
  });
  if (letter === undefined) expect.fail('nothing was due');
  await courier.carry([letter]);
  const now = server.clock.now();
  await expect
    .poll(() => waiting(server))
    .toEqual([
      { dueAt: now + 10_000, kind: 'webhook', content: 'hello', attempts: 1, carriedIn: null },
    ]);
  const again = await server.perform((tx) =>
    outbox.due(tx, tx.now + 10_000).map((key) => outbox.take(tx, key, RUN)),
  );
  if (again[0] === undefined) expect.fail('it was not due again');
  await courier.carry([again[0]]);
  await expect.poll(() => waiting(server)).toEqual([]);
  expect(courier).toMatchObject({ carried: ['hello', 'hello'], givenUp: ['hello'], bugs: [] });
});

test('what nobody carries is removed and not tried for ever', async () => {
  const server = await startServer();
  await server.perform((tx) => outbox.post(tx, { kind: 'push', content: 'hello' }, tx.now + 1_000));
  const { carry } = openCouriers({}, () => expect.fail('a bug'));
  const realm = server.app.realms.named('test');
  if (realm === undefined) expect.fail('the test realm is gone');
  const letters = await server.perform((tx) =>
    outbox
      .due(tx, tx.now + 1_000)
      .map((key) => outbox.take(tx, key, RUN))
      .filter((letter) => letter !== undefined),
  );
  carry(letters, { realm, site: server.app.realms.siteOf(realm) });
  await expect.poll(() => waiting(server)).toEqual([]);
});

test('the agenda wakes for a letter at its time, also for one that was stored before a restart', async () => {
  const server = await startServer();
  await post(server, { botId: 999 }, 60_000);
  server.clock.advance(30_000);
  expect(await waiting(server)).toHaveLength(1);
  await server.restart();
  server.clock.advance(31_000);
  // There is no such bot: taken, then removed.
  await expect.poll(() => waiting(server)).toEqual([]);
});

/** A courier for each kind that is slow: a letter is on its way until the test says that it arrived. */
function openSlowCouriers(server: TestServer) {
  const underway: { readonly content: unknown; arrive(): void }[] = [];
  const bugs: unknown[] = [];
  const slow: Couriers['webhook'] = {
    pausesMs: [],
    carry: ({ content }) =>
      new Promise((resolve) => underway.push({ content, arrive: () => resolve() })),
    giveUp: () => expect.fail('nothing fails'),
  };
  const realm = server.app.realms.named('test') ?? expect.fail('the test realm is there');
  const { carry, close } = openCouriers({ webhook: slow, mail: slow }, (error) => bugs.push(error));
  return {
    underway,
    bugs,
    close,
    carry: (letters: readonly outbox.Letter[]) =>
      carry(letters, { realm, site: server.app.realms.siteOf(realm) }),
  };
}

/** Letters that are taken at once; their contents are numbers in order. */
const takenAtOnce = (server: TestServer, kind: outbox.Letter['kind'], count: number) =>
  server.perform((tx) =>
    Array.from({ length: count }, (_, content) => {
      const dueAt = tx.now + 1_000;
      outbox.post(tx, { kind, content }, dueAt);
      const id = Math.max(...Array.from(tx.outbox.keys({}), ([, each]) => each));
      return outbox.take(tx, [dueAt, id], RUN) ?? expect.fail('it was there');
    }),
  );

test('of a kind so many letters are carried at once and not one more; the next goes when one arrives', async () => {
  const server = await startServer();
  const { underway, bugs, carry } = openSlowCouriers(server);
  carry(await takenAtOnce(server, 'webhook', LETTERS_CARRIED_MAX + 2));
  expect(underway).toHaveLength(LETTERS_CARRIED_MAX);
  // Those of another kind do not wait for them.
  carry(await takenAtOnce(server, 'mail', 1));
  expect(underway).toHaveLength(LETTERS_CARRIED_MAX + 1);
  server.clock.advance(60_000);
  const renewedAt = server.clock.now();
  underway[7]?.arrive();
  await expect.poll(() => underway.length).toBe(LETTERS_CARRIED_MAX + 2);
  expect(underway.at(-1)?.content).toBe(LETTERS_CARRIED_MAX);
  // It has its whole lease from now on.
  const rows = (await waiting(server)).filter(({ content }) => content === LETTERS_CARRIED_MAX);
  expect(rows).toMatchObject([{ dueAt: renewedAt + LETTER_LEASE_MS, attempts: 1 }]);
  for (const { arrive } of underway) arrive();
  await expect.poll(() => underway.length).toBe(LETTERS_CARRIED_MAX + 3);
  underway.at(-1)?.arrive();
  await expect.poll(() => waiting(server)).toEqual([]);
  expect(bugs).toEqual([]);
});

test('so many letters wait in memory; one more waits in the store, and that is no attempt', async () => {
  const server = await startServer();
  const { underway, bugs, carry } = openSlowCouriers(server);
  const count = LETTERS_CARRIED_MAX + LETTERS_WAITING_MAX;
  carry(await takenAtOnce(server, 'webhook', count + 1));
  const late = async () =>
    (await waiting(server)).filter(({ dueAt }) => dueAt < server.clock.now() + LETTER_LEASE_MS);
  await expect.poll(late).toEqual([
    {
      kind: 'webhook',
      content: count,
      attempts: 0,
      carriedIn: null,
      dueAt: server.clock.now() + LETTER_PAUSE_MS,
    },
  ]);
  expect(underway).toHaveLength(LETTERS_CARRIED_MAX);
  expect(bugs).toEqual([]);
});

test('a letter that waited for longer than its lease is carried by whoever took it again', async () => {
  const server = await startServer();
  const { underway, bugs, carry } = openSlowCouriers(server);
  const letters = await takenAtOnce(server, 'webhook', LETTERS_CARRIED_MAX + 1);
  carry(letters);
  const last = letters.at(-1) ?? expect.fail('there are letters');
  server.clock.advance(2_000);
  const again = await server.perform((tx) => outbox.take(tx, [last.dueAt, last.id], RUN));
  if (again === undefined) expect.fail('its lease is in the store');
  carry([again]);
  for (const { arrive } of underway) arrive();
  await expect.poll(() => underway.length).toBe(LETTERS_CARRIED_MAX + 1);
  underway.at(-1)?.arrive();
  await expect.poll(() => waiting(server)).toEqual([]);
  expect(underway).toHaveLength(LETTERS_CARRIED_MAX + 1);
  expect(bugs).toEqual([]);
});

test('a server that stops waits for what is being carried, and begins nothing more', async () => {
  const server = await startServer();
  const { underway, bugs, carry, close } = openSlowCouriers(server);
  carry(await takenAtOnce(server, 'webhook', LETTERS_CARRIED_MAX + 1));
  let isClosed = false;
  const closed = close(300_000).then(() => {
    isClosed = true;
  });
  carry(await takenAtOnce(server, 'mail', 1));
  for (const { arrive } of underway.slice(1)) arrive();
  await expect.poll(() => waiting(server)).toHaveLength(3);
  expect(isClosed).toBe(false);
  underway[0]?.arrive();
  await closed;
  expect(underway).toHaveLength(LETTERS_CARRIED_MAX);
  expect(await waiting(server)).toMatchObject([{ kind: 'webhook' }, { kind: 'mail' }]);
  expect(bugs).toEqual([]);
});

test('a server that stops does not wait for ever for what is being carried', async () => {
  const server = await startServer();
  const { underway, carry, close } = openSlowCouriers(server);
  carry(await takenAtOnce(server, 'webhook', 1));
  await close(1);
  expect(underway).toHaveLength(1);
  expect(await waiting(server)).toHaveLength(1);
});

test('what is on its way or waits when the server stops is no bug, and is carried when it is back', async () => {
  const server = await startServer();
  const { underway, bugs, carry } = openSlowCouriers(server);
  carry(await takenAtOnce(server, 'webhook', LETTERS_CARRIED_MAX + 3));
  await server.restart();
  for (const { arrive } of underway) arrive();
  await new Promise((resolve) => setImmediate(resolve));
  expect(bugs).toEqual([]);
  expect(underway).toHaveLength(LETTERS_CARRIED_MAX);
  expect(await waiting(server)).toHaveLength(LETTERS_CARRIED_MAX + 3);
  // At once and not after their lease; the courier of the server makes nothing of them.
  server.clock.advance(1);
  const attempts = async () => new Set((await waiting(server)).map((row) => row.attempts));
  await expect.poll(attempts).toEqual(new Set([2]));
});

test('a letter that was carried when the server ended for the second time waits for its lease', async () => {
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
  expect(await waiting(server)).toMatchObject([{ attempts: 2, carriedIn: RUN }]);
  server.clock.advance(LETTER_LEASE_MS);
  await expect.poll(() => waiting(server)).toEqual([]);
});

test('what waits for another attempt when the server stops waits for it when it is back', async () => {
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
  expect(await waiting(server)).toMatchObject([{ attempts: 1, carriedIn: null }]);
});
