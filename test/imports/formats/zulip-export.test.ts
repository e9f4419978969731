import { expect, test } from 'vitest';
import { zulip } from '../../../src/imports/formats/zulip/zulip.ts';
import { download } from '../../support/files/uploads.ts';
import { startServer } from '../../support/start-server.ts';
import { rowsOf, rowsOfKind, shown } from './archive-in-memory.ts';
import { idNamed, importOnce, inChannel, messagesIn, written } from './imported.ts';
import { HARBOUR, SENT_AT } from './zulip-harbour.ts';

test('bots come after their owners, hidden addresses are none, and groups lie in groups', async () => {
  const rows = await rowsOf(zulip, HARBOUR);
  const users = rowsOfKind(rows, 'user');
  expect(users.map(({ id }) => id)).toEqual(['6', '9', '12', '7', '10', '13', '4', '5']);
  expect(users.find(({ id }) => id === '13')).toMatchObject({ bot: true, owner: '7' });
  const tom = users.find(({ id }) => id === '7');
  expect(tom).toMatchObject({ name: 'Tom Berg', bot: false, active: false });
  expect(tom).not.toHaveProperty('email');
  expect(users.find(({ id }) => id === '10')).toMatchObject({ email: 'oto2@harbour.example' });
  expect(rowsOfKind(rows, 'group')).toEqual([
    expect.objectContaining({ id: '41', name: 'mates', members: ['6'], subgroups: [] }),
    expect.objectContaining({ id: '38', members: ['9'], subgroups: ['41', 'role:members'] }),
  ]);
});

test('groups that contain each other come once, and the report says so', async () => {
  const groups = ['a', 'b'].map((name, index) => ({ usergroup_ptr: index, name, id: index }));
  const rows = await rowsOf(zulip, {
    'realm.json': {
      zerver_userprofile: [{ id: 1, full_name: 'Ann' }],
      zerver_groupgroupmembership: [
        { supergroup: 0, subgroup: 1 },
        { supergroup: 1, subgroup: 0 },
      ],
      zerver_namedusergroup: groups,
    },
  });
  expect(rowsOfKind(rows, 'group').map(({ id, subgroups }) => [id, subgroups])).toEqual([
    ['1', []],
    ['0', ['1']],
  ]);
  expect(rowsOfKind(rows, 'skipped')).toEqual([
    expect.objectContaining({ what: 'group within a group', row: '0' }),
  ]);
});

test('an organization that shows no earlier states of messages keeps them to itself', async () => {
  const realm = HARBOUR['harbour/realm.json'];
  for (const setting of [
    { message_edit_history_visibility_policy: 3 },
    { allow_edit_history: false },
  ]) {
    const rows = await rowsOf(zulip, {
      ...HARBOUR,
      'harbour/realm.json': { ...realm, zerver_realm: [{ id: 2, ...setting }] },
    });
    const edited = rowsOfKind(rows, 'message').find(({ id }) => id === '35');
    expect(edited).toHaveProperty('editedAt');
    expect(edited).not.toHaveProperty('changes');
  }
});

test('quotes are text and code is not, and links lead to the same place', async () => {
  const rows = await rowsOf(zulip, HARBOUR);
  const of = (id: string) =>
    shown(rowsOfKind(rows, 'message').find((row) => row.id === id)?.content ?? []);
  expect(of('22')).toBe(
    'See {"channel":"5"} and {"channel":"4","topic":"welcome","message":"20"} and @_*role:members*',
  );
  expect(of('23')).toContain('{"channel":"4","topic":"welcome","message":"20","label":"said"}:');
  expect(of('23')).toContain('quote\n{"mention":"10"} {"file":');
  expect(of('23')).toContain(`print('@**Oto Vale|10**')\n\`\`\`\n{"mention":"10"}\n`);
  expect(of('24')).toBe(
    '{"channel":"5","topic":"ropes","message":"30","label":"there"} or ' +
      '{"channel":"4","topic":"welcome"}, dm',
  );
  expect(of('25')).toContain(' at https://other.example/#narrow/channel/4-dock/topic/a');
  expect(of('26')).toContain('| who | {"mention":"6","inTable":true} |');
});

