import { expect, test } from 'vitest';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { OLDER, report, SIMPLE, START } from '../../support/people/presences.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const SLIM = { event_types: ['presence'], slim_presence: true };

test('a first report is told to everyone, in the form that each client knows', async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  const [older, slim, simple] = await Promise.all(
    [OLDER, SLIM, SIMPLE].map((options) => server.register(gus, options)),
  );
  await server.advance(5_000);
  await report(server, mel);
  const at = START + 5;
  const website = { client: 'website', status: 'active', timestamp: at, pushable: false };
  const event = {
    type: 'presence',
    user_id: mel.id,
    server_timestamp: at,
    presence: { website },
  };
  const eventsOf = async (queue: typeof older) =>
    (await queue?.now())?.map(({ id, ...rest }) => rest);
  expect(await eventsOf(older)).toEqual([{ ...event, email: mel.email }]);
  expect(await eventsOf(slim)).toEqual([event]);
  expect(await eventsOf(simple)).toEqual([
    {
      type: 'presence',
      presences: { [mel.id]: { active_timestamp: at, idle_timestamp: at } },
    },
  ]);
});

test('ordinary refreshes tell nobody and grow no log; coming back after 130 s does', async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  const queue = await server.register(gus, { ...SIMPLE, queue_lifespan_secs: 3_600 });
  const head = await server.perform((tx) => tx.head());
  await report(server, mel, { status: 'idle' });
  await report(server, mel);
  for (let minute = 0; minute < 3; minute += 1) {
    await server.advance(60_000);
    await report(server, mel);
  }
  await server.advance(130_000);
  await report(server, mel);
  await server.advance(300_000);
  await report(server, mel, { status: 'idle' });
  await report(server, mel);
  const ids = (await queue.now()).map(({ presences }) => presences[mel.id]);
  expect(ids.map((presence) => presence.active_timestamp - START)).toEqual([
    // A user who was never active counts from when the account was made.
    0,
    0,
    3 * 60 + 130 + 300,
  ]);
  expect(await server.perform((tx) => tx.head())).toBe(head + 3);
});

test('what is new since an update is returned, and nothing else', async () => {
  const server = await startServer();
  const { mel, max, ada } = server.people;
  const first = await report(server, mel, { last_update_id: -1 });
  const melsFirst = { active_timestamp: START, idle_timestamp: START };
  expect(first.body).toEqual({
    result: 'success',
    msg: '',
    presence_last_update_id: 1,
    server_timestamp: START,
    presences: { [mel.id]: melsFirst },
    zephyr_mirror_active: false,
  });
  const second = await report(server, max, { last_update_id: 1, status: 'idle' });
  expect(second.body).toMatchObject({ presence_last_update_id: 2 });
  // A user who was never at the device has the time at which the account was made.
  expect(second.body.presences).toEqual({
    [max.id]: { active_timestamp: START, idle_timestamp: START },
  });
  await report(server, ada, { ping_only: true });
  const third = await report(server, mel, { last_update_id: 3 });
  expect(third.body).toMatchObject({ presence_last_update_id: 3, presences: {} });
  await server.advance(56_000);
  const fourth = await report(server, max, { last_update_id: 3 });
  expect(fourth.body).toMatchObject({
    presence_last_update_id: 4,
    presences: { [max.id]: { active_timestamp: START + 56, idle_timestamp: START + 56 } },
  });
  const all = await report(server, max, { last_update_id: 0 });
  expect(Object.keys(all.body.presences)).toEqual([ada.id, mel.id, max.id].map(String));
  // A client that names an update of the future is answered with the same number.
  const future = await report(server, max, { last_update_id: 1_000 });
  expect(future.body).toMatchObject({ presence_last_update_id: 1_000, presences: {} });
});

test('without an update id the form is the legacy one, or by id on request', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await report(server, mel);
  await server.advance(71_000);
  await report(server, mel, { status: 'idle' });
  const active = { client: 'website', status: 'active', timestamp: START + 71 };
  const idle = { client: 'website', status: 'idle', timestamp: START + 71 };
  const { body } = await report(server, max);
  expect(body.presences).toEqual({
    [mel.email]: { aggregated: idle, website: { ...idle, pushable: false } },
    [max.email]: { aggregated: active, website: { ...active, pushable: false } },
  });
  expect(body.presence_last_update_id).toBe(3);
  const slim = await report(server, max, { slim_presence: true });
  expect(slim.body.presences).toEqual({
    [mel.id]: { active_timestamp: START, idle_timestamp: START + 71 },
    [max.id]: { active_timestamp: START + 71, idle_timestamp: START + 71 },
  });
  expect((await server.get(max, '/realm/presence')).body).toEqual({
    result: 'success',
    msg: '',
    server_timestamp: START + 71,
    presences: body.presences,
  });
});

