import { State } from '@confab/client/store';
import { expect, test } from 'vitest';
import {
  accountUrl,
  askForAddress,
  deactivateOwn,
  ownFields,
  peopleIn,
  pictureFault,
  pictureRights,
  removePicture,
  setAddress,
  setField,
  setPicture,
  timeZones,
} from '../../../../web/app/store/account/profile.ts';
import { openAccount, snapshot } from '../later/snapshot.ts';

const field = (id: number, type: number, more: object = {}) => ({
  id,
  type,
  name: `field ${id}`,
  hint: '',
  field_data: '',
  order: id,
  required: false,
  editable_by_user: true,
  ...more,
});

const OPTIONS = JSON.stringify({
  b: { text: 'Tea', order: '2' },
  a: { text: 'Coffee', order: '1' },
});

const FIELDS = [
  field(2, 3, { field_data: OPTIONS, order: 9 }),
  field(1, 1, { editable_by_user: false }),
  field(3, 7, { field_data: '{"subtype":"github"}' }),
  field(4, 7, {
    field_data: '{"subtype":"custom","url_pattern":"https://x.org/%(username)s"}',
  }),
  field(5, 3, { field_data: '{' }),
];

const withFields = (more: object = {}) => {
  const facts = {
    custom_profile_fields: FIELDS,
    realm_default_external_accounts: {
      github: { url_pattern: 'https://code.example/%(username)s' },
    },
    ...more,
  };
  const { realm_users: users = [], ...rest } = snapshot(facts);
  return new State({
    ...rest,
    realm_users: users.map((user) =>
      user.user_id === 4 ? { ...user, profile_data: { 4: { value: 'a b' } } } : user,
    ),
  });
};

test('fields stand in their order, with options in theirs; damaged ones have none', () => {
  const fields = ownFields(withFields());
  expect(fields.map(({ id }) => id)).toEqual([1, 3, 4, 5, 2]);
  expect(fields.at(-1)?.options).toEqual([
    ['a', 'Coffee'],
    ['b', 'Tea'],
  ]);
  expect(fields[3]?.options).toEqual([]);
});

test('only administrators change fields that people do not say themselves', () => {
  expect(ownFields(withFields())[0]?.isEditable).toBe(false);
  expect(ownFields(withFields({ is_admin: true }))[0]?.isEditable).toBe(true);
});

test('an account elsewhere leads to its address, which the name cannot change', () => {
  const [, known, own] = ownFields(withFields());
  if (known === undefined || own === undefined) throw new Error('There are five');
  expect(accountUrl(known)).toBeNull();
  expect(accountUrl({ ...known, value: 'mel' })).toBe('https://code.example/mel');
  expect(accountUrl(own)).toBe('https://x.org/a%20b');
});

test.each([
  ['', []],
  ['[2,5]', [2, 5]],
  ['no list', []],
  ['{"a":1}', []],
])('the people of “%s”', (value, ids) => {
  expect(peopleIn({ value })).toEqual(ids);
});

test('a value is set, and taken away where it is empty', async () => {
  const requests = openAccount();
  await setField(1, 'x');
  await setField(2, [2, 5]);
  await setField(3, '');
  expect(requests.map(({ method, params }) => [method, params])).toEqual([
    ['PATCH', { data: [{ id: 1, value: 'x' }] }],
    ['PATCH', { data: [{ id: 2, value: [2, 5] }] }],
    ['DELETE', { data: [3] }],
  ]);
});

test('a picture is looked at before it is sent', () => {
  const file = (type: string, size: number) => ({ type, size });
  expect(pictureFault(file('image/png', 5 * 1024 * 1024), 5)).toBeNull();
  expect(pictureFault(file('image/png', 5 * 1024 * 1024 + 1), 5)).toBe(
    'A picture has at most 5 MiB.',
  );
  expect(pictureFault(file('text/plain', 1), 5)).toBe('This is no picture.');
});

test('who may not change pictures is told so', () => {
  const rights = (more: object) => pictureRights(new State(snapshot(more)));
  expect(rights({ max_avatar_file_size_mib: 7, avatar_source: 'U' })).toEqual({
    mayChange: true,
    isUploaded: true,
    mibMax: 7,
  });
  expect(rights({ realm_avatar_changes_disabled: true }).mayChange).toBe(false);
  expect(rights({ realm_avatar_changes_disabled: true, is_admin: true }).mayChange).toBe(true);
  expect(rights({ server_avatar_changes_disabled: true, is_admin: true }).mayChange).toBe(false);
});

test('pictures, addresses and the end of the account are one request each', async () => {
  const requests = openAccount();
  await setPicture(new Blob(['x']), 'x.png');
  await removePicture();
  await askForAddress(' new@x.org ');
  await setAddress('new@x.org');
  await deactivateOwn();
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /users/me/avatar',
    'DELETE /users/me/avatar',
    'PATCH /settings',
    'PATCH /users/{user_id_or_email}',
    'DELETE /users/me',
  ]);
  expect(requests[2]?.params).toEqual({ email: 'new@x.org' });
  expect(requests[3]?.params).toEqual({ user_id_or_email: '4', new_email: 'new@x.org' });
});

test('a time zone that the browser does not know is listed, and none only while none is said', () => {
  expect(timeZones('')[0]).toEqual(['', 'Not said']);
  expect(timeZones('Europe/Berlin').some(([zone]) => zone === '')).toBe(false);
  expect(timeZones('Mars/Base_1')[0]).toEqual(['Mars/Base_1', 'Mars/Base 1']);
});