test('of people who are active and subscribed it is known what they have not read', async () => {
  const rows = rowsOfKind(await rowsOf(zulip, HARBOUR), 'message');
  const unread = rows.flatMap(({ id, unreadBy }) =>
    unreadBy === undefined ? [] : [[id, unreadBy]],
  );
  expect(unread).toEqual([['21', ['9']]]);
});

test('a real export comes into a server as it was, and the report has what does not', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { report } = await importOnce(server, 'zulip', await written(HARBOUR, 'harbour.tgz'));
  expect(report[0]).toMatchObject({ users: 8, groups: 2, channels: 4, messages: 20, files: 2 });
  const left = Object.fromEntries(report.slice(1).map((row) => [row['left_out'], row['count']]));
  expect(left).toEqual({
    emoji: 1,
    'user group': 1,
    'scheduled message': 1,
    'default channel': 1,
    'profile field': 1,
    'value of a profile field': 1,
    linkifier: 1,
    'alert word': 2,
    'muted or followed topic': 1,
    'access from the web': 1,
    reaction: 1,
  });
  const [rosa, tom] = [idNamed(server, 'Rosa Lind'), idNamed(server, 'Tom Berg')];
  const { body: known } = await server.get(mel, '/users');
  expect(known['members']).toContainEqual(
    expect.objectContaining({ full_name: 'Tide Bot', is_bot: true, bot_owner_id: tom }),
  );
  const { body: groups } = await server.get(mel, '/user_groups');
  const named = (name: string) =>
    (groups['user_groups'] as { name: string; id: number; direct_subgroup_ids: number[] }[]).find(
      (group) => group.name === name,
    );
  expect(named('crew')?.direct_subgroup_ids).toEqual([
    named('role:members')?.id,
    named('mates')?.id,
  ]);

  const quay = await inChannel(server, mel, 'quay');
  const byTime = new Map(quay.map((row) => [row.timestamp - SENT_AT, row]));
  const first = byTime.get(20);
  expect(first?.reactions.map(({ emoji_name }) => emoji_name).sort()).toEqual([
    'boat_up',
    'keycap_1',
    'waving_hand',
  ]);
  expect(byTime.get(22)?.content).toMatch(
    /^See \[#Yard & tools > new\]\(\/#narrow\/channel\/\d+-Yard-\.26-tools-\.3E-new\) and /,
  );
  expect(byTime.get(22)?.content).toContain(`#**quay>welcome@${first?.id}**`);
  expect(byTime.get(23)?.content).toMatch(
    new RegExp(`\\[said\\]\\(/#narrow/channel/\\d+-quay/topic/welcome/near/${first?.id}\\):`),
  );
  const link = /\[plan\]\(([^)]*)\)/.exec(byTime.get(23)?.content ?? '')?.[1] ?? '';
  expect((await download(server, link, { as: mel })).bytes.toString()).toBe('high at nine');
  expect(byTime.get(21)?.content).toContain('see @*crew* or @_*crew*');
  expect(byTime.get(26)?.content).toContain('| @**Rosa Lind** |');
  expect(byTime.get(27)).toMatchObject({ submessages: [expect.objectContaining({})] });
  expect(byTime.get(36)).toHaveProperty('last_moved_timestamp');
  expect(byTime.get(36)).not.toHaveProperty('last_edit_timestamp');
  expect(byTime.get(39)).not.toHaveProperty('last_moved_timestamp');

  const { body } = await server.get(mel, `/messages/${byTime.get(35)?.id}/history`);
  const states = body['message_history'] as { content: string; user_id: number }[];
  const oto = states[1]?.content ?? '';
  expect(states.map(({ content }) => content)).toEqual([
    'first text',
    expect.stringMatching(/^second for @\*\*Oto Vale\|\d+\*\*$/),
    `third text with @**Tom Berg|${tom}**`,
  ]);
  expect(oto).not.toContain('|10*');
  expect(states.map(({ user_id }) => user_id)).toEqual([rosa, tom, tom]);
  expect((await inChannel(server, mel, 'window')).map(({ content }) => content)).toEqual([
    'Hello web',
  ]);
  expect(await messagesIn(server, mel, [{ operator: 'channel', operand: 'wreck' }])).toHaveLength(
    1,
  );
});
