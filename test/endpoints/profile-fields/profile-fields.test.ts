import { expect, test } from 'vitest';
import type { Params } from '../../support/client.ts';
import { addField, EDITORS, FIELD } from '../../support/people/profile-fields.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const ok = { result: 'success', msg: '' };

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
  expect(await addField(server, { name: ' Phone ', hint: 'With +', field_type: 1 })).toEqual({
    ...ok,
    id: 1,
  });
  const second = await addField(server, {
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
  await addField(server, params);
  expect(await fieldsOf(server)).toMatchObject([
    { name: 'GitHub username', hint: '', field_data: '{"subtype":"github"}' },
  ]);
  const reply = await server.patch(server.people.ada, '/realm/profile_fields/1', { name: 'z' });
  expect(reply.body).toMatchObject({ msg: 'Default custom field cannot be updated.' });
  const other = { subtype: 'custom', url_pattern: 'https://x.example/%(username)s' };
  expect(await addField(server, { name: 'x', field_type: 7, field_data: other })).toEqual({
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
    const { id } = (await addField(server, name === undefined ? params : { ...params, name })) as {
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
  expect(await addField(server, field)).toMatchObject({
    code: 'REQUEST_VARIABLE_MISSING',
    var_name: 'name',
  });
  expect(await addField(server, { ...field, name: ' ' })).toMatchObject({
    code: 'BAD_REQUEST',
    msg: 'Label cannot be blank.',
  });
  expect(await fieldsOf(server)).toEqual([]);
});

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
  await addField(server, { name: 'First', field_type: 1 });
  const body = await addField(server, params);
  expect(body.code).toBe(code);
  expect(body.msg).toContain(msg);
  expect(await fieldsOf(server)).toHaveLength(1);
});

test('two fields at most are in the summary', async () => {
  const server = await startServer();
  const shown = { field_type: 1, display_in_profile_summary: true };
  await addField(server, { ...shown, name: 'One' });
  expect(await addField(server, { ...shown, name: 'Two' })).toMatchObject(ok);
  expect((await addField(server, { ...shown, name: 'Three' })).msg).toBe(
    'Only 2 custom profile fields can be displayed in the profile summary.',
  );
});

test('fifty fields are enough', async () => {
  const server = await startServer();
  for (let count = 1; count <= 50; count += 1) {
    expect(await addField(server, { name: `Field ${count}`, field_type: 1 })).toMatchObject(ok);
  }
  expect((await addField(server, FIELD)).msg).toBe('There are 50 custom profile fields already.');
});

test('only administrators have a say, and only of fields that are', async () => {
  const server = await startServer();
  const { mia, ada } = server.people;
  await addField(server, FIELD);
  const msg = 'Must be an organization administrator';
  expect((await addField(server, FIELD, 'mia')).msg).toBe(msg);
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
