import { expect, test } from 'vitest';
import { PARTIAL_SUBSCRIBERS_MIN } from '../../../src/domain/limits/channels.ts';
import type { RealmTransaction } from '../../../src/operations/access/caller.ts';
import * as subscriptions from '../../../src/operations/channels/subscriptions.ts';
import { PUBLIC_CHANNEL } from '../../support/new-channel.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const DAYS = 86_400;
const partial = { include_subscribers: 'partial', fetch_event_types: ['subscription'] };

/** `general` with this many subscribers, whose accounts are older than the time that counts. */
async function startWithSubscribers(count: number) {
  const server = await startServer({ channels: ['general'] });
  await server.perform((tx, site) => {
    for (const [[id], user] of tx.users.range({ end: [100] })) age(tx, id, user.dateJoined);
    const mel = tx.users.get([4]) ?? expect.fail('mel is there');
    const dateJoined = mel.dateJoined;
    const newcomers = Array.from({ length: count - 7 }, () => {
      const id = tx.nextId('user');
      const row = { ...mel, id, email: `user${id}@example.com`, dateJoined };
      tx.users.put([id], row);
      return row;
    });
    const owner = tx.users.get([1]) ?? expect.fail('ona is there');
    subscriptions.subscribe(tx, owner, {
      channels: [{ name: 'general', description: '' }],
      principals: newcomers,
      site,
      areRefusalsFatal: true,
      creation: PUBLIC_CHANNEL,
    });
  });
  return server;
}

function age(tx: RealmTransaction, id: number, dateJoined: number) {
  const user = tx.users.get([id]) ?? expect.fail('there is an account');
  tx.users.put([id], { ...user, dateJoined: dateJoined - 15 * DAYS });
}

const listed = async (server: TestServer, params: object) => {
  const { state } = await server.register(server.people.max, { ...params });
  return state.subscriptions[0];
};

test('a list of fewer than 250 is whole, one of 250 holds who was active lately', async () => {
  const small = await startWithSubscribers(PARTIAL_SUBSCRIBERS_MIN - 1);
  const whole = await listed(small, partial);
  expect(whole.subscribers).toHaveLength(PARTIAL_SUBSCRIBERS_MIN - 1);
  expect(whole).not.toHaveProperty('partial_subscribers');

  const server = await startWithSubscribers(PARTIAL_SUBSCRIBERS_MIN);
  const { max, mel, mia, gus, bot, ona } = server.people;
  await server.post(mel, '/users/me/presence', { status: 'idle' });
  await server.register(mia);
  await server.perform((tx) => {
    const user = tx.users.get([gus.id]) ?? expect.fail('gus is there');
    tx.users.put([gus.id], { ...user, settings: { presence_enabled: false } });
    const young = tx.users.get([ona.id]) ?? expect.fail('ona is there');
    tx.users.put([ona.id], { ...young, dateJoined: Math.floor(tx.now / 1000) - 13 * DAYS });
  });
  const { subscribers, partial_subscribers, subscriber_count } = await listed(server, partial);
  expect(subscribers).toBeUndefined();
  expect(partial_subscribers).toEqual([ona.id, mia.id, mel.id, max.id, gus.id, bot.id]);
  expect(subscriber_count).toBe(PARTIAL_SUBSCRIBERS_MIN);
  const all = await listed(server, { ...partial, include_subscribers: 'true' });
  expect(all.subscribers).toHaveLength(PARTIAL_SUBSCRIBERS_MIN);
  const none = await listed(server, { ...partial, include_subscribers: 'false' });
  expect(none).not.toHaveProperty('subscribers');
  expect(none).not.toHaveProperty('partial_subscribers');
});

test('where the organization keeps no presence every list is whole', async () => {
  const server = await startWithSubscribers(PARTIAL_SUBSCRIBERS_MIN);
  await server.set('presence_disabled', true);
  expect((await listed(server, partial)).partial_subscribers).toHaveLength(PARTIAL_SUBSCRIBERS_MIN);
});
