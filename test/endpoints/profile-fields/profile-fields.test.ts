import { expect, test } from 'vitest';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };
const EDITORS = { vim: { text: 'Vim', order: '1' }, nano: { text: 'Nano', order: '2' } };

const add = async (server: TestServer, params: Params, as: PersonName = 'ada') =>
  (await server.post(server.people[as], '/realm/profile_fields', params)).body;

const fieldsOf = async ({ get, people }: TestServer) =>
  (await get(people.gus, '/realm/profile_fields')).body.custom_fields;

test('an administrator adds, changes, orders and removes fields, and everyone hears of all of them', async () => {
  const server = await startServer();
  const { ada, gus } = server.people;
  const queue = await server.register(gus, { event_types: ['custom_profile_fields'] });
  const phone = {
    id: 1,
    type: 1,
    name: 'Phone',
    hint: 'With +',
    field_data: '',
    order: 1,
    required: false,
    editable_by_user: true,
  };
  const editor = {
    id: 2,
    type: 3,
    name: 'Editor',
    hint: '',
    field_data: JSON.stringify(EDITORS),
    order: 2,
    required: true,
    editable_by_user: false,
    display_in_profile_summary: true,
  };
  expect(await add(server, { name: ' Phone ', hint: 'With +', field_type: 1 })).toEqual({
    ...ok,
    id: 1,
  });
  const second = await add(server, {
    name: 'Editor',
    field_type: 3,
    field_data: EDITORS,
    required: true,
    editable_by_user: false,
    display_in_profile_summary: true,
  });
  expect(second).toEqual({ ...ok, id: 2 });
  const order = await server.patch(ada, '/realm/profile_fields', { order: [2, 1] });
  expect(order.body).toEqual(ok);
  const change = { name: 'Mobile', display_in_profile_summary: true };
  expect((await server.patch(ada, '/realm/profile_fields/1', change)).body).toEqual(ok);
  expect((await server.patch(ada, '/realm/profile_fields/1', change)).body).toEqual(ok);
  expect((await server.delete(ada, '/realm/profile_fields/2')).body).toEqual(ok);
  const mobile = { ...phone, name: 'Mobile', order: 2, display_in_profile_summary: true };
  const lists = [
    [phone],
    [phone, editor],
    [
      { ...editor, order: 1 },
      { ...phone, order: 2 },
    ],
    [{ ...editor, order: 1 }, mobile],
    [mobile],
  ];
  expect((await queue.now()).map(({ id, ...event }) => event)).toEqual(
    lists.map((fields) => ({ type: 'custom_profile_fields', fields })),
  );
  expect(await fieldsOf(server)).toEqual([mobile]);
  const { state } = await server.register(gus, { fetch_event_types: ['custom_profile_fields'] });
  expect(state.custom_profile_fields).toEqual([mobile]);
});

test('an account that the service knows has the name that it has everywhere', async () => {
  const server = await startServer();
  const params = { name: 'x', hint: 'y', field_type: 7, field_data: { subtype: 'github' } };
  await add(server, params);
  expect(await fieldsOf(server)).toMatchObject([
    { name: 'GitHub username', hint: '', field_data: '{"subtype":"github"}' },
  ]);
  const reply = await server.patch(server.people.ada, '/realm/profile_fields/1', { name: 'z' });
  expect(reply.body).toMatchObject({ msg: 'Default custom field cannot be updated.' });
  const other = { subtype: 'custom', url_pattern: 'https://x.example/%(username)s' };
  expect(await add(server, { name: 'x', field_type: 7, field_data: other })).toEqual({
    ...ok,
    id: 2,
  });
});

test.each([
  { subtype: 'github', wanted: 'GitHub username' },
  { subtype: 'twitter', wanted: 'Twitter username' },
])('a field of a known account needs no name: $subtype', async ({ subtype, wanted }) => {
  const server = await startServer();
  for (const name of [undefined, '', ' ']) {
    const params = { field_type: 7, field_data: { subtype } };
    const { id } = (await add(server, name === undefined ? params : { ...params, name })) as {
      id: number;
    };
    expect(await fieldsOf(server)).toMatchObject([{ id, name: wanted, type: 7 }]);
    await server.delete(server.people.ada, `/realm/profile_fields/${id}`);
  }
});

test.each([
  { why: 'another kind of field', field: { field_type: 1 } },
  {
    why: 'an account that the service does not know',
    field: {
      field_type: 7,
      field_data: { subtype: 'custom', url_pattern: 'https://x.example/%(username)s' },
    },
  },
])('$why needs a name', async ({ field }) => {
  const server = await startServer();
  expect(await add(server, field)).toMatchObject({
    code: 'REQUEST_VARIABLE_MISSING',
    var_name: 'name',
  });
  expect(await add(server, { ...field, name: ' ' })).toMatchObject({
    code: 'BAD_REQUEST',
    msg: 'Label cannot be blank.',
  });
  expect(await fieldsOf(server)).toEqual([]);
});

const FIELD = { name: 'Field', field_type: 1 };

