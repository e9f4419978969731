import { expect, test } from 'vitest';
import { IMPORTED_ROWS_PER_STEP_MAX } from '../../src/domain/limits/archives.ts';
import { zulip } from '../../src/imports/formats/zulip/zulip.ts';
import { importHere } from '../support/realms/import-here.ts';
import { startServer } from '../support/start-server.ts';
import { archiveOf } from './formats/archive-in-memory.ts';

const OF = { realm: 'test', source: 'zulip:crowd', format: 'zulip' };
const COUNT = 4 * IMPORTED_ROWS_PER_STEP_MAX + 7;

const CROWD = {
  'realm.json': {
    zerver_userprofile: Array.from({ length: COUNT }, (_, at) => ({
      id: at + 1,
      full_name: `Person ${at}`,
    })),
    zerver_usergroup: [{ id: 3 }, { id: 4 }],
    zerver_usergroupmembership: Array.from({ length: COUNT }, (_, at) => ({
      user_group: 3,
      user_profile: at + 1,
    })),
    zerver_namedusergroup: [
      { usergroup_ptr: 3, name: 'crowd', can_join_group: 4 },
      { usergroup_ptr: 4, name: 'nobody in it' },
    ],
  },
};

async function crowded() {
  const server = await startServer();
  const imported = (onStep: (name: string, rows: number) => void = () => undefined) =>
    importHere(server.app.realms, {
      format: zulip,
      archive: archiveOf(CROWD),
      of: OF,
      onStep: (name, args) => onStep(name, (args as { rows?: unknown[] }).rows?.length ?? 0),
    });
  const groupId = () =>
    server.perform((tx) => tx.importedIds.get([OF.source, 'group', '3'])?.id ?? expect.fail());
  const members = async () => {
    const id = await groupId();
    return server.perform((tx) => Array.from(tx.groupMembers.keysUnder([id]), ([, user]) => user));
  };
  return { server, imported, groupId, members };
}

test('the people of a group come in steps, also after a step that failed', async () => {
  const { server, imported, members } = await crowded();
  let steps = 0;
  const failing = (name: string, rows: number) => {
    expect(rows, name).toBeLessThanOrEqual(IMPORTED_ROWS_PER_STEP_MAX);
    if (name !== 'import members') return;
    steps += 1;
    if (steps === 3) throw new Error('the process was killed');
  };
  await expect(imported(failing)).rejects.toThrow('killed');
  expect((await members()).length).toBeLessThan(COUNT);
  await imported();
  expect((await members()).length).toBe(COUNT);
  expect(server.bugs).toEqual([]);
});

test('who has left a group that was imported does not come back with another run', async () => {
  const { server, imported, groupId, members } = await crowded();
  await imported();
  const id = await groupId();
  const [gone = 0, ...others] = await members();
  await server.perform((tx) => {
    tx.groupMembers.remove([id, gone]);
    tx.userGroups.remove([gone, id]);
  });
  await imported();
  expect(await members()).toEqual(others);
});
