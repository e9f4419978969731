import { expect, test } from 'vitest';
import { startServer } from '../../support/start-server.ts';

test('one’s channels are listed by name, without those one has left', async () => {
  const server = await startServer({ channels: ['random', 'general', 'Zoo', 'left'] });
  const { mel } = server.people;
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['left'] });
  const { status, body } = await server.get(mel, '/users/me/subscriptions');
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['result', 'msg', 'subscriptions']);
  expect(body.subscriptions.map(({ name }: { name: string }) => name)).toEqual([
    'Zoo',
    'general',
    'random',
  ]);
});

test.each(['true', 'partial'])(
  'with include_subscribers %s the active subscribers are listed, ascending',
  async (include) => {
    const server = await startServer({ channels: ['general'] });
    const { mel, gus, ada } = server.people;
    await server.delete(ada, '/users/me/subscriptions', {
      subscriptions: ['general'],
      principals: [server.people.ona.id],
    });
    const realm = server.app.realms.named('test') ?? expect.fail('there is a realm');
    await realm.perform((tx) => {
      const row = tx.users.get([5]) ?? expect.fail('max is there');
      tx.users.put([5], { ...row, isActive: false });
    });
    for (const person of [mel, gus]) {
      const { body } = await server.get(person, '/users/me/subscriptions', {
        include_subscribers: include,
      });
      expect(body.subscriptions).toMatchObject([{ subscribers: [2, 3, 4, 6, 7] }]);
    }
  },
);

test('no subscribers are listed unless they are asked for', async () => {
  const server = await startServer({ channels: ['general'] });
  for (const params of [{}, { include_subscribers: 'false' }]) {
    const { body } = await server.get(server.people.mel, '/users/me/subscriptions', params);
    expect(body.subscriptions[0]).not.toHaveProperty('subscribers');
    expect(body.subscriptions[0]).not.toHaveProperty('partial_subscribers');
  }
});

test('include_subscribers is one of three words', async () => {
  const server = await startServer();
  const params = { include_subscribers: 'some' };
  const reply = await server.get(server.people.mel, '/users/me/subscriptions', params);
  expect(reply).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Invalid include_subscribers' },
  });
});
