import { expect, test } from 'vitest';
import { expectExactAfter } from '../../support/applying/follow.ts';
import {
  edit,
  eventsOf,
  LUNCH,
  listOf,
  NOWHERE,
  PATH,
  SUCCESS,
  store,
  stored,
} from '../../support/messages/drafting.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const synchronize = (server: TestServer, as: Person, enable_drafts_synchronization: boolean) =>
  server.patch(as, '/settings', { enable_drafts_synchronization });

test('when synchronization is turned off the drafts on the server are deleted, and only the setting is told', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await store(server, mel, [LUNCH, NOWHERE]);
  const theirs = await stored(server, max);
  const options = { client_capabilities: { user_settings_object: true } };
  const queue = await server.register(mel, options);
  expect((await synchronize(server, mel, false)).body).toEqual(SUCCESS);
  // An event about each draft would make other clients delete their copies, which are not to be
  // touched.
  expect(await eventsOf(queue)).toEqual([
    {
      type: 'user_settings',
      op: 'update',
      property: 'enable_drafts_synchronization',
      value: false,
    },
  ]);
  expect((await server.register(mel)).state.drafts).toEqual([]);
  expect(await server.perform((tx) => [...tx.drafts.keysUnder([mel.id])])).toEqual([]);
  expect(await listOf(server, max)).toEqual([{ id: theirs, ...LUNCH }]);

  await synchronize(server, mel, true);
  expect((await server.get(mel, PATH)).body).toEqual({ ...SUCCESS, count: 0, drafts: [] });
  // Drafts that are stored from then on have new ids: no id is used twice.
  expect(await stored(server, mel)).toBe(4);
});

test('4: a queue that hears of drafts and not of settings is told that they are deleted', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await store(server, mel, [LUNCH, NOWHERE]);
  const types = { event_types: ['drafts', 'message'] };
  const [own, other] = [await server.register(mel, types), await server.register(max, types)];
  await synchronize(server, mel, false);
  expect(await eventsOf(own)).toEqual([
    { type: 'drafts', op: 'remove', draft_id: 1 },
    { type: 'drafts', op: 'remove', draft_id: 2 },
  ]);
  expect(await eventsOf(other)).toEqual([]);
  expect((await server.register(mel, types)).state.drafts).toEqual([]);
});

test('while synchronization is turned off every endpoint for drafts refuses, and nothing happens', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await stored(server, mel);
  await synchronize(server, mel, false);
  const queue = await server.register(mel);
  for (const { status, body } of [
    await server.get(mel, PATH),
    await store(server, mel, [LUNCH]),
    await store(server, mel, []),
    await edit(server, mel, id, LUNCH),
    await server.delete(mel, `${PATH}/${id}`),
  ]) {
    expect([status, body]).toEqual([
      400,
      {
        result: 'error',
        code: 'BAD_REQUEST',
        msg: 'User has disabled synchronizing drafts.',
      },
    ]);
  }
  expect(await queue.now()).toEqual([]);
  expect(await server.perform((tx) => [...tx.drafts.keys({})])).toEqual([]);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, gus, bot } = server.people;
  await store(server, mel, [LUNCH, NOWHERE]);
  const change = async () => {
    const id = await stored(server, mel, { ...NOWHERE, timestamp: 15 });
    await edit(server, mel, id, { ...LUNCH, timestamp: 5 });
    await edit(server, mel, 2, { ...NOWHERE, timestamp: 40 });
    await server.delete(mel, `${PATH}/1`);
    await store(server, gus, [NOWHERE, NOWHERE, NOWHERE]);
    await stored(server, bot, NOWHERE);
  };
  await expectExactAfter(server, change);
});

test.each([
  { client: 'modern', options: { client_capabilities: { user_settings_object: true } } },
  { client: 'older', options: {} },
])(
  '4: turning synchronization off and on again is exact, for $client clients',
  async ({ options }) => {
    const server = await startServer({ channels: ['general'] });
    const { mel, max } = server.people;
    await store(server, mel, [LUNCH, NOWHERE]);
    const every = { ...options, include_subscribers: 'true', client_gravatar: false };
    const off = () => synchronize(server, mel, false);
    await expectExactAfter(server, off, { people: [mel, max], options: every });
    const onAgain = async () => {
      await synchronize(server, mel, true);
      await stored(server, mel);
    };
    await expectExactAfter(server, onAgain, { people: [mel, max], options: every });
  },
);
