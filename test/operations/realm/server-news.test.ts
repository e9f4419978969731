import { expect, test } from 'vitest';
import { RELEASES } from '../../../src/domain/rules/realm/releases.ts';
import { SERVICE_VERSION } from '../../../src/domain/version.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/** As if this organization had been served by an older version until now. */
const serveBy = (server: TestServer, newsVersion: string) =>
  server.perform((tx) => {
    const row = tx.realm.get(['realm']);
    if (row !== undefined) tx.realm.put(['realm'], { ...row, newsVersion });
  });

const messagesOf = (server: TestServer) =>
  server.perform((tx) => Array.from(tx.messages.range({}), ([, row]) => row));

test('what is new in the server is told once, in the channel for it', async () => {
  const server = await startServer({ channels: ['general', 'news'] });
  await server.set('service_update_announcements_stream_id', 2);
  await server.restart();
  expect(await messagesOf(server)).toEqual([]);

  await serveBy(server, '0.0.9');
  const queue = await server.register(server.people.gus, {
    event_types: ['message'],
    apply_markdown: true,
  });
  await server.restart();
  await server.advance(1_000);
  const [event] = await queue.next();
  expect(event?.['message']).toMatchObject({
    type: 'stream',
    stream_id: 2,
    subject: 'server updates',
    sender_full_name: 'Notification Bot',
    content: expect.stringContaining(`<strong>confab ${SERVICE_VERSION}</strong> runs here now`),
  });
  const [message] = await messagesOf(server);
  expect(message?.content).toContain(RELEASES.at(-1)?.news);

  await server.restart();
  await server.advance(1_000);
  expect(await messagesOf(server)).toHaveLength(1);
  expect(server.bugs).toEqual([]);
});

test.each(['none', 'an archived one'])(
  'is not told later where the channel is %s',
  async (which) => {
    const server = await startServer({ channels: ['general', 'news'] });
    if (which !== 'none') {
      await server.set('service_update_announcements_stream_id', 2);
      await server.set('send_channel_events_messages', false);
      await server.delete(server.people.ona, '/streams/2');
    }
    await serveBy(server, '0.0.9');
    await server.restart();
    await server.advance(1_000);
    await server.set('service_update_announcements_stream_id', 1);
    await server.restart();
    await server.advance(1_000);
    expect(await messagesOf(server)).toEqual([]);
  },
);

test('the channel may be named as existing clients spell it, and both names are told', async () => {
  const server = await startServer({ channels: ['general'], env: { CONFAB_ALIAS_PREFIX: 'acme' } });
  const { ona, mel } = server.people;
  const queue = await server.register(mel, { event_types: ['realm'] });
  const alias = 'acme_update_announcements_stream_id';
  const name = 'service_update_announcements_stream_id';
  expect((await server.patch(ona, '/realm', { [alias]: 1 })).body).toEqual({
    result: 'success',
    msg: '',
    [name]: 1,
    [alias]: 1,
  });
  expect(await queue.next()).toMatchObject([
    { type: 'realm', op: 'update', property: name, value: 1 },
    { type: 'realm', op: 'update', property: alias, value: 1 },
  ]);
  await expectExactAfter(server, () => server.patch(ona, '/realm', { [name]: -1, [alias]: 5 }));
  const { state } = await server.register(mel);
  expect(state).toMatchObject({ [`realm_${name}`]: -1, [`realm_${alias}`]: -1 });

  const refused = await server.patch(ona, '/realm', { [alias]: 99 });
  expect(refused).toMatchObject({ status: 400, body: { msg: 'Invalid channel ID' } });
});

test('without a prefix the other name is no parameter', async () => {
  const server = await startServer({ channels: ['general'] });
  const alias = 'acme_update_announcements_stream_id';
  expect((await server.patch(server.people.ona, '/realm', { [alias]: 1 })).body).toMatchObject({
    ignored_parameters_unsupported: [alias],
  });
});
