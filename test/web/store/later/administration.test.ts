import { State } from '@confab/client/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../../../src/domain/wire/settings/permission-settings.ts';
import { addEmoji, addedEmoji, emojiNameOf } from '../../../../web/app/store/organization/emoji.ts';
import { exportsOfRealm, outcomeOf } from '../../../../web/app/store/organization/exports.ts';
import {
  changeGroup,
  groupsIn,
  mayMakeGroups,
} from '../../../../web/app/store/organization/groups.ts';
import {
  announcementOptions,
  defaultChannels,
  setDefault,
  waitingWith,
} from '../../../../web/app/store/organization/joining.ts';
import { moveLinkifier } from '../../../../web/app/store/organization/links.ts';
import { moved } from '../../../../web/app/store/organization/ordering.ts';
import { setRealmPicture } from '../../../../web/app/store/organization/organization.ts';
import {
  PERMISSIONS,
  permissionIn,
  retentionWith,
  setLimit,
  setPermission,
  spansWith,
} from '../../../../web/app/store/organization/permissions.ts';
import {
  formOf,
  NEW_FIELD,
  optionsOf,
  type ProfileField,
  saveField,
} from '../../../../web/app/store/organization/profile-fields.ts';
import { openAccount, snapshot } from './snapshot.ts';

const group = (id: number, name: string, more: object = {}) => ({
  id,
  name,
  description: '',
  members: [],
  direct_subgroup_ids: [],
  is_system_group: name.startsWith('role:'),
  deactivated: false,
  can_manage_group: 20,
  can_join_group: 20,
  can_leave_group: 20,
  ...more,
});

const GROUPS = [
  group(10, 'role:everyone'),
  group(11, 'role:members', { members: [4] }),
  group(12, 'role:owners'),
  group(13, 'role:nobody'),
  group(20, 'cooks', { members: [2, 4], can_manage_group: 11 }),
  group(21, 'bakers', { members: [2], can_join_group: 11, direct_subgroup_ids: [20] }),
  group(22, 'gone', { deactivated: true }),
];

const state = (more: object = {}) =>
  new State(
    snapshot({
      realm_user_groups: GROUPS,
      server_supported_permission_settings: SERVER_SUPPORTED_PERMISSION_SETTINGS,
      ...more,
    }),
  );

const labelsOf = (options: readonly { readonly label: string }[]) =>
  options.map(({ label }) => label);
const wordsOf = (options: readonly (readonly [string, string])[]) => options.map(([, one]) => one);

test('a right may go to the groups that its rules allow, and to those that people made', () => {
  const { holders, options, mayBeSome } = permissionIn(
    state({ realm_can_add_custom_emoji_group: 11 }),
    'can_add_custom_emoji_group',
  );
  expect(holders).toBe(11);
  expect(mayBeSome).toBe(true);
  expect(labelsOf(options)).toEqual(['All members', 'Owners', 'Nobody', 'bakers', 'cooks']);
  const web = permissionIn(state(), 'can_create_web_public_channel_group');
  expect(labelsOf(web.options)).toEqual(['Owners', 'Nobody']);
  expect(web.mayBeSome).toBe(false);
});

test('people who were chosen one by one are known, and what is so is shown in any case', () => {
  const chosen = permissionIn(
    state({ realm_can_add_custom_emoji_group: { direct_members: [2], direct_subgroups: [20] } }),
    'can_add_custom_emoji_group',
  );
  expect(chosen.holders).toEqual({ direct_members: [2], direct_subgroups: [20] });
  const everyone = permissionIn(
    state({ realm_can_add_custom_emoji_group: 10 }),
    'can_add_custom_emoji_group',
  );
  expect(everyone.options[0]).toEqual({ id: 10, label: 'Everybody, guests too' });
});

test('the server knows each permission of the page', () => {
  const known = Object.keys(SERVER_SUPPORTED_PERMISSION_SETTINGS.realm);
  for (const { settings } of PERMISSIONS) {
    for (const { name } of settings) expect(known).toContain(name);
  }
});

