import { expect, test } from 'vitest';
import type { ImportStep } from '../../src/admin/commands/import-steps.ts';
import { zulip } from '../../src/imports/formats/zulip/zulip.ts';
import { importHere } from '../support/realms/import-here.ts';
import { startServer } from '../support/start-server.ts';
import { archiveOf } from './formats/archive-in-memory.ts';

const OF = { realm: 'test', source: 'zulip:tea', format: 'zulip' };

/** One row of each kind, and more where another kind needs them. */
const FILES = {
  'realm.json': {
    zerver_userprofile: [
      { id: 1, full_name: 'Ann' },
      { id: 2, full_name: 'Bea' },
    ],
    zerver_usergroup: [{ id: 3 }, { id: 4 }],
    zerver_usergroupmembership: [{ user_group: 3, user_profile: 2 }],
    zerver_namedusergroup: [
      { usergroup_ptr: 3, name: 'makers', can_join_group: 4 },
      { usergroup_ptr: 4, name: 'drinkers' },
    ],
    zerver_stream: [{ id: 1, name: 'tea' }],
    zerver_recipient: [{ id: 1, type: 2, type_id: 1 }],
    zerver_subscription: [{ user_profile: 2, recipient: 1, active: true }],
    zerver_customprofilefield: [{ id: 1, name: 'Cup', field_type: 1 }],
  },
  'messages-000001.json': {
    zerver_message: [
      { id: 1, sender: 2, recipient: 1, subject: 't', content: 'Milk?', date_sent: 1_600_000_000 },
    ],
  },
};
const ARCHIVE = archiveOf(FILES);

test('a message that is longer than messages are here is cut, and the report says so', async () => {
  const server = await startServer();
  const [short] = FILES['messages-000001.json'].zerver_message;
  const long = { ...short, id: 2, content: 'tea '.repeat(2_501) };
  const archive = archiveOf({ ...FILES, 'messages-000002.json': { zerver_message: [long] } });
  const report = await importHere(server.app.realms, { format: zulip, archive, of: OF });
  expect(report.added['messages']).toBe(2);
  expect(report.lines({})).toContainEqual(
    expect.objectContaining({
      left_out: 'end of a message',
      row: '2',
      why: 'A message has at most 10000 characters.',
    }),
  );
});

test.each([
  ['import users', 'user', '1'],
  ['import groups', 'group', '3'],
  ['import members', 'member of a group', '2'],
  ['import permissions', 'permissions of a group', '3'],
  ['import channels', 'channel', '1'],
  ['import messages', 'message', '1'],
  ['import choices', 'profile field', ''],
  ['import subscribers', 'subscription', '2'],
] satisfies [ImportStep, string, string][])(
  'what the server refuses in %s is listed as left out',
  async (step, left_out, row) => {
    const server = await startServer();
    let isFirst = true;
    const report = await importHere(server.app.realms, {
      format: zulip,
      archive: ARCHIVE,
      of: OF,
      onStep(name, args) {
        if (name !== step || !isFirst) return;
        isFirst = false;
        const key = name === 'import subscribers' ? 'subscribers' : 'rows';
        const [, ...others] = (args as Record<typeof key, unknown[]>)[key];
        Object.assign(args, { [key]: ['no row', ...others] });
      },
    });
    const expected = { left_out, row, why: expect.stringContaining('a row of an import') };
    expect(report.lines({})).toContainEqual(expect.objectContaining(expected));
    expect(server.bugs).toEqual([]);
  },
);
