import { expect, test } from 'vitest';
import {
  allowedSystemGroups,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../../../src/domain/wire/settings/permission-settings.ts';
import { SYSTEM_GROUPS, systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { Params } from '../../support/client.ts';
import { startServer } from '../../support/start-server.ts';

const { realm: PERMISSIONS } = SERVER_SUPPORTED_PERMISSION_SETTINGS;
const NAMES = Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[]; // the keys of a literal

test.each(NAMES)(
  '2.7: %s is given to each group that may have it, and to no other',
  async (name) => {
    const server = await startServer();
    const { ona, mel } = server.people;
    const setting = PERMISSIONS[name];
    const update = (change: Params) => server.patch(ona, '/realm', { [name]: change });
    const stored = async () => (await server.register(mel)).state[`realm_${name}`];
    const queue = await server.register(mel, { event_types: ['realm'] });
    const first = systemGroupId(setting.default_group_name);
    expect(await stored()).toBe(first);
    let old = first;
    for (const { name: group } of SYSTEM_GROUPS) {
      const id = systemGroupId(group);
      const { status, body } = await update({ new: id, old });
      if (!allowedSystemGroups(setting).includes(group)) {
        expect([status, body.code], group).toEqual([400, 'BAD_REQUEST']);
        continue;
      }
      const echo = id === old ? {} : { [name]: id };
      expect([status, body], group).toEqual([200, { result: 'success', msg: '', ...echo }]);
      const told = (await queue.now()).map(({ id: _, ...event }) => event);
      const event = { type: 'realm', op: 'update_dict', property: 'default', data: { [name]: id } };
      expect(told, group).toEqual(id === old ? [] : [event]);
      old = id;
    }
    const others = systemGroupId(old === first ? 'role:members' : setting.default_group_name);
    const outdated = await update({ new: first, old: others });
    expect(outdated).toMatchObject({ status: 400, body: { code: 'EXPECTATION_MISMATCH' } });
    const some = { direct_members: [mel.id], direct_subgroups: [] };
    const unnamed = await update({ new: some });
    expect([unnamed.status, unnamed.body.code, unnamed.body.setting_name]).toEqual(
      setting.require_system_group
        ? [400, 'SYSTEM_GROUP_REQUIRED', name]
        : [200, undefined, undefined],
    );
    expect(await stored()).toEqual(setting.require_system_group ? old : some);
  },
);
