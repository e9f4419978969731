import { expect, test } from 'vitest';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { addField, EDITORS, FIELD } from '../../support/people/profile-fields.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const ok = { result: 'success', msg: '' };

/** One field of each type; their ids are 1 to 8. */
async function addAll(server: TestServer) {
  for (let field_type = 1; field_type <= 8; field_type += 1) {
    const field_data =
      field_type === 3 ? EDITORS : field_type === 7 ? { subtype: 'github' } : undefined;
    const field = { name: `Field ${field_type}`, field_type, field_data };
    await server.post(server.people.ada, '/realm/profile_fields', field);
  }
}

const PROFILE = [
  { id: 1, value: ' **bold** ' },
  { id: 2, value: 'long' },
  { id: 3, value: 'vim' },
  { id: 4, value: '2024-02-29' },
  { id: 5, value: 'https://example.com/a?b' },
  { id: 6, value: [5, 1] },
  { id: 7, value: 'mel' },
  { id: 8, value: 'she/her' },
];

test('a profile is filled in, told to everyone, and read', async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  await addAll(server);
  const queue = await server.register(gus, { event_types: ['realm_user'] });
  const reply = await server.patch(mel, '/users/me/profile_data', { data: PROFILE });
  expect(reply.body).toEqual(ok);
  const rendered_value = '<p><strong>bold</strong></p>';
  const profile_data = {
    1: { value: '**bold**', rendered_value },
    2: { value: 'long', rendered_value: '<p>long</p>' },
    3: { value: 'vim' },
    4: { value: '2024-02-29' },
    5: { value: 'https://example.com/a?b' },
    6: { value: '[5,1]' },
    7: { value: 'mel' },
    8: { value: 'she/her' },
  };
  expect((await queue.now()).map(({ id, ...event }) => event)).toEqual(
    Object.entries(profile_data).map(([id, field]) => ({
      type: 'realm_user',
      op: 'update',
      person: { user_id: mel.id, custom_profile_field: { id: Number(id), ...field } },
    })),
  );
  const params = { include_custom_profile_fields: true };
  const one = (await server.get(gus, '/users/mel@example.com', params)).body.user;
  expect(one.profile_data).toEqual(profile_data);
  const { members } = (await server.get(gus, '/users', params)).body;
  expect(members[mel.id - 1].profile_data).toEqual(profile_data);
  expect(members[0].profile_data).toEqual({});
  const { state } = await server.register(gus);
  expect(state.realm_users[mel.id - 1].profile_data).toEqual(profile_data);

  const again = await server.patch(mel, '/users/me/profile_data', { data: PROFILE });
  expect(again.body).toEqual(ok);
  const gone = await server.delete(mel, '/users/me/profile_data', { data: [1, 3] });
  expect(gone.body).toEqual(ok);
  const emptied = [
    { id: 2, value: '' },
    { id: 4, value: null },
    { id: 6, value: [] },
    { id: 1, value: null },
    { id: 8, value: ' \n ' },
  ];
  await server.patch(mel, '/users/me/profile_data', { data: emptied });
  expect((await queue.now()).map(({ person }) => person.custom_profile_field)).toEqual(
    [1, 3, 2, 4, 6, 8].map((id) => ({ id, value: null })),
  );
});

test.each<{ data: unknown; msg: string }>([
  { data: [{ id: 1, value: 'x'.repeat(51) }], msg: 'Field 1 is too long (limit: 50 characters)' },
  { data: [{ id: 1, value: [1] }], msg: 'Field 1 is not a string' },
  { data: [{ id: 1, value: 'a\0b' }], msg: 'Field 1 has an invalid character' },
  { data: [{ id: 5, value: 'https://a.example/\0' }], msg: 'Field 5 has an invalid character' },
  { data: [{ id: 2, value: 'x'.repeat(501) }], msg: 'Field 2 is too long (limit: 500 characters)' },
  { data: [{ id: 3, value: 'ed' }], msg: "'ed' is not a valid choice for 'Field 3'." },
  { data: [{ id: 3, value: 'toString' }], msg: "'toString' is not a valid choice for 'Field 3'." },
  { data: [{ id: 4, value: '2023-02-29' }], msg: 'Field 4 is not a date' },
  { data: [{ id: 4, value: 'today' }], msg: 'Field 4 is not a date' },
  { data: [{ id: 5, value: 'javascript:alert(1)' }], msg: 'Field 5 is not a URL' },
  { data: [{ id: 6, value: 'mel' }], msg: 'Field 6 is not a list of user IDs' },
  { data: [{ id: 6, value: [99] }], msg: 'Invalid user ID: 99' },
  { data: [{ id: 6, value: [7] }], msg: 'Invalid user ID: 7' },
  { data: [{ id: 7, value: 'x'.repeat(51) }], msg: 'GitHub username is too long' },
  { data: [{ id: 9, value: 'x' }], msg: 'Field id 9 not found.' },
  { data: [{ id: 'x', value: 'x' }], msg: 'data[0]["id"] is not an integer' },
  { data: [{ id: 1 }], msg: 'data[0]["value"] is no value of a field' },
  { data: {}, msg: 'data is not a list' },
])('no value is taken: $msg', async ({ data, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  await addAll(server);
  const good = Array.isArray(data) ? [{ id: 8, value: 'they' }, ...data] : data;
  const { status, body } = await server.patch(mel, '/users/me/profile_data', { data: good });
  expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
  expect(body.msg).toContain(msg.replace('data[0]', 'data[1]'));
  const { user } = (await server.get(mel, '/users/4', { include_custom_profile_fields: true }))
    .body;
  expect(user.profile_data).toEqual({});
});

test('fields that are not for their owners are for administrators', async () => {
  const server = await startServer();
  const { mel, ada } = server.people;
  await addField(server, { ...FIELD, editable_by_user: false });
  const data = [{ id: 1, value: 'x' }];
  const msg = 'You are not allowed to change this field. Contact an administrator to update it.';
  expect((await server.patch(mel, '/users/me/profile_data', { data })).body.msg).toBe(msg);
  expect((await server.delete(mel, '/users/me/profile_data', { data: [1] })).body.msg).toBe(msg);
  expect((await server.patch(ada, '/users/me/profile_data', { data })).body).toEqual(ok);
  expect((await server.delete(ada, '/users/me/profile_data', { data: [9] })).body.msg).toBe(
    'Field id 9 not found.',
  );
  const bots = await server.patch(server.people.bot, '/users/me/profile_data', { data });
  expect(bots.body.msg).toBe('This endpoint does not accept bot requests.');
});

test('a snapshot and the events of profiles give what a fresh register gives', async () => {
  const server = await startServer();
  const { mel, ada, gus } = server.people;
  await addAll(server);
  await server.patch(mel, '/users/me/profile_data', { data: PROFILE });
  await expectExactAfter(server, async () => {
    await server.patch(gus, '/users/me/profile_data', { data: PROFILE });
    await server.delete(mel, '/users/me/profile_data', { data: [1] });
    const field_data = { nano: EDITORS.nano };
    await server.patch(ada, '/realm/profile_fields/3', { field_data });
    await server.delete(ada, '/realm/profile_fields/5');
    await addField(server, FIELD);
    await server.patch(ada, '/realm/profile_fields', { order: [9, 8, 7, 6, 4, 3, 2, 1] });
  });
});