test('a right and a limit are given by one request', async () => {
  const requests = openAccount();
  await setPermission('can_invite_users_group', 12, 11);
  const some = { direct_members: [2], direct_subgroups: [20] };
  await setPermission('can_invite_users_group', undefined, some);
  await setLimit('message_content_edit_limit_seconds', '600');
  await setLimit('message_content_edit_limit_seconds', 'unlimited');
  expect(requests.map(({ params }) => params)).toEqual([
    { can_invite_users_group: { new: 11, old: 12 } },
    { can_invite_users_group: { new: some } },
    { message_content_edit_limit_seconds: 600 },
    { message_content_edit_limit_seconds: 'unlimited' },
  ]);
});

test('a limit that is none of those offered is offered as well', () => {
  expect(spansWith(600).map(([value]) => value)).toEqual([
    ...['60', '600', '3600', '86400', '604800', 'unlimited'],
  ]);
  expect(spansWith(null)).toHaveLength(6);
  expect(spansWith(90)).toContainEqual(['90', '90 seconds']);
  expect(retentionWith(-1)).toHaveLength(5);
  expect(retentionWith(12)).toContainEqual(['12', '12 days']);
  expect(waitingWith(5)).toContainEqual(['5', '5 days']);
});

test('groups stand by name, with what one may do with them', () => {
  const [bakers, cooks, ...none] = groupsIn(state());
  expect(none).toEqual([]);
  expect(bakers).toMatchObject({ name: 'bakers', subgroups: ['cooks'], isMember: false });
  expect(bakers).toMatchObject({ mayManage: true, mayJoin: true, mayLeave: false });
  expect(cooks).toMatchObject({ isMember: true, mayManage: true, mayLeave: true, mayJoin: false });
  expect(mayMakeGroups(state({ realm_can_create_groups: 11 }))).toBe(true);
  expect(mayMakeGroups(state({ realm_can_create_groups: 12 }))).toBe(false);
});

test('of a group that is changed, only what differs is sent', async () => {
  const requests = openAccount();
  const [, cooks] = groupsIn(state());
  if (cooks === undefined) throw new Error('There are two');
  await changeGroup(cooks, { name: 'cooks', description: '', memberIds: [2, 4] });
  await changeGroup(cooks, { name: 'chefs', description: '', memberIds: [4, 5] });
  expect(requests.map(({ params }) => params)).toEqual([
    { user_group_id: 20, name: 'chefs' },
    { user_group_id: 20, add: [5], delete: [2] },
  ]);
});

test('newcomers may begin with channels that are open', async () => {
  const requests = openAccount();
  expect(defaultChannels(state({ realm_default_streams: [1] }))).toEqual([
    { id: 3, name: 'design', isDefault: false },
    { id: 1, name: 'general', isDefault: true },
    { id: 2, name: 'random', isDefault: false },
  ]);
  await setDefault(2, true);
  await setDefault(1, false);
  expect(requests.map(({ method, params }) => [method, params])).toEqual([
    ['POST', { stream_id: 2 }],
    ['DELETE', { stream_id: 1 }],
  ]);
  expect(wordsOf(announcementOptions(state(), 'moderation_request_channel_id'))).toEqual([
    'No channel',
  ]);
});

test('something moves by one step, and nothing else changes its order', () => {
  expect(moved([1, 2, 3], 2, 1)).toEqual([1, 3, 2]);
  expect(moved([1, 2, 3], 1, -1)).toBeNull();
  expect(moved([1, 2, 3], 9, 1)).toBeNull();
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50), { minLength: 2 }), fc.nat(), (ids, at) => {
      const id = ids[at % (ids.length - 1)] ?? 0;
      const next = moved(ids, id, 1) ?? [];
      expect(moved(next, id, -1)).toEqual(ids);
      expect(next.filter((one) => one !== id)).toEqual(ids.filter((one) => one !== id));
    }),
  );
});

test('linkifiers are put into an order that names all of them', async () => {
  const realm_linkifiers = [1, 2, 3].map((id) => ({ id, pattern: `${id}`, url_template: '' }));
  const requests = openAccount(() => ({}), { realm_linkifiers });
  await moveLinkifier(1, 1);
  await moveLinkifier(1, -1);
  expect(requests.map(({ params }) => params)).toEqual([{ ordered_linkifier_ids: [2, 1, 3] }]);
});

