import { expect, test } from 'vitest';
import {
  CHANNELS_PER_REQUEST_MAX,
  DEFAULT_CHANNEL_GROUP_DESCRIPTION_LENGTH_MAX,
  DEFAULT_CHANNEL_GROUP_NAME_LENGTH_MAX,
  DEFAULT_CHANNEL_GROUPS_MAX,
} from '../../../src/domain/limits/channels.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const PATH = '/default_stream_groups';
const SUCCESS = { result: 'success', msg: '' };
const CHANNELS = ['general', 'random', 'tea'];

const listOf = async (server: TestServer, as: PersonName = 'mel') => {
  const types = { fetch_event_types: ['default_stream_groups'] };
  const { state } = await server.register(server.people[as], types);
  return state.realm_default_stream_groups;
};

const create = (server: TestServer, params: Params, as: PersonName = 'ada') =>
  server.post(server.people[as], `${PATH}/create`, {
    group_name: 'Tea',
    description: 'for newcomers',
    stream_names: ['tea', 'General'],
    ...params,
  });

const update = (server: TestServer, id: number | string, params: Params) =>
  server.patch(server.people.ada, `${PATH}/${id}`, params);

const change = (server: TestServer, op: string, stream_names: unknown, id: number | string = 1) =>
  server.patch(server.people.ada, `${PATH}/${id}/streams`, { op, stream_names });

const succeeded = ({ status, body }: { status: number; body: object }) =>
  expect([status, body]).toEqual([200, SUCCESS]);

const refused = ({ status, body }: { status: number; body: object }, msg: string) =>
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);

const listsOf = async (queue: TestQueue) =>
  (await queue.now()).map(({ id, type, ...event }) => {
    expect(type).toBe('default_stream_groups');
    return event['default_stream_groups'];
  });

test('groups are made, and told whole, sorted by name, to all but guests', async () => {
  const server = await startServer({ channels: CHANNELS });
  const { mel, gus } = server.people;
  const [told, guest] = [await server.register(mel), await server.register(gus)];
  succeeded(await create(server, { group_name: ' Tea ' }));
  succeeded(await create(server, { group_name: 'All', description: undefined, stream_names: [] }));
  const tea = { id: 1, name: 'Tea', description: 'for newcomers', streams: [1, 3] };
  const all = { id: 2, name: 'All', description: '', streams: [] };
  expect(await listsOf(told)).toEqual([[tea], [all, tea]]);
  expect(await guest.now()).toEqual([]);
  expect(await listOf(server)).toEqual([all, tea]);
  expect(await listOf(server, 'gus')).toEqual([]);
});

test('a group is changed and removed; what stays as it was tells nobody', async () => {
  const server = await startServer({ channels: CHANNELS });
  await create(server, {});
  const queue = await server.register(server.people.mel);
  succeeded(await update(server, 1, { new_group_name: ' Drinks ' }));
  succeeded(await update(server, 1, { new_description: 'all of them' }));
  succeeded(await update(server, 1, { new_group_name: 'Drinks', new_description: 'all of them' }));
  const drinks = { id: 1, name: 'Drinks', description: 'for newcomers', streams: [1, 3] };
  expect(await listsOf(queue)).toEqual([[drinks], [{ ...drinks, description: 'all of them' }]]);
  succeeded(await server.delete(server.people.ada, `${PATH}/1`));
  expect(await listsOf(queue)).toEqual([[]]);
  refused(
    await server.delete(server.people.ada, `${PATH}/1`),
    "Default channel group with id '1' does not exist.",
  );
});

test('channels are put into a group and taken out, all of them or none', async () => {
  const server = await startServer({ channels: CHANNELS });
  await create(server, {});
  const queue = await server.register(server.people.mel);
  succeeded(await change(server, 'add', ['random', 'RANDOM']));
  succeeded(await change(server, 'remove', ['tea', 'random']));
  succeeded(await change(server, 'add', []));
  expect((await listsOf(queue)).map(([{ streams }]) => streams)).toEqual([[1, 2, 3], [1]]);
  refused(
    await change(server, 'add', ['tea', 'general']),
    "Channel 'general' is already present in default channel group 'Tea'",
  );
  refused(
    await change(server, 'remove', ['general', 'tea']),
    "Channel 'tea' is not present in default channel group 'Tea'",
  );
  refused(await change(server, 'add', ['nowhere']), "Invalid channel name 'nowhere'");
  refused(await change(server, 'put', ['tea']), 'Invalid op');
  refused(await change(server, 'add', 'tea'), 'stream_names is not valid JSON');
  refused(await change(server, 'add', [1]), 'stream_names[0] is not a string');
  refused(await change(server, 'add', [], 9), "Default channel group with id '9' does not exist.");
  expect(await queue.now()).toEqual([]);
});

test('only public channels that are there and no default ones are in groups', async () => {
  const server = await startServer({ channels: [...CHANNELS, 'old', 'all'] });
  const { ona } = server.people;
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', secret);
  await server.delete(ona, '/streams/4');
  await server.post(ona, '/default_streams', { stream_id: 5 });
  await create(server, {});
  for (const { name, what } of [
    { name: 'secret', what: 'private' },
    { name: 'old', what: 'archived' },
    { name: 'all', what: 'a default channel' },
  ]) {
    const msg = `'${name}' is ${what} and cannot be added to`;
    refused(await change(server, 'add', [name]), `${msg} 'Tea'`);
    refused(await create(server, { group_name: 'New', stream_names: [name] }), `${msg} 'New'`);
  }
});