test('70 s after being active somebody still is, in the legacy form', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await report(server, mel);
  await server.advance(70_000);
  const { body } = await report(server, mel, { status: 'idle' });
  expect(body.presences[mel.email].aggregated).toEqual({
    client: 'website',
    status: 'active',
    timestamp: START,
  });
});

test('a ping alone returns no presences', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { body } = await report(server, mel, { ping_only: true, new_user_input: true });
  const rest = { result: 'success', msg: '', zephyr_mirror_active: false };
  expect(body).toEqual({ ...rest, presence_last_update_id: -1 });
  const known = await report(server, mel, { ping_only: true, last_update_id: 7 });
  expect(known.body).toEqual({ ...rest, presence_last_update_id: 7 });
});

test('presences older than the history are left out, but not of what is new', async () => {
  const server = await startServer();
  const { mel, max, ada } = server.people;
  await report(server, mel);
  await report(server, ada);
  await moveBack(server, mel.id, 14 * 86_400 + 1);
  await moveBack(server, ada.id, 14 * 86_400);
  const seen = async (params: Params) =>
    Object.keys((await report(server, max, { slim_presence: true, ...params })).body.presences);
  const [ona, melsId, maxs] = [ada.id, mel.id, max.id].map(String);
  expect(await seen({})).toEqual([ona, maxs]);
  expect(await seen({ history_limit_days: 15 })).toEqual([ona, melsId, maxs]);
  expect(await seen({ history_limit_days: 0 })).toEqual([]);
  expect(await seen({ last_update_id: -1, history_limit_days: 15 })).toEqual([ona, melsId, maxs]);
  expect(await seen({ last_update_id: 2, history_limit_days: 0 })).toEqual(
    [melsId, maxs, ona].sort(),
  );
  const days = async (presence_history_limit_days?: number) =>
    Object.keys(
      (await server.register(max, { slim_presence: true, presence_history_limit_days })).state
        .presences,
    );
  expect(await days()).toEqual([ona, maxs]);
  expect(await days(20)).toEqual([ona, melsId, maxs]);
  expect(await days(0)).toEqual([]);
});

test('a snapshot has the presences in the form that its client knows', async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  await report(server, mel);
  const types = { fetch_event_types: ['presence'] };
  const older = await server.register(gus, types);
  const active = { client: 'website', status: 'active', timestamp: START };
  expect(older.state).toMatchObject({ presence_last_update_id: 1, server_timestamp: START });
  expect(older.state.presences).toEqual({
    [mel.email]: { aggregated: active, website: { ...active, pushable: false } },
  });
  const byId = { [mel.id]: { active_timestamp: START, idle_timestamp: START } };
  expect((await server.register(gus, { ...types, ...SIMPLE })).state.presences).toEqual(byId);
  expect((await server.register(gus, { ...types, slim_presence: true })).state.presences).toEqual(
    byId,
  );
});

test.each([
  MODERN,
  { ...MODERN, client_capabilities: undefined },
  { ...MODERN, slim_presence: true },
])(
  'a snapshot and the events of those who come online give what a fresh register gives: %j',
  async (options) => {
    const server = await startServer();
    const { ada, mel, gus, max, mia } = server.people;
    const isSlim = 'slim_presence' in options && options.client_capabilities !== undefined;
    const people = isSlim ? [ada, mel, gus] : [ada, mel, gus, max, mia];
    await expectExactAfter(
      server,
      async () => {
        for (const person of people) await report(server, person);
        await server.patch(mel, '/settings', { presence_enabled: false });
      },
      { options },
    );
  },
);

test('what is new is found at once among ten thousand', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await server.perform((tx) => {
    for (let id = 1; id <= 10_000; id += 1) {
      const updateId = tx.nextId('presence');
      const heard = { activeAt: START, connectedAt: START };
      tx.presences.put([updateId], { ...heard, userId: 100_000 + id });
    }
  });
  await report(server, mel);
  const { body } = await report(server, max, { last_update_id: 10_000 });
  expect(Object.keys(body.presences)).toEqual([mel.id, max.id].map(String));
});

function moveBack(server: TestServer, userId: number, seconds: number) {
  return server.perform((tx) => {
    const { updateId } = tx.userPresences.get([userId]) ?? expect.fail('there is one');
    const at = START - seconds;
    const next = tx.nextId('presence');
    tx.presences.remove([updateId]);
    tx.presences.put([next], { userId, activeAt: at, connectedAt: at });
    tx.userPresences.put([userId], { updateId: next });
  });
}