const field = (more: object): ProfileField => ({
  id: 5,
  type: 3,
  name: 'Drink',
  hint: '',
  order: 1,
  required: false,
  editable_by_user: true,
  field_data: JSON.stringify({ 0: { text: 'Tea', order: '1' }, 1: { text: 'Soup', order: '2' } }),
  ...more,
});

test('an option that stays keeps its value, so that what people said stays', () => {
  expect(optionsOf('Soup\n Milk \nSoup\n\n', field({}))).toEqual({
    1: { text: 'Soup', order: '1' },
    2: { text: 'Milk', order: '2' },
  });
  expect(formOf(field({})).options).toBe('Tea\nSoup');
});

test('fields are made and changed in the form of their kind', async () => {
  const requests = openAccount();
  await saveField({ ...NEW_FIELD, name: ' Team ' }, null);
  const account = { ...NEW_FIELD, type: '7' };
  await saveField({ ...account, account: 'github' }, null);
  await saveField({ ...account, name: 'Wiki', urlPattern: 'https://x.org/%(username)s' }, null);
  await saveField(formOf(field({})), field({}));
  const common = { required: false, editable_by_user: true, display_in_profile_summary: false };
  expect(requests.map(({ params }) => params)).toEqual([
    { ...common, field_type: 1, name: 'Team', hint: '' },
    { ...common, field_type: 7, field_data: { subtype: 'github' } },
    {
      ...common,
      field_type: 7,
      name: 'Wiki',
      hint: '',
      field_data: { subtype: 'custom', url_pattern: 'https://x.org/%(username)s' },
    },
    {
      ...common,
      field_id: 5,
      name: 'Drink',
      hint: '',
      field_data: { 0: { text: 'Tea', order: '1' }, 1: { text: 'Soup', order: '2' } },
    },
  ]);
});

test.each([
  ['Party Parrot.gif', 'party_parrot'],
  ['Übung.png', 'ubung'],
  ['---.png', ''],
])('a file %s suggests the name “%s”', (file, name) => {
  expect(emojiNameOf(file)).toBe(name);
});

test('emoji that were taken away are not listed; a name cannot leave the address', async () => {
  const requests = openAccount();
  const emoji = (id: string, name: string, deactivated: boolean) => ({
    ...{ id, name, deactivated, source_url: `/${id}`, still_url: null, author_id: 4 },
  });
  const realm_emoji = { 1: emoji('1', 'zebra', false), 2: emoji('2', 'gone', true) };
  expect(addedEmoji(state({ realm_emoji }))).toEqual([
    { id: '1', name: 'zebra', url: '/1', authorId: 4 },
  ]);
  await addEmoji('../icon', new Blob(['x']), 'x.png');
  expect(requests[0]?.path).toBe('/realm/emoji/..%2Ficon');
});

test('logos say for which ground they are', async () => {
  const requests = openAccount();
  for (const which of ['icon', 'logo', 'night-logo'] as const) {
    await setRealmPicture(which, new Blob(['x']), 'x.png');
  }
  expect(requests.map(({ path, params }) => [path, (params as FormData).get('night')])).toEqual([
    ['/realm/icon', null],
    ['/realm/logo', 'false'],
    ['/realm/logo', 'true'],
  ]);
});

test('exports stand newest first, with what became of them', async () => {
  const one = (id: number, more: object = {}) => ({
    ...{ id, acting_user_id: 1, export_time: 5, export_type: 1, export_url: null },
    ...{ deleted_timestamp: null, failed_timestamp: null, pending: false },
    ...more,
  });
  openAccount(() => ({
    exports: [
      one(1, { deleted_timestamp: 6 }),
      one(2, { failed_timestamp: 6 }),
      one(3, { export_url: '/x' }),
      one(4, { pending: true }),
    ],
  }));
  expect((await exportsOfRealm()).map((each) => [each.id, outcomeOf(each)])).toEqual([
    [4, 'pending'],
    [3, 'ready'],
    [2, 'failed'],
    [1, 'deleted'],
  ]);
});