test.each<{ why: string; params: Params; msg: string; code?: string }>([
  { why: 'no name', params: { field_type: 1 }, code: 'REQUEST_VARIABLE_MISSING', msg: "'name'" },
  { why: 'a blank name', params: { ...FIELD, name: ' ' }, msg: 'Label cannot be blank.' },
  { why: 'a long name', params: { ...FIELD, name: 'x'.repeat(41) }, msg: 'name is too long' },
  { why: 'a long hint', params: { ...FIELD, hint: 'x'.repeat(81) }, msg: 'hint is too long' },
  { why: 'a name taken', params: { ...FIELD, name: 'First' }, msg: 'already exists' },
  {
    why: 'no type',
    params: { name: 'Field' },
    code: 'REQUEST_VARIABLE_MISSING',
    msg: "'field_type'",
  },
  { why: 'a type too low', params: { ...FIELD, field_type: 0 }, msg: 'Invalid field type.' },
  { why: 'a type too high', params: { ...FIELD, field_type: 9 }, msg: 'Invalid field type.' },
  { why: 'data that is no object', params: { ...FIELD, field_data: [] }, msg: 'field_data' },
  {
    why: 'no options',
    params: { ...FIELD, field_type: 3 },
    msg: 'Field must have at least one choice.',
  },
  {
    why: 'an option twice',
    params: { ...FIELD, field_type: 3, field_data: { ...EDITORS, vi: EDITORS.vim } },
    msg: 'Field must not have duplicate choices.',
  },
  {
    why: 'an option without a text',
    params: { ...FIELD, field_type: 3, field_data: { a: { order: '1' } } },
    msg: 'field_data has an option without a text',
  },
  {
    why: 'an option with a blank text',
    params: { ...FIELD, field_type: 3, field_data: { a: { text: ' ', order: '1' } } },
    msg: 'field_data has an option without a text',
  },
  {
    why: 'an option without an order',
    params: { ...FIELD, field_type: 3, field_data: { a: { text: 'A' } } },
    msg: 'field_data has an option without an order',
  },
  {
    why: 'an option that is a text',
    params: { ...FIELD, field_type: 3, field_data: { a: 'A' } },
    msg: 'field_data has an option that is not a dict',
  },
  {
    why: 'an option with nothing for a key',
    params: { ...FIELD, field_type: 3, field_data: { '': EDITORS.vim } },
    msg: 'field_data has an option whose key is none',
  },
  {
    why: 'an option that cannot be shown',
    params: { ...FIELD, field_type: 3, field_data: { a: { text: 'A\0', order: '1' } } },
    msg: 'field_data has an option with an invalid character',
  },
  {
    why: 'a name that cannot be shown',
    params: { ...FIELD, name: 'a\0b' },
    msg: 'name has an invalid character',
  },
  {
    why: 'a hint that cannot be shown',
    params: { ...FIELD, hint: 'a\0b' },
    msg: 'hint has an invalid character',
  },
  {
    why: 'an unknown external account',
    params: { ...FIELD, field_type: 7, field_data: { subtype: 'nowhere' } },
    msg: 'Invalid external account type',
  },
  {
    why: 'a pattern without a name in it',
    params: {
      ...FIELD,
      field_type: 7,
      field_data: { subtype: 'custom', url_pattern: 'https://x.example/' },
    },
    msg: "URL pattern must contain '%(username)s'.",
  },
  {
    why: 'a long text in the summary',
    params: { ...FIELD, field_type: 2, display_in_profile_summary: true },
    msg: 'Field type not supported for display in profile summary.',
  },
  {
    why: 'required is no boolean',
    params: { ...FIELD, required: 'maybe' },
    msg: 'required is not a boolean',
  },
])('no field is added: $why', async ({ params, msg, code = 'BAD_REQUEST' }) => {
  const server = await startServer();
  await add(server, { name: 'First', field_type: 1 });
  const body = await add(server, params);
  expect(body.code).toBe(code);
  expect(body.msg).toContain(msg);
  expect(await fieldsOf(server)).toHaveLength(1);
});

test('two fields at most are in the summary', async () => {
  const server = await startServer();
  const shown = { field_type: 1, display_in_profile_summary: true };
  await add(server, { ...shown, name: 'One' });
  expect(await add(server, { ...shown, name: 'Two' })).toMatchObject(ok);
  expect((await add(server, { ...shown, name: 'Three' })).msg).toBe(
    'Only 2 custom profile fields can be displayed in the profile summary.',
  );
});

test('fifty fields are enough', async () => {
  const server = await startServer();
  for (let count = 1; count <= 50; count += 1) {
    expect(await add(server, { name: `Field ${count}`, field_type: 1 })).toMatchObject(ok);
  }
  expect((await add(server, FIELD)).msg).toBe('There are 50 custom profile fields already.');
});

test('only administrators have a say, and only of fields that are', async () => {
  const server = await startServer();
  const { mia, ada } = server.people;
  await add(server, FIELD);
  const msg = 'Must be an organization administrator';
  expect((await add(server, FIELD, 'mia')).msg).toBe(msg);
  expect((await server.patch(mia, '/realm/profile_fields/1', {})).body.msg).toBe(msg);
  expect((await server.patch(mia, '/realm/profile_fields', { order: [1] })).body.msg).toBe(msg);
  expect((await server.delete(mia, '/realm/profile_fields/1')).body.msg).toBe(msg);
  const unknown = { code: 'BAD_REQUEST', msg: 'Field id 9 not found.' };
  expect((await server.patch(ada, '/realm/profile_fields/9', {})).body).toMatchObject(unknown);
  expect((await server.delete(ada, '/realm/profile_fields/9')).body).toMatchObject(unknown);
  for (const order of [[], [1, 1], [2], [1, 2]]) {
    const { body } = await server.patch(ada, '/realm/profile_fields', { order });
    expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Invalid order mapping.' });
  }
});

/** One field of each type; their ids are 1 to 8. */
async function addAll(server: TestServer) {
  for (let field_type = 1; field_type <= 8; field_type += 1) {
    const field_data =
      field_type === 3 ? EDITORS : field_type === 7 ? { subtype: 'github' } : undefined;
    await add(server, { name: `Field ${field_type}`, field_type, field_data });
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
  await add(server, { ...FIELD, editable_by_user: false });
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
    await add(server, FIELD);
    await server.patch(ada, '/realm/profile_fields', { order: [9, 8, 7, 6, 4, 3, 2, 1] });
  });
});
