import { State } from '@confab/client/store';
import { expect, test } from 'vitest';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../../../src/domain/wire/settings/permission-settings.ts';
import {
  GROUP_RIGHTS,
  optionsOfRight,
  setGroupRight,
} from '../../../../web/app/store/organization/group-rights.ts';
import { mayManage } from '../../../../web/app/store/organization/groups.ts';
import { openAccount, snapshot } from './snapshot.ts';

const group = (id: number, name: string, more: object = {}) => ({
  id,
  name,
  description: '',
  members: [],
  direct_subgroup_ids: [],
  is_system_group: name.startsWith('role:'),
  deactivated: false,
  can_manage_group: 13,
  ...more,
});

/** Mel, who is the account, is in group 20. */
const state = (more: object = {}) =>
  new State(
    snapshot({
      realm_user_groups: [
        group(9, 'role:internet'),
        group(10, 'role:everyone'),
        group(11, 'role:members', { members: [4] }),
        group(12, 'role:owners'),
        group(13, 'role:nobody'),
        group(20, 'cooks', { members: [2, 4] }),
        group(21, 'bakers', { members: [2] }),
        group(22, 'gone', { deactivated: true }),
      ],
      server_supported_permission_settings: SERVER_SUPPORTED_PERMISSION_SETTINGS,
      ...more,
    }),
  );

test('each right over a group that the server has is on the page, once', () => {
  const shown = GROUP_RIGHTS.flatMap(({ settings }) => settings.map(({ name }) => name));
  expect(shown.toSorted()).toEqual(Object.keys(SERVER_SUPPORTED_PERMISSION_SETTINGS.group));
});

test('a right over a group goes to the groups that its rules allow, and to those of people', () => {
  const labels = (name: Parameters<typeof optionsOfRight>[1]) =>
    optionsOfRight(state(), name).map(({ label }) => label);
  expect(labels('can_mention_group')).toEqual([
    ...['Everybody, guests too', 'All members', 'Nobody', 'bakers', 'cooks'],
  ]);
  expect(labels('can_join_group')).toEqual(['All members', 'Owners', 'Nobody', 'bakers', 'cooks']);
});

test('a group is changed by those whom it names, and by those who change all', () => {
  const may = (can_manage_group: unknown, more: object = {}) =>
    mayManage(state(more), { can_manage_group } as Parameters<typeof mayManage>[1]);
  expect(may(13)).toBe(false);
  expect(may(20)).toBe(true);
  expect(may({ direct_members: [4], direct_subgroups: [] })).toBe(true);
  expect(may({ direct_members: [2], direct_subgroups: [21] })).toBe(false);
  expect(may(13, { realm_can_manage_all_groups: 11 })).toBe(true);
});

test('a right over a group is given by one request, with what it was before', async () => {
  const requests = openAccount();
  const some = { direct_members: [2], direct_subgroups: [20] };
  await setGroupRight(20, { name: 'can_join_group', before: 13, after: some });
  await setGroupRight(20, { name: 'can_mention_group', before: undefined, after: 11 });
  expect(requests).toEqual([
    {
      method: 'PATCH',
      path: '/user_groups/{user_group_id}',
      params: { user_group_id: 20, can_join_group: { new: some, old: 13 } },
    },
    {
      method: 'PATCH',
      path: '/user_groups/{user_group_id}',
      params: { user_group_id: 20, can_mention_group: { new: 11 } },
    },
  ]);
});
