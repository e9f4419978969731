import { expect, test } from 'vitest';
import { USERS_LOOKED_UP_MAX } from '../../../src/domain/limits/accounts.ts';
import { NOTIFICATION_BOT } from '../../../src/domain/rules/people/system-bots.ts';
import { startServer } from '../../support/start-server.ts';

const idsOf = (body: { members: { user_id: number }[] }) =>
  body.members.map(({ user_id }) => user_id);

test('all accounts are listed, bots and deactivated ones included', async () => {
  const server = await startServer();
  const realm = server.app.realms.named('test') ?? expect.fail('there is a realm');
  await realm.perform((tx) => {
    const row = tx.users.get([5]) ?? expect.fail('max is there');
    tx.users.put([5], { ...row, isActive: false });
  });
  for (const person of [server.people.mel, server.people.gus, server.people.bot]) {
    const { body } = await server.get(person, '/users');
    expect(Object.keys(body)).toEqual(['result', 'msg', 'members']);
    expect(idsOf(body)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(body.members[4]).toMatchObject({ is_active: false, full_name: 'Max Member' });
    expect(body.members[6]).toMatchObject({ is_bot: true, bot_owner_id: 1 });
  }
});

test('what is listed of an account is what it is found with', async () => {
  const server = await startServer();
  for (const params of [
    {},
    { client_gravatar: false },
    { include_custom_profile_fields: true, client_gravatar: false },
  ]) {
    const { body } = await server.get(server.people.mel, '/users', params);
    for (const member of body.members) {
      const { body: found } = await server.get(
        server.people.mel,
        `/users/${member.user_id}`,
        params,
      );
      expect(member).toEqual(found.user);
    }
  }
});

test.each([
  { ids: [4], listed: [4] },
  { ids: [7, 2, 2, 7], listed: [2, 7] },
  { ids: [4, 999, -1, 0], listed: [4] },
  { ids: [], listed: [] },
  { ids: [4, NOTIFICATION_BOT.id], listed: [4] },
])('of the accounts $ids those that are there are listed', async ({ ids, listed }) => {
  const server = await startServer();
  const { body } = await server.get(server.people.mel, '/users', { user_ids: ids });
  expect(idsOf(body)).toEqual(listed);
});

test.each([USERS_LOOKED_UP_MAX, USERS_LOOKED_UP_MAX + 1])(
  'asking for %s ids gives what asking for each would',
  async (count) => {
    const server = await startServer();
    const ids = Array.from({ length: count }, (_, index) => index + 3);
    const { body } = await server.get(server.people.mel, '/users', { user_ids: ids });
    expect(idsOf(body)).toEqual([3, 4, 5, 6, 7]);
  },
);

test.each([
  { params: { user_ids: '4' }, msg: /^user_ids is not a list/ },
  { params: { user_ids: '[4,' }, msg: /^user_ids is not valid JSON/ },
  { params: { user_ids: ['mel'] }, msg: /^user_ids\[0\] is not an integer/ },
  { params: { user_ids: [1, 2.5] }, msg: /^user_ids\[1\] is not an integer/ },
  { params: { client_gravatar: 'yes' }, msg: /^client_gravatar is not a boolean/ },
])('$params is refused by the name of the parameter', async ({ params, msg }) => {
  const server = await startServer();
  expect(await server.get(server.people.mel, '/users', params)).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg: expect.stringMatching(msg) },
  });
});