test('a channel that becomes private or archived is in no group any more', async () => {
  const server = await startServer({ channels: CHANNELS });
  await create(server, {});
  await create(server, { group_name: 'Two', stream_names: ['general', 'random'] });
  const queue = await server.register(server.people.mel, {
    event_types: ['default_stream_groups'],
  });
  await server.patch(server.people.ona, '/streams/1', { is_private: true });
  await server.delete(server.people.ona, '/streams/3');
  await server.patch(server.people.ona, '/streams/2', { description: 'changed' });
  const streamsOf = (groups: { streams: number[] }[]) => groups.map(({ streams }) => streams);
  expect((await listsOf(queue)).map(streamsOf)).toEqual([
    [[3], [2]],
    [[], [2]],
  ]);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer({ channels: CHANNELS });
  await create(server, {});
  await expectExactAfter(server, async () => {
    await create(server, { group_name: 'Two' });
    await update(server, 1, { new_group_name: 'Zoo' });
    await change(server, 'add', ['random']);
    await server.delete(server.people.ona, '/streams/2');
    await server.delete(server.people.ada, `${PATH}/2`);
  });
});

const LONG_NAME = 'x'.repeat(DEFAULT_CHANNEL_GROUP_NAME_LENGTH_MAX + 1);
const LONG_DESCRIPTION = 'x'.repeat(DEFAULT_CHANNEL_GROUP_DESCRIPTION_LENGTH_MAX + 1);

test.each([
  { params: { name: ' ' }, msg: "Invalid default channel group name ''" },
  {
    params: { name: LONG_NAME },
    msg: `Default channel group name too long (limit: ${DEFAULT_CHANNEL_GROUP_NAME_LENGTH_MAX} characters)`,
  },
  { params: { name: 'a\0b' }, msg: 'Invalid character in default channel group name.' },
  { params: { name: 'Taken' }, msg: "Default channel group 'Taken' already exists" },
  {
    params: { description: LONG_DESCRIPTION },
    msg: `description is too long (limit: ${DEFAULT_CHANNEL_GROUP_DESCRIPTION_LENGTH_MAX} characters)`,
  },
  { params: { description: 'a\0b' }, msg: 'description must not contain null bytes' },
])('is refused, made or changed, and nothing happens: $msg', async ({ params, msg }) => {
  const server = await startServer({ channels: CHANNELS });
  await create(server, { group_name: 'Taken' });
  await create(server, {});
  const queue = await server.register(server.people.mel);
  const { name = 'New', description = '' } = params;
  refused(await create(server, { group_name: name, description }), msg);
  const changed = {
    ...(params.name === undefined ? {} : { new_group_name: name }),
    ...(params.description === undefined ? {} : { new_description: description }),
  };
  refused(await update(server, 2, changed), msg);
  expect(await queue.now()).toEqual([]);
});

test('what is missing, unknown or not for the user is refused', async () => {
  const server = await startServer({ channels: CHANNELS });
  await create(server, {});
  refused(await update(server, 1, {}), 'You must pass "new_description" or "new_group_name".');
  refused(
    await update(server, 9, { new_group_name: 'x' }),
    "Default channel group with id '9' does not exist.",
  );
  refused(await update(server, 'x', {}), 'group_id is not an integer');
  for (const name of ['group_name', 'stream_names']) {
    const { body } = await create(server, { [name]: undefined });
    expect(body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: name });
  }
  const { status, body } = await create(server, {}, 'mia');
  expect([status, body.code]).toEqual([400, 'UNAUTHORIZED_PRINCIPAL']);
});

test('at the bounds a group is made, and beyond them none', async () => {
  const server = await startServer({ channels: CHANNELS });
  succeeded(
    await create(server, {
      group_name: '😀'.repeat(DEFAULT_CHANNEL_GROUP_NAME_LENGTH_MAX),
      description: '😀'.repeat(DEFAULT_CHANNEL_GROUP_DESCRIPTION_LENGTH_MAX),
      stream_names: Array.from({ length: CHANNELS_PER_REQUEST_MAX }, () => 'tea'),
    }),
  );
  const tooMany = Array.from({ length: CHANNELS_PER_REQUEST_MAX + 1 }, () => 'tea');
  const msg = `A group has at most ${CHANNELS_PER_REQUEST_MAX} channels.`;
  refused(await create(server, { group_name: 'New', stream_names: tooMany }), msg);
  refused(await change(server, 'add', tooMany), msg);
  await server.perform((tx) => {
    for (let id = 2; id < DEFAULT_CHANNEL_GROUPS_MAX; id++) {
      tx.defaultChannelGroups.put([id + 1_000], {
        name: `group ${id}`,
        description: '',
        channelIds:
          id === 2 ? Array.from({ length: CHANNELS_PER_REQUEST_MAX }, (_, n) => 10 + n) : [],
      });
    }
  });
  refused(await change(server, 'add', ['tea'], 1_002), msg);
  succeeded(await create(server, { group_name: 'Last' }));
  refused(
    await create(server, { group_name: 'One more' }),
    `An organization has at most ${DEFAULT_CHANNEL_GROUPS_MAX} groups of default channels.`,
  );
});
